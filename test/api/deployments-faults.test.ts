/** Deployments whose commit is broken, or that are stopped half-way: what was in service stays there, whole. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
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
import { type Instance, startInstance } from "../helpers/instance.ts";
import { keepAsking } from "../helpers/keep-asking.ts";
import { listProcessesIn } from "../helpers/sandbox/processes-in.ts";
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const PATH = "/v1/deployments";
const HEALTH_TIMEOUT_MS = 3_000;

const web = (id: string, more: object = {}) => ({
  id,
  type: "web",
  startCommand: "node server.js",
  healthCheckPath: "/health",
  port: 3000,
  ...more,
});
const site = (id: string, more: object = {}) => ({ id, type: "static", outputDirectory: "public", ...more });
const page = (text: string) => ({ "public/index.html": text });

/** A server that says a word, and what it calls its process at `/id`; it kills it at `/kill`. */
const saying = (word: string) => ({
  "server.js": `const id = require("node:crypto").randomUUID();
    require("node:http").createServer((request, response) =>
      request.url === "/kill"
        ? process.kill(process.pid, "SIGKILL")
        : response.end(request.url === "/id" ? id : ${JSON.stringify(word)}),
    ).listen(process.env.PORT, "127.0.0.1");`,
});
/** A service that runs but is never healthy. */
const SICK = {
  "server.js": `console.log("not well"); require("node:http").createServer((request, response) =>
    response.writeHead(503).end("sick"),
  ).listen(process.env.PORT, "127.0.0.1");`,
};

