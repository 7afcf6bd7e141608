/** Existing data stores in the configuration of a project: what refers to them, and what their removal does. */
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
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const DB = {
  id: "db",
  type: "mysql",
  existing: {
    host: "db.acme.example",
    dbName: "shop",
    username: "shop",
    password: { fromParameterStore: "/acme/db-password" },
  },
};
const BUCKET = { id: "files", type: "bucket", existing: { bucketName: "acme-files" } };

type Planned = { readonly configId: string; readonly change: string; readonly notes: readonly string[] };

describe("an existing data store", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "shop", configOf([SITE, DB, BUCKET]));
  });
  after(() => instance.dispose());

  const variablesOf = (service = "site") => `/v1/services/${project.services[service]}/env-variables`;
  const planOf = async (config: object) => {
    const { status, body, text } = await instance.admin.post(`/v1/projects/${project.projectId}/plan`, {
      config,
    });
    assert.equal(status, 200, text);
    const [environment] = body.environments;
    const services: readonly Planned[] = environment.services;
    return { environment, byId: new Map(services.map((one) => [one.configId, one])), body };
  };

  it("is a service without an address, health or log, and takes no domain", async () => {
    const { admin } = instance;
    const id = project.services["db"];
    const { body } = await admin.get(`/v1/services/${id}`);
    assert.deepEqual([body.type, body.cdnDomainName, body.settings.existing], ["mysql", null, DB.existing]);
    const health = (await admin.get(`/v1/services/${id}/health`)).body;
    assert.deepEqual([health.health, /is a data store/.test(health.problem)], ["UNKNOWN", true]);
    assertRefused(await admin.get(`/v1/services/${id}/logs`), 409, "SERVICE_HAS_NO_LOGS");
    const groups = `/v1/services/${id}/domain-certificate-groups`;
    const refused = await admin.post(groups, { domains: ["db.example.com"] });
    assertRefused(refused, 422, "SERVICE_TAKES_NO_DOMAINS");
    const listed = (await admin.get("/v1/services?type=mysql")).body.services;
    assert.deepEqual(
      listed.map((one: { id: string }) => one.id),
      [id],
    );
  });

  it("takes no variables, because nothing reads them, and lets its present ones be deleted", async () => {
    const { admin } = instance;
    const at = variablesOf("db");
    const plain = { plainText: { A: "1" } };
    // In one batch with a write that is accepted.
    const writes = await Promise.all([
      admin.post(at, plain),
      admin.post(variablesOf(), plain),
      admin.put(at, plain),
    ]);
    assert.equal(writes[1].status, 200, writes[1].text);
    const refused = [
      writes[0],
      writes[2],
      await admin.post(at, { secretsManager: { A: "1" } }),
      await admin.post(at, { fromService: { A: { id: project.services["files"], value: "bucketName" } } }),
      await admin.post(`${at}?dryRun=true`, plain),
      await admin.post(`${at}/A/restore`, { version: "ver_1" }),
    ];
    for (const answer of refused) {
      assertRefused(answer, 422, "SERVICE_TAKES_NO_VARIABLES");
      assert.match(answer.body.detail, /of the service that uses it/);
    }
    assert.deepEqual((await admin.get(at)).body.envVariables, []);
    assertRefused(await admin.delete(`${at}/A`), 404, "NOT_FOUND");
    for (const url of [at, `${at}?dryRun=true`]) assert.equal((await admin.put(url, {})).status, 200);
    assert.equal((await admin.delete(`${variablesOf()}/A`)).status, 204);
  });

  it("is linked by the properties of its type only, which the effective variables show without secrets", async () => {
    const { admin } = instance;
    const link = (id: string, value: string) => ({
      fromService: { A: { id: project.services[id], value } },
    });
    for (const [id, value] of [
      ["db", "url"],
      ["db", "authToken"],
      ["files", "host"],
    ] as const)
      assertRefused(await admin.post(variablesOf(), link(id, value)), 400, "INVALID_REQUEST");
    const effective = async () => (await admin.get(`${variablesOf()}/effective`)).body.envVariables[0];
    for (const [id, value, shown] of [
      ["db", "port", ["3306", null]],
      ["db", "password", [null, "/acme/db-password"]],
      ["db", "dbConnectionString", [null, null]],
      ["files", "bucketName", ["acme-files", null]],
    ] as const) {
      const set = await admin.post(variablesOf(), link(id, value));
      assert.equal(set.status, 200, set.text);
      const { value: text, reference } = await effective();
      assert.deepEqual([text, reference], shown, value);
    }
  });

  it("stays when it leaves the configuration, which a plan says, and cannot leave while variables link to it", async () => {
    const { admin } = instance;
    const { byId, body } = await planOf(configOf([SITE, DB]));
    assert.equal(body.isApplicable, false);
    assert.deepEqual(byId.get("files")?.change, "REMOVED");
    assert.match(byId.get("files")?.notes.join() ?? "", /stays as it is, with its data/);
    const moved = { ...DB, existing: { ...DB.existing, host: "other.acme.example" } };
    assert.match(
      (await planOf(configOf([SITE, moved, BUCKET]))).byId.get("db")?.notes.join() ?? "",
      /No data is moved/,
    );
    const added = { id: "cache", type: "redis", existing: { host: "cache.acme.example" } };
    const more = await planOf(configOf([SITE, DB, BUCKET, added]));
    assert.match(more.byId.get("cache")?.notes.join() ?? "", /used as it is/);
    // A reference of the configuration itself keeps it.
    const web = { ...SITE, envVariables: { B: { fromService: { id: "files", value: "bucketName" } } } };
    const refused = await admin.post(`/v1/projects/${project.projectId}/plan`, {
      config: configOf([web, DB]),
    });
    assertRefused(refused, 400, "INVALID_REQUEST");
    // A variable that the API set keeps it, too.
    const places = [["/config/environments/0/services", "IS_LINKED"]];
    type Refusal = { path: string; code: string; message: string };
    const kept = await admin.patch(`/v1/projects/${project.projectId}`, { config: configOf([SITE, DB]) });
    assertRefused(kept, 409, "CONFIG_NOT_APPLICABLE");
    for (const refusals of [body.refusals, kept.body.errors] as readonly (readonly Refusal[])[])
      assert.deepEqual(
        refusals.map(({ path, code }) => [path, code]),
        places,
      );
    assert.match(kept.body.errors[0].message, /the service files, which variables link to \(A of site\)/);
    assert.equal((await admin.get(variablesOf())).body.envVariables.length, 1);
    assert.equal((await admin.delete(`${variablesOf()}/A`)).status, 204);
    const changed = await admin.patch(`/v1/projects/${project.projectId}`, { config: configOf([SITE, DB]) });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await admin.get(`/v1/services/${project.services["files"]}`)).status, 404);
    assert.deepEqual((await admin.get(variablesOf())).body.envVariables, []);
  });

  it("is shared by all previews of a template, or made for each of them, which the plan says", async () => {
    const template = {
      id: "previews",
      region: "us-west-2",
      source: { branch: "main", pr: true },
      services: [SITE, DB, BUCKET, { id: "own", type: "postgres" }],
    };
    const { environments } = configOf([SITE, DB]) as { environments: object[] };
    const { body } = await planOf({ environments: [...environments, template] });
    const planned = body.environments.find(({ configId }: Planned) => configId === "previews");
    assert.match(
      planned.notes.join(),
      /All previews use the same data stores db, files, and share their data.+creates a data store own for each preview/,
    );
  });

  it("comes with a service that refers to it, in one commit beside services that run already", async () => {
    const { admin } = instance;
    const files = { "public/index.html": "hello" };
    await push(instance, "later", withConfig(configOf([SITE]), files));
    const projectId = await createIacProject(admin, "later", project.awsAccountId);
    await ended(admin, await deploy(admin, "later"));
    const linked = { ...SITE, envVariables: { B: { fromService: { id: "files", value: "bucketName" } } } };
    await push(instance, "later", withConfig(configOf([linked, BUCKET]), files));
    const done = await ended(admin, await deploy(admin, "later"));
    assert.deepEqual(
      done.services.map(({ configId }: { configId: string }) => configId),
      ["site"],
    );
    const { site } = await listServices(admin, projectId);
    const { body } = await admin.get(`/v1/services/${site}/env-variables/effective`);
    assert.equal(body.envVariables[0].value, "acme-files");
  });
});
