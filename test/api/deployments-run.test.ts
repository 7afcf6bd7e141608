import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
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
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

const PATH = "/v1/deployments";
const CHECKOUT_MAX_BYTES = 500_000;
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const page = (text: string) => ({ "public/index.html": `<h1>${text}</h1>` });

/** A server that answers with a variable. */
const SERVER = `
console.log("listening on", process.env.PORT);
require("node:http")
  .createServer((request, response) => response.end(JSON.stringify({
    greeting: process.env.GREETING ?? null, api: process.env.API_URL ?? null, version: process.env.VERSION ?? null,
  })))
  .listen(process.env.PORT, "127.0.0.1");
`;
const webService = (id: string, more: object = {}) => ({
  id,
  type: "web",
  startCommand: "node server.js",
  port: 3000,
  ...more,
});

describe("a deployment in the sandbox", () => {
  let instance: Instance;
  before(async () => {
    const platform = { ...instantTuning.platform, checkoutMaxBytes: CHECKOUT_MAX_BYTES };
    instance = await startInstance({ tuning: { platform } });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  it("serves the files of its commit, and a rollback those of an earlier one", async () => {
    const { admin } = instance;
    await push(instance, "site", withConfig(configOf([SITE]), page("one")));
    const projectId = await createIacProject(admin, "site");
    const { site = "" } = await listServices(admin, projectId);
    const first = await ended(admin, await deploy(admin, "site"));
    assert.equal((await getPage(instance, site)).body, "<h1>one</h1>");
    assert.deepEqual(first.environments[0].plan, {
      environment: [],
      created: [],
      changed: [],
      removed: [],
      unchanged: ["site"],
      kept: [],
    });
    assert.equal(first.services[0].status, "SUCCESS");
    assert.ok(first.startedAt <= first.services[0].buildStartedAt);
    assert.ok(first.services[0].buildEndedAt <= first.services[0].releaseStartedAt);
    assert.ok(first.services[0].endedAt <= first.endedAt);

    await push(instance, "site", withConfig(configOf([SITE]), page("two")));
    assert.equal((await getPage(instance, site)).body, "<h1>one</h1>", "a push changes nothing");
    const second = await ended(admin, await deploy(admin, "site"));
    assert.equal((await getPage(instance, site)).body, "<h1>two</h1>");

    const back = await admin.post(`${PATH}/${first.id}/rollback`);
    assert.equal(back.status, 201, JSON.stringify(back.body));
    assert.match(back.body.notRestored.join("\n"), /Variables set with the API/);
    assert.equal(back.body.deployment.rollbackOf, first.id);
    const third = await ended(admin, back.body.deployment.id);
    assert.equal((await getPage(instance, site)).body, "<h1>one</h1>");
    assert.equal(third.commitHash, first.commitHash);
    assert.equal(third.services[0].artifact, first.services[0].artifact);
    assert.equal(third.services[0].buildStartedAt, null, "nothing was built again");
    assert.notEqual(second.commitHash, third.commitHash);
    const listed = await admin.get(
      `${PATH}?environmentId=${first.environments[0].id}&status=SUCCESS&order=desc`,
    );
    assert.deepEqual(
      listed.body.deployments.map(({ id }: { id: string }) => id),
      [third.id, second.id, first.id],
    );
  });

  it("runs the processes of its services in order, with variables of service over environment and links", async () => {
    const { admin } = instance;
    const services = [
      webService("front", { envVariables: { API_URL: { fromService: { id: "api", value: "url" } } } }),
      webService("api", { envVariables: { GREETING: "from the service" } }),
    ];
    const more = { envVariables: { GREETING: "from the environment", VERSION: "1" } };
    await push(instance, "processes", withConfig(configOf(services, more), { "server.js": SERVER }));
    const projectId = await createIacProject(admin, "processes");
    const { front = "", api = "" } = await listServices(admin, projectId);
    await until(async () => {
      const { body } = await admin.get(`/v1/services/${api}`);
      return body.cdnDomainName !== null;
    }, "the link has its first value");
    const effective = `/v1/services/${front}/env-variables/effective`;
    const linked = admin
      .get(effective, { prefer: "wait=60" })
      .then(({ body }) => ({ envVariables: body.envVariables, at: Date.now() }));
    const done = await ended(admin, await deploy(admin, "processes"));
    const service = (id: string) => done.services.find((one: { id: string }) => one.id === id);
    const { envVariables, at } = await linked;
    const link = envVariables.find(({ name }: { name: string }) => name === "API_URL");
    assert.equal(link.value, service(api).url);
    assert.ok(at - Date.parse(service(api).endedAt) < 2_000, "the release ended the wait, not the next look");
    assert.ok(service(api).endedAt <= service(front).releaseStartedAt, "a link is waited for");
    const answer = async (id: string) => JSON.parse((await getPage(instance, id)).body);
    assert.deepEqual(await answer(api), { greeting: "from the service", api: null, version: "1" });
    assert.deepEqual(await answer(front), {
      greeting: "from the environment",
      api: service(api).url,
      version: "1",
    });

    const set = await admin.post(`/v1/services/${api}/env-variables`, { plainText: { VERSION: "2" } });
    assert.equal(set.status, 200);
    assert.equal((await answer(api)).version, "1", "a variable waits for the next deployment");
    const load = keepAsking(() => getPage(instance, api));
    const again = await ended(admin, await deploy(admin, "processes"));
    assert.equal((await answer(api)).version, "2");
    const { asked, failed } = await load.stop();
    assert.ok(asked > 10, `only ${asked} requests`);
    assert.deepEqual(failed, [], "no request fails during the switch");

    const logs = await until(async () => {
      const { body } = await admin.get(`${PATH}/${again.id}/logs?serviceId=${api}`);
      return body.lines.some(({ text }: { text: string }) => text.startsWith("listening on")) && body;
    }, "the process's output is in the log");
    assert.ok(logs.lines.every((line: { service: string }) => line.service === "api"));
    const rest = await admin.get(`${PATH}/${again.id}/logs?serviceId=${api}&cursor=${logs.nextCursor}`);
    assert.equal(rest.status, 200, JSON.stringify(rest.body));
    assert.deepEqual(rest.body.lines, []);
  });

  it("streams its log live until it ends", async () => {
    const { admin } = instance;
    const built = { ...SITE, buildCommand: "echo building now" };
    await push(instance, "live", withConfig(configOf([built]), page("live")));
    await createIacProject(admin, "live");
    const id = await deploy(admin, "live");
    const stream = await fetch(`${instance.url}${PATH}/${id}/logs`, {
      headers: { authorization: `Bearer ${admin.key}`, accept: "text/event-stream" },
    });
    assert.equal(stream.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const text = await stream.text();
    const events = text.split("\n\n").filter((event) => event.startsWith("event: "));
    assert.match(events[0] ?? "", /^event: status\n/);
    assert.ok(
      events.some((event) => event.startsWith("event: line\n") && event.includes("building now")),
      text,
    );
    assert.match(events.at(-1) ?? "", /^event: end\ndata: {"status":"SUCCESS"}$/);

    const unknown = await fetch(`${instance.url}${PATH}/depl_01h455vb4pex5vsknk084sn02q/logs`, {
      headers: { authorization: `Bearer ${admin.key}`, accept: "text/event-stream" },
    });
    assert.equal(unknown.status, 404);
    assert.match(unknown.headers.get("content-type") ?? "", /problem\+json/);
  });

  it("adds, changes and removes services, and says so in its plan", async () => {
    const { admin } = instance;
    const other = { ...SITE, id: "other" };
    await push(instance, "plan", withConfig(configOf([SITE, other]), page("one")));
    const projectId = await createIacProject(admin, "plan");
    await ended(admin, await deploy(admin, "plan"));
    const { other: otherId = "" } = await listServices(admin, projectId);
    const changed = { ...SITE, outputDirectory: "site" };
    const files = { "site/index.html": "moved", "public/index.html": "new" };
    await push(instance, "plan", withConfig(configOf([changed, { ...SITE, id: "new" }]), files));
    const done = await ended(admin, await deploy(admin, "plan"));
    assert.deepEqual(done.environments[0].plan, {
      environment: [],
      created: ["new"],
      changed: [{ service: "site", fields: ["outputDirectory"] }],
      removed: ["other"],
      unchanged: [],
      kept: [],
    });
    const services = await listServices(admin, projectId);
    assert.deepEqual(Object.keys(services).toSorted(), ["new", "site"]);
    assert.equal((await getPage(instance, services["site"] ?? "")).body, "moved");
    assert.equal((await getPage(instance, services["new"] ?? "")).body, "new");
    assertRefused(await admin.get(`/v1/services/${otherId}`), 404, "NOT_FOUND");
  });

  it("wakes readers of what it changes and removes", async () => {
    const { admin } = instance;
    const other = { ...SITE, id: "other" };
    await push(instance, "awaited", withConfig(configOf([SITE, other]), page("one")));
    const projectId = await createIacProject(admin, "awaited");
    const { site = "", other: gone = "" } = await listServices(admin, projectId);
    for (const id of [site, gone]) await getPage(instance, id);
    const { body: before } = await admin.get(`/v1/services/${site}`);
    const changed = { ...SITE, name: "Renamed" };
    const more = { name: "Renamed", envVariables: { GREETING: "new" } };
    await push(instance, "awaited", withConfig(configOf([changed], more), page("two")));
    const wait = async (path: string) => {
      const { status, body } = await admin.get(path, { prefer: "wait=60" });
      return { status, body, at: Date.now() };
    };
    const environment = `/v1/environments/${before.environmentId}`;
    const waiting = Promise.all([
      wait(environment),
      wait(`/v1/services/${site}`),
      wait(`${environment}/env-variables`),
      wait(`/v1/services/${gone}`),
    ]);
    const { endedAt } = await ended(admin, await deploy(admin, "awaited"));
    const [renamed, service, variables, removed] = await waiting;
    assert.deepEqual([renamed.body.name, service.body.name], ["Renamed", "Renamed"]);
    assert.equal(variables.body.envVariables[0].value, "new");
    assert.equal(removed.status, 404, JSON.stringify(removed.body));
    const appliedAt = Date.parse(renamed.body.updatedAt);
    for (const { at } of [renamed, service, variables])
      assert.ok(at - appliedAt < 3_000, "the change ended the wait, not the next look");
    assert.ok(removed.at - Date.parse(endedAt) < 3_000);
  });

  it("does not remove a service that has domain groups or that variables link to, and names them", async () => {
    const { admin } = instance;
    const other = { ...SITE, id: "other" };
    await push(instance, "domains", withConfig(configOf([SITE, other]), page("one")));
    const projectId = await createIacProject(admin, "domains");
    const { other: otherId = "" } = await listServices(admin, projectId);
    const group = { domains: ["www.kept.example.com"] };
    assert.equal((await admin.post(`/v1/services/${otherId}/domain-certificate-groups`, group)).status, 201);
    await push(instance, "domains", withConfig(configOf([SITE]), page("two")));
    const done = await ended(admin, await deploy(admin, "domains"), "ERROR");
    assert.equal(done.error.code, "SERVICE_HAS_DOMAINS");
    assert.match(done.error.message, /other \(www\.kept\.example\.com\)/);
    assert.deepEqual(done.services, [], "nothing was built");
    assert.equal((await admin.get(`/v1/services/${otherId}`)).status, 200);

    const linked = { id: "linked", type: "external", hostname: "linked.example.com" };
    await push(instance, "links", withConfig(configOf([SITE, linked]), page("one")));
    const { site, linked: linkedId } = await listServices(admin, await createIacProject(admin, "links"));
    const variables = `/v1/services/${site}/env-variables`;
    const link = { fromService: { LINK: { id: linkedId, value: "url" } } };
    assert.equal((await admin.post(variables, link)).status, 200);
    await push(instance, "links", withConfig(configOf([SITE]), page("two")));
    const refused = await ended(admin, await deploy(admin, "links"), "ERROR");
    assert.equal(refused.error.code, "SERVICE_IS_LINKED");
    assert.match(refused.error.message, /linked \(LINK of site\)/);
    assert.deepEqual(refused.services, [], "nothing was built");
    assert.equal((await admin.get(variables)).body.envVariables.length, 1, "nothing is lost");
    assert.equal((await admin.delete(`${variables}/LINK`)).status, 204);
    await ended(admin, await deploy(admin, "links"));
    assert.equal((await admin.get(`/v1/services/${linkedId}`)).status, 404);
  });

  it("ends with every fault of an invalid configuration, and what cannot change", async () => {
    const { admin } = instance;
    await push(instance, "faults", withConfig(configOf([SITE]), page("one")));
    await createIacProject(admin, "faults");
    await push(
      instance,
      "faults",
      withConfig(configOf([{ id: "site", type: "static" }, { id: 1 }]), page("two")),
    );
    const invalid = await ended(admin, await deploy(admin, "faults"), "ERROR");
    assert.equal(invalid.error.code, "CONFIG_INVALID");
    assert.deepEqual(
      invalid.error.faults.map(({ path }: { path: string }) => path),
      ["/environments/0/services/0/outputDirectory", "/environments/0/services/1/type"],
    );
    await push(
      instance,
      "faults",
      withConfig(
        configOf([{ ...SITE, type: "external", hostname: "a.example.com", outputDirectory: undefined }], {
          region: "eu-west-1",
        }),
        page("x"),
      ),
    );
    const fixed = await ended(admin, await deploy(admin, "faults"), "ERROR");
    assert.equal(fixed.error.code, "CONFIG_NOT_APPLICABLE");
    assert.deepEqual(
      fixed.error.faults.map(({ path }: { path: string }) => path),
      ["/environments/0/region", "/environments/0/services/0/type"],
    );
    await push(instance, "faults", page("no configuration"));
    const missing = await ended(admin, await deploy(admin, "faults"), "ERROR");
    assert.equal(missing.error.code, "CONFIG_FILE_NOT_FOUND");
  });

  it("is refused for a repository that is too large, with the limit", async () => {
    const { admin } = instance;
    const large = {
      "public/index.html": "<h1>one</h1>",
      "public/large.bin": randomBytes(CHECKOUT_MAX_BYTES),
    };
    await push(instance, "large", withConfig(configOf([SITE]), large));
    await createIacProject(admin, "large");
    const done = await ended(admin, await deploy(admin, "large"), "BUILD_ERROR");
    const { error } = done.services[0];
    assert.equal(error.code, "REPOSITORY_TOO_LARGE");
    assert.match(error.message, new RegExp(String(CHECKOUT_MAX_BYTES)));
  });

  it("releases nothing when a build fails", async () => {
    const { admin } = instance;
    const services = [SITE, { ...SITE, id: "broken", buildCommand: "echo no luck && exit 3" }];
    await push(instance, "broken", withConfig(configOf([SITE]), page("one")));
    const projectId = await createIacProject(admin, "broken");
    await ended(admin, await deploy(admin, "broken"));
    await push(instance, "broken", withConfig(configOf(services), page("two")));
    const done = await ended(admin, await deploy(admin, "broken"), "BUILD_ERROR");
    const statuses = done.services.map((one: { configId: string; status: string }) => [
      one.configId,
      one.status,
    ]);
    assert.deepEqual(Object.fromEntries(statuses), { site: "CANCELLED", broken: "BUILD_ERROR" });
    const { site = "" } = await listServices(admin, projectId);
    assert.equal((await getPage(instance, site)).body, "<h1>one</h1>");
    assertRefused(await admin.post(`${PATH}/${done.id}/rollback`), 409, "DEPLOYMENT_NOT_RESTORABLE");
    assertRefused(await admin.post(`${PATH}/${done.id}/cancel`), 409, "DEPLOYMENT_ENDED");
  });

  it("waits for the previous one, supersedes waiting ones, and can be cancelled", async () => {
    const { admin } = instance;
    const slow = { ...SITE, buildCommand: "sleep 60" };
    await push(instance, "queue", withConfig(configOf([slow]), page("slow")));
    const projectId = await createIacProject(admin, "queue");
    const first = await deploy(admin, "queue");
    await until(
      async () => (await admin.get(`${PATH}/${first}`)).body.services[0]?.status === "BUILDING",
      "the first builds",
    );
    await push(instance, "queue", withConfig(configOf([SITE]), page("quick")));
    const second = await deploy(admin, "queue");
    await until(
      async () => (await admin.get(`${PATH}/${second}`)).body.environments.length === 1,
      "the second waits",
    );
    const third = await deploy(admin, "queue");
    await ended(admin, second, "SUPERSEDED");
    const waiting = (await admin.get(`${PATH}/${third}`)).body;
    assert.equal(waiting.status, "PENDING");
    assert.equal(waiting.statusReason, `The environment production is busy with the deployment ${first}.`);
    const cancelled = await admin.post(`${PATH}/${first}/cancel`);
    assert.equal(cancelled.status, 202, JSON.stringify(cancelled.body));
    assert.notEqual(cancelled.body.cancelRequestedAt, null);
    await ended(admin, first, "CANCELLED");
    await ended(admin, third);
    const { site = "" } = await listServices(admin, projectId);
    assert.equal((await getPage(instance, site)).body, "<h1>quick</h1>");
  });

  it("continues after a restart of Slipway, and so does what it released", async () => {
    const { admin } = instance;
    const services = [webService("api", { buildCommand: "sleep 2" })];
    await push(instance, "restarted", withConfig(configOf(services), { "server.js": SERVER }));
    const projectId = await createIacProject(admin, "restarted");
    const { api = "" } = await listServices(admin, projectId);
    await ended(admin, await deploy(admin, "restarted"));
    const id = await deploy(admin, "restarted");
    await until(
      async () => (await admin.get(`${PATH}/${id}`)).body.services[0]?.status === "BUILDING",
      "the second builds",
    );
    instance = await instance.restart();
    assert.equal((await getPage(instance, api)).status, 200, "the first is served again");
    await ended(instance.admin, id);
    assert.equal((await getPage(instance, api)).status, 200);
  });

  it("deploys its commit even if the branch was force-pushed or deleted in the meantime", async () => {
    const { admin } = instance;
    const first = withConfig(configOf([SITE]), page("first"));
    await push(instance, "moved", first);
    const projectId = await createIacProject(admin, "moved");
    const { site = "" } = await listServices(admin, projectId);
    const branch = path.join(instance.dataDir, "sandbox", "git", "moved.git", "refs", "heads", "main");
    const forced = await deploy(admin, "moved");
    await rm(branch);
    // A separate history, as after a force-push.
    await push(instance, "moved", withConfig(configOf([SITE]), page("second")));
    await ended(admin, forced);
    assert.equal((await getPage(instance, site)).body, "<h1>first</h1>");
    const deleted = await deploy(admin, "moved");
    await rm(branch);
    await ended(admin, deleted);
    assert.equal((await getPage(instance, site)).body, "<h1>second</h1>");
  });
});
