import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

/** It stays down after `/die`, as long as a file is there. */
const SERVER = `
const { existsSync, writeFileSync } = require("node:fs");
if (existsSync("dead")) process.exit(3);
console.log("listening with", process.env.SECRET);
require("node:http")
  .createServer((request, response) => {
    if (request.url === "/die") { writeFileSync("dead", ""); process.exit(3); }
    console.log("asked for", request.url);
    response.end("fine");
  })
  .listen(process.env.PORT, "127.0.0.1");
`;
const WEB = { id: "web", type: "web", startCommand: "node server.js", port: 3000 };
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const HOST = { id: "host", type: "external", hostname: "origin.example.com" };

describe("a running service", () => {
  let instance: Instance;
  let services: Readonly<Record<string, string>>;
  let deploymentId: string;
  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    const files = { "server.js": SERVER, "public/index.html": "site" };
    await push(instance, "shop", withConfig(configOf([WEB, SITE, HOST]), files));
    services = await listServices(admin, await createIacProject(admin, "shop"));
    const set = await admin.post(`/v1/services/${services["web"]}/env-variables`, {
      secretsManager: { SECRET: "the-managed-value" },
    });
    await until(
      async () =>
        (await admin.get(`/v1/services/${services["web"]}/env-variables/status?runId=${set.body.runId}`)).body
          .isFinished,
      "the value is stored",
    );
  });
  after(() => instance.dispose());

  const health = async (name: string) =>
    (await instance.admin.get(`/v1/services/${services[name]}/health`)).body;
  const logs = async (cursor?: string) => {
    const query = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, body, text } = await instance.admin.get(`/v1/services/${services["web"]}/logs${query}`);
    assert.equal(status, 200, text);
    return body as {
      deploymentId: string | null;
      lines: { text: string; stream: string }[];
      nextCursor: string;
    };
  };

  it("is not deployed before its first deployment, and prints nothing", async () => {
    const expected = { health: "NOT_DEPLOYED", problem: null, internalUrl: null, live: null };
    assert.deepEqual(await health("web"), { serviceId: services["web"], urls: [], ...expected });
    const { deploymentId: id, lines } = await logs();
    assert.deepEqual([id, lines], [null, []]);
  });

  it("says where it is, what is live, and that it runs", async () => {
    deploymentId = await deploy(instance.admin, "shop");
    const deployment = await ended(instance.admin, deploymentId);
    const { body: service } = await instance.admin.get(`/v1/services/${services["web"]}`);
    const seen = await until(async () => {
      const found = await health("web");
      return found.health === "RUNNING" && found;
    }, "it runs");
    assert.deepEqual([seen.problem, seen.urls], [null, [`https://${service.cdnDomainName}`]]);
    assert.match(seen.internalUrl, /^http:/);
    const { commit, commitHash, commitMessage, branch } = deployment;
    assert.deepEqual(
      [
        seen.live.deploymentId,
        seen.live.commit,
        seen.live.commitHash,
        seen.live.commitMessage,
        seen.live.branch,
      ],
      [deploymentId, commit, commitHash, commitMessage, branch],
    );
    assert.equal((await health("site")).health, "RUNNING");
    const { health: ofHost, problem } = await health("host");
    assert.deepEqual([ofHost, typeof problem], ["UNKNOWN", "string"]);
  });

  it("shows what it prints, without managed values, and continues from a cursor", async () => {
    const first = await until(async () => {
      const found = await logs();
      return found.lines.some(({ text }) => text.startsWith("listening")) && found;
    }, "it has printed");
    assert.equal(first.deploymentId, deploymentId);
    assert.ok(!JSON.stringify(first).includes("the-managed-value"));
    await getPage(instance, services["web"] ?? "", "/asked");
    const rest = await until(async () => {
      const found = await logs(first.nextCursor);
      return found.lines.length > 0 && found;
    }, "it prints more");
    assert.deepEqual(
      rest.lines.map(({ stream, text }) => [stream, text]),
      [["stdout", "asked for /asked"]],
    );
    const other = await instance.admin.get(`/v1/services/${services["host"]}/logs`);
    assertRefused(other, 409, "SERVICE_HAS_NO_LOGS");
  });

  it("streams what it prints", async () => {
    const stop = new AbortController();
    const answer = await fetch(`${instance.url}/v1/services/${services["web"]}/logs`, {
      headers: { authorization: `Bearer ${instance.admin.key}`, accept: "text/event-stream" },
      signal: stop.signal,
    });
    assert.equal(answer.status, 200);
    let text = "";
    let hasAsked = false;
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes("listening") && !hasAsked) {
        hasAsked = true;
        await getPage(instance, services["web"] ?? "", "/streamed");
      }
      if (text.includes("asked for /streamed")) break;
    }
    stop.abort();
    assert.match(text, new RegExp(`event: release\\ndata: {"deploymentId":"${deploymentId}"}`));
    assert.ok(text.indexOf("event: release") < text.indexOf("event: line"));
  });

  it("says why it does not run", async () => {
    await getPage(instance, services["web"] ?? "", "/die");
    const seen = await until(async () => {
      const found = await health("web");
      return found.health === "FAILING" && found;
    }, "it fails");
    assert.match(seen.problem, /exit code 3|is being started/);
  });

  it("is of unknown health when its account is lost", async () => {
    const { body } = await instance.admin.get("/v1/aws-accounts/main");
    await instance.admin.delete(`/sandbox/stacks/${body.id}`);
    const seen = await health("web");
    assert.equal(seen.health, "UNKNOWN");
    assert.ok(seen.problem.length > 10, seen.problem);
  });
});
