/** The packed server in an empty folder, as an operator without a checkout installs and starts it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { createApiClient } from "../helpers/api-client.ts";
import { attach, createProject } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { cleanEnv, startCommand } from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");

describe("the packed server", () => {
  let folder: string;
  before(async () => {
    folder = await makeTempDir("server-package");
    await run("npm", ["run", "package"], { cwd: ROOT });
    const pack = ["pack", "./dist", "--json", "--pack-destination", folder];
    const { stdout } = await run("npm", pack, { cwd: ROOT });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [
      { filename: string; files: { path: string }[] },
    ];
    const files = packed.files.map((file) => file.path);
    for (const needed of [
      "src/main.js",
      "src/db/migrations/0001_foundation.sql",
      "src/cloud/aws/stack/connection-v2.yaml",
      "console/dist/index.html",
      "LICENSE",
      "THIRD-PARTY-LICENSES.txt",
    ])
      assert.ok(files.includes(needed), `${needed}: ${files.join()}`);
    assert.deepEqual(
      files.filter((file) => /[.]test[.]|[/]test[/]|[.]ts$/.test(file)),
      [],
    );
    await writeFile(path.join(folder, "package.json"), '{"private":true}');
    // What `npm ci` of the checkout downloaded is not downloaded again.
    const quick = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...quick, `./${packed.filename}`], { cwd: folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("starts by npx under the machine's Node, serves a domain, and stops", async () => {
    const env = { PATH: pathWithoutPinned(), SLIPWAY_API_KEY: ADMIN_KEY };
    const command = { program: "npx", args: ["slipway", "start"], cwd: folder };
    const { url, process: started } = await startCommand(command, env);
    // What npx started ends after it.
    const ended = once(started, "close");
    try {
      const admin = createApiClient(url, ADMIN_KEY);
      const { services } = await createProject(admin, "Packed");
      await attach(admin, services["web"], ["www.packed.example.com"]);
      // What it makes in programs of its own, from files that it brings.
      for (const page of ["/console/", "/console/projects", "/docs/reference.js", "/openapi.json"])
        assert.equal((await fetch(`${url}${page}`)).status, 200, page);
    } finally {
      started.kill("SIGTERM");
    }
    await ended;
  });

  it("has the operator's and the user's commands", async () => {
    const options = { cwd: folder, env: cleanEnv({ PATH: pathWithoutPinned() }) };
    const keys = await run("npx", ["slipway", "keys", "status"], options);
    assert.match(keys.stdout, /at-rest/i);
    const domains = await run("npx", ["slipway", "domains", "--help"], options);
    assert.match(domains.stdout, /slipway domains/);
  });
});

/** `npm test` puts the pinned Node before the machine's. */
function pathWithoutPinned(): string {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.filter((one) => !one.includes("node_modules")).join(path.delimiter);
}
