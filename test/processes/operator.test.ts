/** What an operator sees who starts, stops, and makes mistakes: clear messages and exit codes, never a stack trace. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { childrenOf } from "../helpers/processes/children.ts";
import {
  cleanEnv,
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
const SECRET = "the-secret-of-this-sandbox";

describe("an operator", () => {
  let folder: string;
  let stranger: Server;
  let takenPort: string;
  let running: ServiceProcess;
  let sandbox: ServiceProcess;

  before(async () => {
    folder = await makeTempDir("operator");
    stranger = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const address = stranger.address();
    takenPort = String(typeof address === "object" ? address?.port : 0);
    await copyPgliteTemplate(path.join(folder, "running", "database"));
    [running, sandbox] = await Promise.all([
      startProcess({ SLIPWAY_DATA_DIR: path.join(folder, "running"), SLIPWAY_API_KEY: ADMIN_KEY }),
      startSandboxProcess({
        SLIPWAY_DATA_DIR: path.join(folder, "sandbox"),
        SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
        SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
        SLIPWAY_SANDBOX_SECRET: SECRET,
      }),
    ]);
  });
  after(async () => {
    stranger.close();
    for (const { process, ended } of [running, sandbox]) {
      process.kill("SIGKILL");
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Runs a command that is to fail. */
  async function fail(args: readonly string[], env: Record<string, string>) {
    const startedAt = performance.now();
    let logged = "";
    const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
      execFile(process.execPath, [ENTRY, ...args], { env: cleanEnv(env) }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, said: stderr });
        logged = stdout;
      });
    });
    assert.equal(code, 1, said);
    assert.doesNotMatch(said, /^\s+at /m, "no stack");
    assert.doesNotMatch(logged, /"stack"/, "nor one in the log");
    return { said, tookMs: performance.now() - startedAt };
  }
  const fresh = (name: string) => ({ SLIPWAY_DATA_DIR: path.join(folder, name) });

  it("sees which port is in use and which variable changes it", async () => {
    const { said } = await fail(["start"], { ...fresh("port"), PORT: takenPort });
    assert.match(
      said,
      new RegExp(`Another program listens on 127\\.0\\.0\\.1:${takenPort}\\. .* set PORT to`),
    );
  });

  it("sees which of the sandbox's ports is in use", async () => {
    for (const variable of ["SLIPWAY_SANDBOX_DNS_PORT", "SLIPWAY_SANDBOX_EDGE_PORT"]) {
      const { said } = await fail(["start"], { ...fresh(variable), [variable]: takenPort });
      assert.match(said, new RegExp(`Another program listens on .*:${takenPort}\\. .* set ${variable} to`));
    }
    const { said } = await fail(["sandbox"], {
      ...fresh("sandbox-port"),
      SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
      SLIPWAY_SANDBOX_URL: `http://127.0.0.1:${takenPort}`,
      SLIPWAY_SANDBOX_SECRET: SECRET,
    });
    assert.match(said, /Another program listens on .* set SLIPWAY_SANDBOX_URL to/);
  });

  it("sees that the machine does not have an address", async () => {
    // 192.0.2.0/24 is for documentation (RFC 5737).
    const { said } = await fail(["start"], { ...fresh("address"), HOST: "192.0.2.1" });
    assert.match(said, /cannot listen on 192\.0\.2\.1:0: it has no such address\. Set HOST/);
  });

  it("sees that a data folder is in use, from the service and from the command line", async () => {
    const { said } = await fail(["start"], fresh("running"));
    assert.match(said, /The data folder .*running is in use by another Slipway process/);
    assert.match((await fail(["migrate"], fresh("running"))).said, /is in use by another Slipway process/);
  });

  it("sees that a sandbox's folder is in use", async () => {
    const { said } = await fail(["sandbox"], {
      ...fresh("running"),
      SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
      SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
      SLIPWAY_SANDBOX_SECRET: SECRET,
    });
    assert.match(said, /The sandbox's folder .* is in use by another Slipway process/);
  });

  it("sees all wrong variables at once", async () => {
    const { said } = await fail(["start"], { ...fresh("wrong"), PORT: "http", SLIPWAY_ROLE: "boss" });
    assert.match(said, /Slipway cannot start\. The configuration is not valid:\n {2}- .*\n {2}- /);
    assert.match(said, /PORT is "http"/);
    assert.match(said, /SLIPWAY_ROLE is "boss"/);
  });

  it("sees that a data folder is a file", async () => {
    await writeFile(path.join(folder, "file"), "");
    assert.match((await fail(["start"], fresh("file"))).said, /SLIPWAY_DATA_DIR .* is not a folder/);
  });

  // A file where a folder should be, and the other way round: root may read and write all else.
  it("sees that a lock or a database cannot be opened, and in which folder", async () => {
    const env = fresh("blocked");
    const blocked = env.SLIPWAY_DATA_DIR;
    await mkdir(path.join(blocked, "lock"), { recursive: true });
    const { said } = await fail(["migrate"], env);
    assert.match(said, /The lock cannot be opened in .*blocked \(.+\)\. Check that/);
    await rm(path.join(blocked, "lock"), { recursive: true });
    await writeFile(path.join(blocked, "database"), "");
    assert.match(
      (await fail(["start"], env)).said,
      /The embedded database cannot be opened in .*blocked\/database \(.+\)\. Check that/,
    );
  });

  it("sees that a sandbox cannot be opened, and in which folder", async () => {
    const env = {
      ...fresh("blocked-sandbox"),
      SLIPWAY_PUBLIC_URL: "http://127.0.0.1:4000",
      SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
      SLIPWAY_SANDBOX_SECRET: SECRET,
    };
    const blocked = path.join(env.SLIPWAY_DATA_DIR, "sandbox");
    const told = /The sandbox cannot be opened in .*blocked-sandbox\/sandbox \(.+\)\. Check that/;
    await mkdir(env.SLIPWAY_DATA_DIR);
    await writeFile(blocked, "");
    assert.match((await fail(["sandbox"], env)).said, told);
    await rm(blocked);
    await mkdir(path.join(blocked, "sandbox.db"), { recursive: true });
    assert.match((await fail(["sandbox"], env)).said, told);
  });

  it("sees within seconds that a database does not answer, without its password", async () => {
    for (const url of [
      `postgres://app:hidden-word@127.0.0.1:${takenPort}/slipway`,
      "postgres://app:hidden-word@database.invalid/slipway",
    ]) {
      const { said, tookMs } = await fail(["start"], { ...fresh("database"), DATABASE_URL: url });
      assert.match(said, /The database does not answer \(.*\)\. DATABASE_URL leads to/);
      assert.doesNotMatch(said, /hidden-word/);
      // A pool that waits for its connections for ever would be seen, a machine that has much to do would not.
      assert.ok(tookMs < 60_000, `${tookMs} ms`);
    }
  });

  it("sees that the sandbox does not accept a secret", async () => {
    const { said } = await fail(["start"], {
      ...fresh("secret"),
      SLIPWAY_SANDBOX_URL: sandbox.url,
      SLIPWAY_SANDBOX_SECRET: "not-the-one-it-knows",
    });
    assert.match(said, /does not accept SLIPWAY_SANDBOX_SECRET/);
  });

  it("sees what a shared sandbox lacks", async () => {
    const { said } = await fail(["sandbox"], fresh("sharing"));
    assert.match(said, /SLIPWAY_SANDBOX_SECRET is not set/);
    assert.match(said, /SLIPWAY_PUBLIC_URL is not set and PORT is 0/);
  });

  it("stops a service with hanging calls when the calls end, without repeating them", async () => {
    const admin = createApiClient(running.url, ADMIN_KEY);
    const project = await createProject(admin, "stopped");
    await admin.put("/sandbox/faults", { operation: "secrets.put", kind: "timeout" });
    const accepted = await admin.post(`/v1/environments/${project.environmentId}/env-variables`, {
      secretsManager: { PASSWORD: "p" },
    });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    await until(async () => {
      const { body } = await admin.get("/sandbox/state");
      return body.accounts[0].calls["secrets.put"] === 1;
    }, "the call is under way");
    const startedAt = performance.now();
    running.process.kill("SIGTERM");
    assert.equal(await running.ended, 0);
    const tookMs = performance.now() - startedAt;
    // Each call takes five seconds to time out; there were three in a row.
    assert.ok(tookMs < 14_000, `${tookMs} ms`);
  });

  it("stops an idle service at once, also when all its processes get the signal", async () => {
    running = await startProcess(fresh("running"));
    const admin = createApiClient(running.url, ADMIN_KEY);
    await until(async () => {
      const { body } = await admin.get("/sandbox/state");
      return body.accounts[0].secrets.length === 1;
    }, "what was left to do is done");
    const startedAt = performance.now();
    const pid = running.process.pid ?? 0;
    // As Ctrl-C in a terminal does, and a service manager.
    const others = process.platform === "linux" ? childrenOf(pid) : [];
    for (const each of [...others, pid]) process.kill(each, "SIGINT");
    assert.equal(await running.ended, 0);
    assert.equal(running.stdout(), "");
    const tookMs = performance.now() - startedAt;
    // A third of a second where nothing else runs. A drain that waits for something waits for half a minute.
    assert.ok(tookMs < 15_000, `${tookMs} ms`);
  });

  it("replaces a lost key, with the organization's id from the command line", async () => {
    const run = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [ENTRY, ...args], { env: cleanEnv(fresh("running")) }))
        .stdout;
    const id = /^(org_\w+) {2}Default$/m.exec(await run("org", "list"))?.[1] ?? "";
    const key = /slw_\w+/.exec(await run("key", "create", id))?.[0] ?? "";
    running = await startProcess(fresh("running"));
    const { body } = await createApiClient(running.url, key).get("/v1/me");
    assert.equal(body.organization.id, id);
    assert.equal(body.user.role, "admin");
  });
});
