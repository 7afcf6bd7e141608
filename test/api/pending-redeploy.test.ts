/** Which variables are newer than what runs. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
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

const SERVER = `require("node:http").createServer((_, response) => response.end("x")).listen(process.env.PORT, "127.0.0.1");`;
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const WEB = { id: "web", type: "web", startCommand: "node server.js", port: 3000 };
const FILES = { "public/index.html": "one", "server.js": SERVER };

describe("variables that are newer than what runs", () => {
  let instance: Instance;
  let environmentId: string;
  let services: Readonly<Record<string, string>>;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    const more = { envVariables: { CONFIGURED: "c" } };
    await push(instance, "pending", withConfig(configOf([SITE, WEB], more), FILES));
    const projectId = await createIacProject(admin, "pending");
    services = await listServices(admin, projectId);
    environmentId = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments[0].id;
  });
  after(() => instance.dispose());

  const ofService = (id: string) => `/v1/services/${services[id]}/env-variables`;
  const ofEnvironment = () => `/v1/environments/${environmentId}/env-variables`;
  const deployNow = async () => await ended(instance.admin, await deploy(instance.admin, "pending"));
  const pending = async (id: string) => {
    const { body } = await instance.admin.get(`/v1/services/${services[id]}`);
    const { body: list } = await instance.admin.get(`/v1/environments/${environmentId}/services`);
    const listed = list.services.find((one: { id: string }) => one.id === services[id]);
    assert.deepEqual(listed.pendingRedeploy, body.pendingRedeploy, "the list says the same");
    return body.pendingRedeploy as null | {
      since: string;
      variables: { name: string; from: string; changedAt: string; isDeleted: boolean }[];
    };
  };
  const names = async (id: string) =>
    (await pending(id))?.variables.map(({ name, from, isDeleted }) => [name, from, isDeleted]) ?? null;

  it("are none before a release, and none just after one", async () => {
    await instance.admin.post(ofService("web"), { plainText: { A: "1", B: "1", GONE: "1" } });
    assert.equal(await pending("web"), null);
    const { status } = await deployNow();
    assert.equal(status, "SUCCESS");
    for (const id of ["site", "web"]) assert.equal(await pending(id), null, id);
  });

  it("are the variables that changed since, with their times, until the next release", async () => {
    const { admin } = instance;
    await admin.post(ofService("web"), { plainText: { A: "2", B: "1" } });
    await admin.post(ofEnvironment(), { plainText: { A: "hidden", SHARED: "1" } });
    await admin.delete(`${ofService("web")}/GONE`);
    assert.deepEqual(await names("web"), [
      ["A", "service", false],
      ["GONE", "service", true],
      ["SHARED", "environment", false],
    ]);
    assert.deepEqual(await names("site"), [
      ["A", "environment", false],
      ["SHARED", "environment", false],
    ]);
    const { since = "", variables = [] } = (await pending("web")) ?? {};
    const { body: a } = await admin.get(`${ofService("web")}/A`);
    assert.equal(variables[0]?.changedAt, a.updatedAt);
    assert.ok(variables.every(({ changedAt }) => changedAt > since));

    const waiting = admin.get(`/v1/services/${services["web"]}`, { prefer: "wait=60" });
    await deployNow();
    assert.equal((await waiting).body.pendingRedeploy, null, "the release ends the wait");
    for (const id of ["site", "web"]) assert.equal(await pending(id), null, id);
  });

  it("are those of the files that are served again after a rollback", async () => {
    const { admin } = instance;
    const { id: first } = await deployNow();
    await admin.post(ofEnvironment(), { plainText: { LATER: "1" } });
    await deployNow();
    assert.equal(await names("site"), null);
    const back = await admin.post(`/v1/deployments/${first}/rollback`);
    await ended(admin, back.body.deployment.id);
    assert.deepEqual(await names("site"), [["LATER", "environment", false]], "they were built without it");
    assert.equal(await names("web"), null, "processes start with the present variables");
  });

  it("are seen by clients that wait", async () => {
    const { admin } = instance;
    const waiting = admin.get(`/v1/services/${services["web"]}`, {
      prefer: "wait=60",
      "if-none-match": (await admin.get(`/v1/services/${services["web"]}`)).headers.get("etag") ?? "",
    });
    await admin.post(ofEnvironment(), { plainText: { WAITED: "1" } });
    const { body } = await waiting;
    assert.deepEqual(
      body.pendingRedeploy.variables.map(({ name }: { name: string }) => name),
      ["WAITED"],
    );
  });
});
