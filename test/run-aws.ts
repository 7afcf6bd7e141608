/**
 * Runs the suites of the AWS adapter against moto and ministack, AWS emulators in Python. They and AWS's own tools are
 * installed, pinned, into a virtual environment that is kept between runs; the emulators listen on free
 * loopback ports and end with the run. Arguments are passed on to `node --test`. Unlike other suites, each file has a
 * process of its own and no limit of time: the tests wait for the emulators more than they work.
 */
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import path from "node:path";
import { freePort } from "./helpers/free-port.ts";
import { openPythonEnvironment } from "./helpers/processes/python-environment.ts";

const SUITES = ["test/aws/**/*.test.ts"];
/** With `SLIPWAY_TEST_AWS=1`, only this suite: a real account, the machine's credentials (docs/reference/aws.md). */
const REAL_SUITE = "test/aws/real-account.test.ts";
const START_TIMEOUT_MS = 60_000;

type Server = { readonly url: string; readonly process: ChildProcess };

async function startMoto(python: string): Promise<Server> {
  const port = await freePort();
  const args = ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)];
  // Certificates are issued soon, so that a run without the emulator's rules need not wait a minute.
  const moto = spawn(python, args, { stdio: STDIO, env: { ...process.env, ACM_VALIDATION_WAIT: "1" } });
  return await untilUp("moto", moto, `http://127.0.0.1:${port}`, "/moto-api/data.json");
}

/** The second emulator, with IAM enforced. Like moto, it is not ours. */
async function startMinistack(python: string): Promise<Server> {
  const port = await freePort();
  const ministack = spawn(python, [path.join(import.meta.dirname, "aws", "enforcing-ministack.py")], {
    stdio: STDIO,
    env: {
      ...process.env,
      AUTH: "true",
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_HOST: "127.0.0.1",
      PERSIST_STATE: "0",
      IOT_MTLS_ENABLED: "0",
      SFTP_ENABLED: "0",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    },
  });
  return await untilUp("ministack", ministack, `http://127.0.0.1:${port}`, "/_ministack/health");
}

const STDIO: StdioOptions = ["ignore", "ignore", "pipe"];

async function untilUp(name: string, server: ChildProcess, url: string, health: string): Promise<Server> {
  let log = "";
  server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    log = (log + chunk).slice(-4_000);
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const isUp = await fetch(`${url}${health}`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return { url, process: server };
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`${name} did not start:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function main(): Promise<number> {
  if (process.env["SLIPWAY_TEST_AWS"] === "1") {
    return await exitCodeOf(spawn(process.execPath, ["--test", REAL_SUITE], { stdio: "inherit" }));
  }
  const python = openPythonEnvironment("aws");
  const started = await Promise.allSettled([startMoto(python), startMinistack(python)]);
  try {
    const [moto, ministack] = started.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const suites = process.argv.length > 2 ? process.argv.slice(2) : SUITES;
    const tests = spawn(process.execPath, ["--test", "--test-concurrency=2", ...suites], {
      stdio: "inherit",
      env: {
        ...process.env,
        SLIPWAY_TEST_MOTO: moto?.url,
        SLIPWAY_TEST_MINISTACK: ministack?.url,
        SLIPWAY_TEST_PYTHON: python,
        // moto believes any key; the machine's own credentials must not be tried.
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
        AWS_EC2_METADATA_DISABLED: "true",
      },
    });
    return await exitCodeOf(tests);
  } finally {
    for (const one of started) if (one.status === "fulfilled") one.value.process.kill("SIGKILL");
  }
}

/** The tests hear a Ctrl-C themselves; this process stays until they have cleared away. */
async function exitCodeOf(tests: ChildProcess): Promise<number> {
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => tests.kill("SIGTERM"));
  return await new Promise((resolve) => {
    tests.once("exit", (code) => resolve(code ?? 1));
  });
}

process.exitCode = await main();
