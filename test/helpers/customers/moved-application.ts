/**
 * The application of `docs/how-to/move-from-flightcontrol.md`, which moves in with its Flightcontrol file: a database, a
 * migration, a worker, a nightly job and a site.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Files } from "../../../sandbox/src/git/git-repositories.ts";
import { readBlocks } from "../../docs/shell-blocks.ts";
import type { ApiClient } from "../api-client.ts";
import { until } from "../until.ts";

const PAGE = path.join(import.meta.dirname, "../../../docs/how-to/move-from-flightcontrol.md");

/** What the site shows: where visitors' browsers find the API. */
export const SITE_SHOWS = /^API: (https:\/\/\S+)$/;

/** It asks `psql`, so that nothing has to be installed. */
export const MOVED_FILES: Files = {
  "package.json": JSON.stringify({ name: "boats", version: "1.0.0", scripts: { start: "node server.js" } }),
  "package-lock.json": JSON.stringify({
    name: "boats",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: { "": { name: "boats", version: "1.0.0" } },
  }),
  "sql.js": `module.exports = (sql) => require("node:child_process")
    .execFileSync("psql", ["-qAtc", sql, process.env.DATABASE_URL], { encoding: "utf8" }).trim();`,
  "migrate.js": `require("./sql.js")("CREATE TABLE IF NOT EXISTS writers (name text PRIMARY KEY)");`,
  "write.js": `module.exports = (name) =>
    require("./sql.js")("INSERT INTO writers VALUES ('" + name + "') ON CONFLICT DO NOTHING");`,
  "worker.js": `require("./write.js")("worker"); setInterval(() => {}, 60_000);`,
  "nightly.js": `require("./write.js")("nightly");`,
  "server.js": `require("node:http").createServer(({ url }, response) => {
    if (url === "/health") return response.end();
    require("./write.js")("api");
    const secret = (process.env.SESSION_SECRET ?? "").length;
    response.end(require("./sql.js")("SELECT string_agg(name, ' ' ORDER BY name) FROM writers") + " " + secret);
  }).listen(process.env.PORT, "127.0.0.1");`,
  "build.js": `const fs = require("node:fs"); fs.mkdirSync("dist");
    fs.writeFileSync("dist/index.html", "API: " + process.env.API_URL);`,
};

/** What the API answers once the worker and the job wrote to the database, with the length of its secret. */
export const API_SHOWS = "api nightly worker 32";
export const SESSION_SECRET = "9c1f7ab0e2d84f6c9a5b3e7d1f0c2b4a";

type Config = { readonly environments: readonly [{ readonly services: readonly { readonly id: string }[] }] };

/** Imports the page's file, and checks that the proposal is the page's. @param existing the database's; undefined: created */
export async function importApplication(client: ApiClient, existing?: object): Promise<object> {
  const [file, proposal] = readBlocks(readFileSync(PAGE, "utf8")).filter(
    ({ language }) => language === "json",
  );
  const { status, body, text } = await client.post("/v1/configurations/import", {
    flightcontrol: file?.text,
  });
  assert.equal(status, 200, text);
  assert.deepEqual(body.proposal, JSON.parse(proposal?.text ?? ""));
  assert.equal(body.isBlocked, false);
  assert.deepEqual(body.secrets, [{ environment: "production", service: "api", name: "SESSION_SECRET" }]);
  assert.ok(!text.includes(SESSION_SECRET));
  const { environments } = body.proposal as Config;
  const [environment] = environments;
  const services = environment.services.map((service) => {
    if (service.id !== "db") return service;
    const { existing: _secrets, ...db } = service as { readonly id: string; readonly existing: object };
    return existing === undefined ? db : { ...db, existing };
  });
  return { environments: [{ ...environment, services }] };
}

/** Stores a managed value. @param scope such as `/v1/services/svc_…` @returns its reference */
export async function storeSecret(
  client: ApiClient,
  scope: string,
  name: string,
  value: string,
): Promise<string> {
  const set = await client.post(`${scope}/env-variables`, { secretsManager: { [name]: value } });
  assert.equal(set.status, 202, set.text);
  const run = `${scope}/env-variables/status?runId=${set.body.runId}`;
  await until(async () => (await client.get(run)).body.isFinished === true, `${name} is stored`);
  return (await client.get(`${scope}/env-variables/${name}`)).body.reference;
}

/** Runs the nightly job now, and waits for its success. */
export async function runNightly(client: ApiClient, serviceId: string | undefined): Promise<void> {
  const { status, body, text } = await client.post(`/v1/services/${serviceId}/job/nightly/execution`, {});
  assert.ok(status < 300, text);
  const last = await until(async () => {
    const { body: execution } = await client.get(`/v1/executions/${body.jobExecutionId}`);
    return execution.endedAt === null ? null : execution;
  }, "the job has ended");
  assert.equal(last.status, "SUCCEEDED", JSON.stringify(last));
}
