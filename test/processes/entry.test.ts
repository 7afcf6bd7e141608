import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { childrenOf } from "../helpers/processes/children.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");

/** Makes a process believe that it runs on another Node or system; its children are not affected. */
const pretend = (what: string): string[] => ["--import", `data:text/javascript,${encodeURIComponent(what)}`];
const OLD_NODE = pretend(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })',
);
const NO_PINNED_NODE = pretend('Object.defineProperty(process, "arch", { value: "pdp11" })');

describe("bin/slipway.js", () => {
  let dataDir: string;
  const running: ChildProcess[] = [];
  before(async () => {
    dataDir = await makeTempDir("entry");
  });
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  });

  const run = (nodeArgs: readonly string[], args: readonly string[]) =>
    spawnCommand(process.execPath, [...nodeArgs, ENTRY, ...args], {});

  function spawnCommand(command: string, args: readonly string[], env: Record<string, string>) {
    const child = spawn(command, args, {
      env: cleanEnv({
        PORT: "4000",
        SLIPWAY_DATA_DIR: dataDir,
        SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
        SLIPWAY_SANDBOX_SECRET: "a-secret-of-this-test",
        ...env,
      }),
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.push(child);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // `close` comes when the last holder of standard error has exited, including the Node that was started.
    const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stderr }));
    return { child, ended, stderr: () => stderr };
  }

  async function startSandbox(started = run(OLD_NODE, ["sandbox"])) {
    const url = await until(
      () => /sandbox is at (http:\S+)/.exec(started.stderr())?.[1],
      "the sandbox says where it is",
    );
    return { ...started, url };
  }

  it("under a Node that is too old runs the command with the Node of node_modules, and ends with its exit code", async () => {
    const { code, stderr } = await run(OLD_NODE, ["org", "create"]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^slipway: The argument NAME is missing/);
  });

  it("under a Node that is too old says what to do if there is no newer Node", async () => {
    const { code, stderr } = await run([...OLD_NODE, ...NO_PINNED_NODE], ["start"]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /Slipway needs Node 24 or later; this is 20\.20\.2/);
    assert.match(stderr, /npm ci/);
    assert.doesNotMatch(stderr, /Error|at .*:\d+:\d+/);
  });

  it("under a Node that is too old passes SIGTERM on and waits for the drain", async () => {
    const { child, ended, url } = await startSandbox();
    child.kill("SIGTERM");
    const { code, signal } = await ended;
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    await assert.rejects(fetch(`${url}/sandbox/ca.pem`), "no process listens any more");
  });

  const procOnly = { skip: process.platform !== "linux" && "children are found in /proc" };
  it("under a Node that is too old ends with the signal that ended the command", procOnly, async () => {
    const { child, ended } = await startSandbox();
    const [grandchild = 0] = childrenOf(child.pid ?? 0);
    process.kill(grandchild, "SIGKILL");
    assert.equal((await ended).signal, "SIGKILL");
  });

  it("drains when npm's shell is ended, which does not pass on the signal", async () => {
    const shell = spawnCommand("/bin/sh", ["-c", `"${process.execPath}" "${ENTRY}" sandbox; true`], {
      npm_command: "run-script",
    });
    const { url } = await startSandbox(shell);
    shell.child.kill("SIGTERM");
    const { signal } = await shell.ended;
    assert.equal(
      signal,
      "SIGTERM",
      "the shell's own end; standard error is closed, so the sandbox has ended too",
    );
    await assert.rejects(fetch(`${url}/sandbox/ca.pem`), "no process listens any more");
  });
});
