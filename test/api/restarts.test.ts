/** A service that is released again, with its present variables and without a build. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { keepAsking } from "../helpers/keep-asking.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

/** Answers with what it was built with, and with a variable of now; does not start with FAULT. */
const SERVER = `
if (process.env.FAULT) process.exit(3);
const id = require("node:crypto").randomUUID();
const built = require("node:fs").readFileSync("built.txt", "utf8").trim();
require("node:http")
  .createServer((_, response) => response.end(built + " " + process.env.GREETING + " " + id))
  .listen(process.env.PORT, "127.0.0.1");`;
const WEB = {
  id: "web",
  type: "web",
  buildCommand: 'echo "$GREETING" > built.txt; echo it is built',
  startCommand: "node server.js",
  port: 3000,
};
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const ELSEWHERE = { id: "elsewhere", type: "external", hostname: "example.com" };
const FILES = { "server.js": SERVER, "public/index.html": "one" };

describe("the restart of a service", () => {
  let instance: Instance;
  let admin: ApiClient;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    ({ admin } = instance);
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
  });
  after(() => instance.dispose());

  async function create(name: string, services: readonly object[], deploysNow = true) {
    const commit = await push(instance, name, withConfig(configOf(services), FILES));
    const projectId = await createIacProject(admin, name);
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    const ids = await listServices(admin, projectId);
    const { web = "" } = ids;
    const set = async (plainText: object) => {
      const { status, text } = await admin.post(`/v1/services/${web}/env-variables`, { plainText });
      assert.equal(status, 200, text);
    };
    await set({ GREETING: "hello" });
    const first = deploysNow ? await ended(admin, await deploy(admin, name)) : null;
    const environmentId: string = body.environments[0].id;
    return { environmentId, ids, web, set, first, commit };
  }
  const restart = (serviceId: string, client = admin) => client.post(`/v1/services/${serviceId}/restart`, {});
  const restartNow = async (serviceId: string, status = "SUCCESS") => {
    const { body, text, status: code } = await restart(serviceId);
    assert.equal(code, 201, text);
    return await ended(admin, body.id, status);
  };
  const assertUnderWay = async (serviceId: string, deploymentId: string) => {
    const refused = await restart(serviceId);
    assertRefused(refused, 409, "DEPLOYMENT_UNDER_WAY");
    assert.ok(refused.body.detail.includes(deploymentId), refused.text);
  };
  const read = async (id: string) => (await admin.get(`/v1/deployments/${id}`)).body;

  it("runs the same artifact with the variables of now, without a failed request and without a build", async () => {
    const { environmentId, web, set, first, commit } = await create("restart", [WEB, SITE]);
    const before = (await getPage(instance, web)).body.split(" ");
    assert.deepEqual(before.slice(0, 2), ["hello", "hello"]);
    await set({ GREETING: "moin" });
    const pending = async () => (await admin.get(`/v1/services/${web}`)).body.pendingRedeploy;
    assert.deepEqual(
      (await pending()).variables.map(({ name }: { name: string }) => name),
      ["GREETING"],
    );

    const asking = keepAsking(() => getPage(instance, web));
    const done = await restartNow(web);
    const { asked, failed } = await asking.stop();
    assert.ok(asked > 0);
    assert.deepEqual(failed, []);
    const now = (await getPage(instance, web)).body.split(" ");
    assert.deepEqual(now.slice(0, 2), ["hello", "moin"]);
    assert.notEqual(now[2], before[2], "it is another process");
    assert.equal(await pending(), null);

    const { trigger, restartedServiceId, commitHash, commitMessage, rollbackOf } = done;
    assert.deepEqual([trigger, restartedServiceId, commitHash, rollbackOf], ["restart", web, commit, null]);
    assert.equal(commitMessage, first.commitMessage);
    assert.deepEqual([done.environmentId, done.environments[0].plan], [environmentId, null]);
    const [service, ...others] = done.services;
    assert.deepEqual(others, []);
    const { artifact } = first.services.find(({ id }: { id: string }) => id === web);
    assert.deepEqual([service.id, service.artifact, service.buildStartedAt], [web, artifact, null]);
    assert.doesNotMatch((await admin.get(`/v1/deployments/${done.id}/logs`)).text, /it is built/);

    const { body: audit } = await admin.get(`/v1/audit-entries?resourceId=${done.id}`);
    assert.deepEqual(
      audit.auditEntries.map(({ action, details }: { action: string; details: { after: unknown } }) => [
        action,
        details.after,
      ]),
      [["deployment.created", { restartedServiceId: web }]],
    );
    const events = await until(async () => {
      const { body: feed } = await admin.get(`/v1/events?subjectId=${done.id}&limit=100`);
      return feed.events.length < 4 ? null : feed.events;
    }, "its events are numbered");
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      [
        "deployment.created",
        "deployment.deploying",
        "deployment.environment_succeeded",
        "deployment.succeeded",
      ],
    );
    assert.equal(events[0].serviceId, web);
    assert.equal(events[0].data.trigger, "restart");

    // The deployment of the commit stays what is live, and the git host knows no other.
    const plan = await admin.get(`/v1/deployments/${first.id}/rollback-plan`);
    assert.equal(plan.body.environments[0].isLive, true);
    assertRefused(
      await admin.post(`/v1/deployments/${done.id}/rollback`, {}),
      409,
      "DEPLOYMENT_NOT_RESTORABLE",
    );
    const { body: hosted } = await admin.get("/sandbox/git/repositories/restart/reports");
    const reported: readonly { readonly url: string | null }[] = hosted.statuses;
    assert.ok(reported.length > 0);
    assert.ok(
      reported.every(({ url }) => url?.endsWith(first.id)),
      JSON.stringify(reported),
    );
  });

  it("leaves the old release in place if the new one does not start", async () => {
    const { web, set } = await create("restart-fails", [WEB]);
    const before = (await getPage(instance, web)).body;
    await set({ FAULT: "1" });
    const { services } = await restartNow(web, "ERROR");
    assert.equal(services[0].status, "ERROR");
    assert.equal((await getPage(instance, web)).body, before);
    await set({ FAULT: "" });
    await restartNow(web);
    assert.notEqual((await getPage(instance, web)).body, before);
  });

  it("is refused where there is no process, and while a deployment may replace it", async () => {
    const slow = { ...WEB, buildCommand: "while ! test -e go; do sleep 0.1; done; echo x > built.txt" };
    const { ids, web } = await create("restart-refused", [WEB, SITE, ELSEWHERE], false);
    for (const id of ["web", "site", "elsewhere"])
      assertRefused(await restart(ids[id] ?? ""), 409, "SERVICE_NOT_RESTARTABLE");
    assertRefused(await restart("svc_unknown"), 404, "NOT_FOUND");
    await ended(admin, await deploy(admin, "restart-refused"));
    assertRefused(await restart(ids["site"] ?? ""), 409, "SERVICE_NOT_RESTARTABLE");
    await push(instance, "restart-refused", withConfig(configOf([slow, SITE, ELSEWHERE]), FILES));
    const id = await deploy(admin, "restart-refused");
    await until(async () => (await read(id)).status === "BUILDING", "it is built");
    await assertUnderWay(web, id);
    await admin.post(`/v1/deployments/${id}/cancel`, {});
    await ended(admin, id, "CANCELLED");
    await restartNow(web);
  });

  it("waits for the approval of its environment, and supersedes nothing", async () => {
    const other = { ...WEB, id: "other" };
    const { ids, web, set, environmentId, commit } = await create("restart-held", [WEB, other]);
    const starter = await createUserClient(admin, "developer");
    const changed = await admin.patch(`/v1/environments/${environmentId}`, {
      protection: { approval: { approvers: "developer" } },
    });
    assert.equal(changed.status, 200, changed.text);
    const untilHeld = async (id: string) =>
      await until(async () => (await read(id)).status === "PENDING_APPROVAL", `${id} waits`);
    await push(instance, "restart-held", withConfig(configOf([WEB]), { ...FILES, more: "2" }));
    const held = await deploy(starter, "restart-held");
    await untilHeld(held);
    await assertUnderWay(web, held);
    await admin.post(`/v1/deployments/${held}/reject`, {});
    await ended(admin, held, "CANCELLED");
    await set({ GREETING: "moin" });
    const { body: first } = await restart(web, starter);
    const { body: second } = await restart(ids["other"] ?? "", starter);
    for (const { id, status } of [first, second]) {
      assert.equal(status, "PENDING_APPROVAL");
      assert.equal((await read(id)).status, "PENDING_APPROVAL");
    }
    await assertUnderWay(web, first.id);
    const approve = (id: string, client = admin) => client.post(`/v1/deployments/${id}/approve`, {});
    assertRefused(await approve(first.id, starter), 403, "SECOND_PERSON_REQUIRED");
    for (const { id } of [second, first]) assert.equal((await approve(id)).status, 200);
    for (const { id } of [first, second]) assert.equal((await ended(admin, id)).commitHash, commit);
    assert.match((await getPage(instance, web)).body, /^hello moin /);

    const { body: third } = await restart(web, starter);
    await untilHeld(third.id);
    const newer = await deploy(starter, "restart-held");
    await ended(admin, third.id, "SUPERSEDED");
    await untilHeld(newer);
  });
});
