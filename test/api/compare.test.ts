import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const OTHER = { id: "other", type: "static", outputDirectory: "public", dependsOn: ["site"] };
const FILES = { "public/index.html": "one" };

describe("a deployment beside another", () => {
  let instance: Instance;
  let projectId: string;
  let first: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    await push(instance, "shop", withConfig(configOf([SITE]), FILES));
    projectId = await createIacProject(instance.admin, "shop");
    first = await deploy(instance.admin, "shop");
    await ended(instance.admin, first);
  });
  after(() => instance.dispose());

  const changesOf = async (id: string, query = "") => {
    const { status, body, text } = await instance.admin.get(`/v1/deployments/${id}/changes${query}`);
    assert.equal(status, 200, text);
    return body;
  };

  it("is compared with none if it is the first", async () => {
    assert.deepEqual(await changesOf(first), {
      deploymentId: first,
      comparedWith: null,
      hasSameCommit: false,
      configuration: null,
    });
  });

  it("is compared with the successful one before, or any other", async () => {
    const config = configOf([{ ...SITE, envVariables: { GREETING: "hidden value" } }, OTHER]);
    await push(instance, "shop", withConfig(config, FILES));
    const second = await deploy(instance.admin, "shop");
    await ended(instance.admin, second);
    const changes = await changesOf(second);
    assert.equal(changes.comparedWith.id, first);
    assert.equal(changes.hasSameCommit, false);
    const none = { added: [], changed: [], removed: [] };
    assert.deepEqual(changes.configuration, {
      variables: none,
      environments: [
        {
          configId: "production",
          difference: "CHANGED",
          fields: [],
          variables: none,
          services: [
            {
              configId: "site",
              name: "site",
              difference: "CHANGED",
              fields: [],
              variables: { ...none, added: ["GREETING"] },
            },
            { configId: "other", name: "other", difference: "ADDED", fields: [], variables: none },
          ],
        },
      ],
    });
    const { hasSameCommit, configuration } = await changesOf(second, `?with=${second}`);
    assert.deepEqual([hasSameCommit, configuration.environments], [true, []]);
    const foreign = await instance.other.get(`/v1/deployments/${second}/changes`);
    assertRefused(foreign, 404, "NOT_FOUND");
    const unknown = await instance.admin.get(
      `/v1/deployments/${second}/changes?with=depl_01h455vb4pex5vsknk084sn02q`,
    );
    assertRefused(unknown, 404, "NOT_FOUND");
  });

  it("leaves an environment whose graph shows what refers to what", async () => {
    const { site, other } = await listServices(instance.admin, projectId);
    const { body: listed } = await instance.admin.get(`/v1/projects/${projectId}/environments`);
    const [{ id }] = listed.environments;
    const link = { fromService: { SITE_URL: { id: site, value: "url" } } };
    const set = await instance.admin.post(`/v1/environments/${id}/env-variables`, link);
    assert.equal(set.status, 200, set.text);
    const { status, body } = await instance.admin.get(`/v1/environments/${id}/graph`);
    assert.equal(status, 200);
    const ids = body.nodes.map((node: { id: string; configId: string }) => [node.configId, node.id]);
    assert.deepEqual(Object.fromEntries(ids), { site, other });
    assert.deepEqual(body.edges, [
      { kind: "DEPENDS_ON", fromServiceId: other, toServiceId: site, variable: null, property: null },
      { kind: "VARIABLE", fromServiceId: null, toServiceId: site, variable: "SITE_URL", property: "url" },
    ]);
  });
});
