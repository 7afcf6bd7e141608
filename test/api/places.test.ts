import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { attach, createProject, DEMO_REPOSITORY } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

describe("what a resource is in", () => {
  let instance: Instance;
  let projectId: string;
  let environmentId: string;
  let serviceId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const project = await createProject(instance.admin, "shop");
    ({ projectId, environmentId } = project);
    serviceId = String(project.services["web"]);
  });
  after(() => instance.dispose());

  /** Each resource as its own route answers it. */
  async function expected() {
    const { admin } = instance;
    const { body: project } = await admin.get(`/v1/projects/${projectId}`);
    const { body: environment } = await admin.get(`/v1/environments/${environmentId}`);
    const { body: service } = await admin.get(`/v1/services/${serviceId}`);
    return { project, environment, service };
  }

  /** What a resource is in, and what its parts said before and after: until nothing changed them in between. */
  async function look(path: string) {
    return await until(async () => {
      const before = await expected();
      const { body: place } = await instance.admin.get(`${path}/place`);
      const after = await expected();
      return isDeepStrictEqual(before, after) ? { place, ...after } : null;
    }, `${path} does not change`);
  }

  it("is the same as each of them on its own, for an environment, a service and a domain group", async () => {
    const { place: of, ...own } = await look(`/v1/environments/${environmentId}`);
    assert.deepEqual(of, { ...own, service: null });
    const { id } = await attach(instance.admin, serviceId, ["www.place.example.com"]);
    for (const path of [`/v1/services/${serviceId}`, `/v1/domain-certificate-groups/${id}`]) {
      const { place, ...parts } = await look(path);
      assert.deepEqual(place, parts);
    }
  });

  it("is only the project for a deployment, which may run in several environments", async () => {
    const begun = await instance.admin.post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      filter: { projectId },
    });
    const { body } = await instance.admin.get(`/v1/deployments/${begun.body.id}/place`);
    assert.deepEqual(body, { project: (await expected()).project, environment: null, service: null });
  });

  it("is not shown to others, nor for unknown ids", async () => {
    assertRefused(await instance.other.get(`/v1/services/${serviceId}/place`), 404, "NOT_FOUND");
    const unknown = "/v1/domain-certificate-groups/group_01h455vb4pex5vsknk084sn02q/place";
    assertRefused(await instance.admin.get(unknown), 404, "NOT_FOUND");
  });
});