describe("a deployment that goes wrong", { concurrency: 3 }, () => {
  let instance: Instance;
  before(async () => {
    const platform = { ...instantTuning.platform, healthTimeoutMs: HEALTH_TIMEOUT_MS, buildsAtOnce: 4 };
    instance = await startInstance({ tuning: { platform } });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  /** A project whose first commit is in service. */
  async function start(name: string, services: readonly object[], files: Record<string, string>) {
    await push(instance, name, withConfig(configOf(services), files));
    const projectId = await createIacProject(instance.admin, name);
    const first = await ended(instance.admin, await deploy(instance.admin, name));
    return { first, ids: await listServices(instance.admin, projectId) };
  }
  const read = async (id: string) => (await instance.admin.get(`${PATH}/${id}`)).body;
  const untilService = (id: string, configId: string, status: string) =>
    until(async () => {
      const { services } = await read(id);
      return services.some(
        (one: { configId: string; status: string }) => one.configId === configId && one.status === status,
      );
    }, `the service ${configId} is ${status}`);
  const statusesOf = (deployment: { services: { configId: string; status: string }[] }) =>
    Object.fromEntries(deployment.services.map(({ configId, status }) => [configId, status]));
  async function linesOf(id: string): Promise<readonly string[]> {
    const { body } = await instance.admin.get(`${PATH}/${id}/logs`);
    return body.lines.map(({ text }: { text: string }) => text);
  }

  it("whose health check never succeeds leaves the old release live, without a failed request", async () => {
    const { first, ids } = await start("sick", [web("api")], saying("well"));
    await push(instance, "sick", withConfig(configOf([web("api")]), SICK));
    const load = keepAsking(() => getPage(instance, ids["api"] ?? ""));
    const done = await ended(instance.admin, await deploy(instance.admin, "sick"), "ERROR");
    const { asked, failed } = await load.stop();
    assert.ok(asked > 20, `only ${asked} requests`);
    assert.deepEqual(failed, []);
    assert.equal(done.error.code, "RELEASE_FAILED");
    const [service] = done.services;
    assert.equal(service.error.code, "HEALTH_CHECK_FAILED");
    assert.match(service.error.message, /\/health did not succeed within 3 s: it answered with status 503/);
    assert.ok((await linesOf(done.id)).includes("not well"));
    assert.equal((await getPage(instance, ids["api"] ?? "")).body, "well");

    const back = await instance.admin.post(`${PATH}/${first.id}/rollback`);
    assert.equal(back.status, 201, JSON.stringify(back.body));
    await ended(instance.admin, back.body.deployment.id);
    assert.equal((await getPage(instance, ids["api"] ?? "")).body, "well");
  });

  it("in one of its services continues with the services that do not depend on it", async () => {
    const services = [
      web("api"),
      site("docs", { dependsOn: ["api"] }),
      site("shop"),
      site("later", { dependsOn: ["docs"] }),
    ];
    await push(instance, "part", withConfig(configOf(services), { ...SICK, ...page("new") }));
    const projectId = await createIacProject(instance.admin, "part");
    const ids = await listServices(instance.admin, projectId);
    const done = await ended(instance.admin, await deploy(instance.admin, "part"), "ERROR");
    assert.deepEqual(statusesOf(done), {
      api: "ERROR",
      docs: "CANCELLED",
      shop: "SUCCESS",
      later: "CANCELLED",
    });
    assert.equal((await getPage(instance, ids["shop"] ?? "")).body, "new");
    assert.equal((await getPage(instance, ids["api"] ?? "")).status, 503);
  });

  it("is cancelled while it waits, builds or releases, but not once it is live", async () => {
    const services = [site("site"), web("api", { dependsOn: ["site"] })];
    const { ids } = await start("cancel", services, { ...saying("old"), ...page("old") });
    const cancel = (id: string) => instance.admin.post(`${PATH}/${id}/cancel`);
    const slow = [site("site", { buildCommand: "sleep 300" }), web("api")];
    await push(instance, "cancel", withConfig(configOf(slow), { ...saying("slow"), ...page("slow") }));
    const building = await deploy(instance.admin, "cancel");
    await untilService(building, "site", "BUILDING");
    const waiting = await deploy(instance.admin, "cancel");
    await until(async () => (await read(waiting)).environments.length === 1, "the second waits");

    assert.equal((await cancel(waiting)).status, 202);
    const unbegun = await ended(instance.admin, waiting, "CANCELLED");
    assert.deepEqual(unbegun.services, []);
    assert.equal((await read(building)).status, "BUILDING");

    assert.equal((await cancel(building)).status, 202);
    const unbuilt = await ended(instance.admin, building, "CANCELLED");
    assert.deepEqual([...new Set(Object.values(statusesOf(unbuilt)))], ["CANCELLED"]);
    assert.equal((await getPage(instance, ids["site"] ?? "")).body, "old");

    await push(instance, "cancel", withConfig(configOf(services), { ...SICK, ...page("new") }));
    const releasing = await deploy(instance.admin, "cancel");
    await untilService(releasing, "api", "DEPLOYING");
    assert.equal((await cancel(releasing)).status, 202);
    const unreleased = await ended(instance.admin, releasing, "CANCELLED");
    assert.deepEqual(statusesOf(unreleased), { site: "SUCCESS", api: "CANCELLED" });
    assert.match(unreleased.error.message, /site had already been released.*The new releases stay live/);
    assert.equal((await getPage(instance, ids["site"] ?? "")).body, "new");
    assert.equal((await getPage(instance, ids["api"] ?? "")).body, "old");

    assertRefused(await cancel(releasing), 409, "DEPLOYMENT_ENDED");
  });

  it("cancelled the moment it was accepted ends, and has released nothing or everything", async () => {
    const { ids } = await start("atonce", [site("site")], page("old"));
    await push(instance, "atonce", withConfig(configOf([site("site")]), page("new")));
    const id = await deploy(instance.admin, "atonce");
    await instance.admin.post(`${PATH}/${id}/cancel`);
    const done = await until(async () => {
      const seen = await read(id);
      return (seen.status === "CANCELLED" || seen.status === "SUCCESS") && seen;
    }, "the deployment ends");
    const { body } = await getPage(instance, ids["site"] ?? "");
    assert.equal(body, done.status === "SUCCESS" ? "new" : "old");
  });

  it("does not follow from many racing deployments: the newest is live, and each has a valid end", async () => {
    const { ids } = await start("race", [web("api")], saying("0"));
    const load = keepAsking(() => getPage(instance, ids["api"] ?? ""));
    const accepted: { id: string; word: string }[] = [];
    for (let round = 1; round <= 4; round += 1) {
      await push(instance, "race", withConfig(configOf([web("api")]), saying(String(round))));
      const both = await Promise.all([deploy(instance.admin, "race"), deploy(instance.admin, "race")]);
      accepted.push(...both.map((id) => ({ id, word: String(round) })));
    }
    const all = await Promise.all(
      accepted.map(({ id }) =>
        until(
          async () => {
            const seen = await read(id);
            return seen.endedAt !== null && seen;
          },
          `the deployment ${id} ends`,
          60_000,
        ),
      ),
    );
    const newest = accepted
      .map(({ id }) => id)
      .toSorted()
      .at(-1);
    for (const { id, status } of all) {
      assert.ok(status === "SUCCESS" || (status === "SUPERSEDED" && id !== newest), `${id} is ${status}`);
    }
    assert.equal((await getPage(instance, ids["api"] ?? "")).body, "4");
    const { failed } = await load.stop();
    assert.deepEqual(failed, []);
  });

  it("does not include a process that dies later: it is restarted, after growing pauses", async () => {
    const { first, ids } = await start("mortal", [web("api")], saying("alive"));
    const api = ids["api"] ?? "";
    const processes = [(await getPage(instance, api, "/id")).body];
    for (let death = 0; death < 2; death += 1) {
      await getPage(instance, api, "/kill");
      processes.push(
        await until(async () => {
          const answer = await getPage(instance, api, "/id");
          return answer.status === 200 && answer.body !== processes.at(-1) && answer.body;
        }, "another process answers"),
      );
    }
    assert.equal(new Set(processes).size, 3);
    const log = (await linesOf(first.id)).join("\n");
    assert.match(log, /was ended by SIGKILL\. It is restarted in 50 ms\./);
    assert.match(log, /was ended by SIGKILL\. It is restarted in 100 ms\./);
    assert.equal((await read(first.id)).status, "SUCCESS");
  });
});

describe("a deployment that does not end", { concurrency: 2 }, () => {
  let instance: Instance;
  before(async () => {
    const env = { SLIPWAY_BUILD_LIMIT: "10s", SLIPWAY_RELEASE_LIMIT: "3s" };
    instance = await startInstance({ env });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  async function run(name: string, service: object, files: Record<string, string>, status: string) {
    await push(instance, name, withConfig(configOf([service]), files));
    await createIacProject(instance.admin, name);
    const done = await ended(instance.admin, await deploy(instance.admin, name), status);
    return { done, error: done.services[0].error };
  }

  it("in its build is stopped at the limit, with all processes of the build", async () => {
    const service = site("site", { buildCommand: "sleep 600 & echo hanging; sleep 600; wait" });
    const { done, error } = await run("hangs", service, page("never"), "BUILD_ERROR");
    assert.equal(error.code, "TIMED_OUT");
    assert.match(error.message, /longer than its limit of 10 seconds/);
    const { body } = await instance.admin.get(`${PATH}/${done.id}/logs`);
    const lines = body.lines.map(({ text }: { text: string }) => text);
    assert.ok(
      lines.includes("hanging") && lines.includes("The time limit of 10 s has passed."),
      String(lines),
    );
    const folder = path.join(instance.dataDir, "sandbox", "platform");
    await until(
      () => listProcessesIn(folder).every(({ command }) => !command.includes("sleep")),
      "it is dead",
    );
  });

  it("in its release is stopped at the limit, however long the platform would wait", async () => {
    const { done, error } = await run("limps", web("api"), SICK, "ERROR");
    assert.equal(done.error.code, "RELEASE_FAILED");
    assert.equal(error.code, "RELEASE_TIMED_OUT");
    assert.match(error.message, /did not go live within 3 seconds/);
    const folder = path.join(instance.dataDir, "sandbox", "platform");
    await until(
      () => listProcessesIn(folder).every(({ command }) => !command.includes("server.js")),
      "it is dead",
    );
  });
});
