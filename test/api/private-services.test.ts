/** Services without a public address: what reaches them, and what must come before. */
import assert from "node:assert/strict";
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
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

/** Answers with what the service of `API` answers, and at `/self` with a word of its own. */
const SERVER = `
const { API, API_HOST, API_PORT, WORD } = process.env;
require("node:http").createServer(async (request, response) => {
  if (request.url !== "/page") return response.end(WORD ?? "nothing");
  const [one, two] = await Promise.all([API, \`http://\${API_HOST}:\${API_PORT}\`].map((url) => fetch(url)));
  response.end(\`\${await one.text()} \${await two.text()}\`);
}).listen(process.env.PORT, "127.0.0.1");`;
const FILES = { "server.js": SERVER };
const of = (id: string, value: string) => ({ fromService: { id, value } });
const api = {
  id: "api",
  type: "web-private",
  startCommand: ["node", "server.js"],
  port: 3000,
  envVariables: { WORD: "private" },
};
const web = {
  id: "web",
  type: "web",
  startCommand: "node server.js",
  port: 3000,
  envVariables: { API: of("api", "url"), API_HOST: of("api", "host"), API_PORT: of("api", "port") },
};

describe("a private service", () => {
  let instance: Instance;
  let awsAccountId: string;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  const deployed = async (name: string, config: object, status?: string) => {
    await push(instance, name, withConfig(config, FILES));
    const projectId = await createIacProject(instance.admin, name);
    const deployment = await ended(instance.admin, await deploy(instance.admin, name), status);
    return { projectId, deployment, ids: await listServices(instance.admin, projectId) };
  };
  const errorsOf = (deployment: { services: { configId: string; error: { code: string } | null }[] }) =>
    Object.fromEntries(deployment.services.map(({ configId, error }) => [configId, error?.code ?? null]));

  it("is reached by services of its environment only, and has neither a distribution nor domains", async () => {
    const { admin } = instance;
    const { ids } = await deployed("shop", configOf([web, api]));
    const { api: id = "", web: webId = "" } = ids;
    assert.equal((await getPage(instance, webId, "/page")).body, "private private");
    const shown = (await admin.get(`/v1/services/${id}`)).body;
    assert.deepEqual([shown.type, shown.cdnDomainName], ["web-private", null]);
    assert.equal(shown.settings.isPrivate, undefined);
    const { distributions } = await stateOf(admin, awsAccountId);
    assert.equal(distributions.length, 1, "only the public service has one");
    const added = await admin.post(`/v1/services/${id}/domain-certificate-groups`, {
      name: "a",
      domains: ["api.example.com"],
    });
    assert.deepEqual([added.status, added.body.code], [422, "SERVICE_TAKES_NO_DOMAINS"], added.text);
    assert.match(added.body.detail, /is private: only services of its environment reach it/);
    const traffic = await admin.get(`/v1/services/${id}/traffic`);
    assert.match(traffic.body.problem, /private/);
    const health = await admin.get(`/v1/services/${id}/health`);
    assert.equal(health.body.health, "RUNNING");
    const restarted = await admin.post(`/v1/services/${id}/restart`, {});
    assert.equal(restarted.status, 201, restarted.text);
    await ended(admin, restarted.body.id);
    assert.equal((await getPage(instance, webId, "/page")).body, "private private");
  });

  it("cannot become a public one", async () => {
    const { admin } = instance;
    await deployed("fixed", configOf([api]));
    await push(instance, "fixed", withConfig(configOf([{ ...api, type: "web" }]), FILES));
    const { error } = await ended(admin, await deploy(admin, "fixed"), "ERROR");
    assert.match(JSON.stringify(error), /web-private and cannot change; give the service another id/);
  });

  it("is released before what refers to it, and may be known to its whole environment", async () => {
    const config = configOf([web, api], { envVariables: { ANY: of("api", "url") } });
    const { deployment } = await deployed("all", config);
    assert.deepEqual(errorsOf(deployment), { api: null, web: null });
  });

  it("that needs what needs it ends the first deployment with the reason", async () => {
    const other = { ...api, id: "other", envVariables: { API: of("api", "url") } };
    const circle = configOf([{ ...api, envVariables: { OTHER: of("other", "url") } }, other]);
    const { deployment } = await deployed("circle", circle, "ERROR");
    assert.deepEqual(errorsOf(deployment), {
      api: "SERVICE_HAS_NO_ADDRESS",
      other: "SERVICE_HAS_NO_ADDRESS",
    });
    const { message } = deployment.services[0].error;
    assert.match(message, /OTHER leads to the private service other, which has no live release/);
    const depends = configOf([web, { ...api, dependsOn: ["web"] }]);
    assert.deepEqual(errorsOf((await deployed("depends", depends, "ERROR")).deployment), {
      api: "DEPENDENCY_FAILED",
      web: "SERVICE_HAS_NO_ADDRESS",
    });
  });
});
