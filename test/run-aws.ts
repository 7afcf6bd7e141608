/**
 * Runs the suites of the AWS adapter against moto, an AWS emulator in Python. moto and cfn-lint are
 * installed, pinned, into a virtual environment that is kept between runs; the emulator listens on a free
 * loopback port and ends with the run. Arguments are passed on to `node --test`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { freePort } from "./helpers/free-port.ts";
import { openPythonEnvironment } from "./helpers/python-environment.ts";

const PACKAGES = ["moto[server]==5.2.5", "cfn-lint==1.58.0"];
const SUITES = ["test/aws/**/*.test.ts"];
/** With `SLIPWAY_TEST_AWS=1`, alone: on a real account, with the machine's own credentials (docs/aws.md). */
const REAL_SUITE = "test/aws/real-account.test.ts";
const START_TIMEOUT_MS = 60_000;

async function startMoto(python: string): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort();
  const moto = spawn(python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], {
    stdio: ["ignore", "ignore", "pipe"],
    // Certificates are issued soon, so that a run without the emulator's rules need not wait a minute.
    env: { ...process.env, ACM_VALIDATION_WAIT: "1" },
  });
  let log = "";
  moto.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    log = (log + chunk).slice(-4_000);
  });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const isUp = await fetch(`${url}/moto-api/data.json`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return { url, process: moto };
    if (moto.exitCode !== null || Date.now() > deadline) throw new Error(`moto did not start:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function main(): Promise<number> {
  if (process.env["SLIPWAY_TEST_AWS"] === "1") {
    return await exitCodeOf(spawn(process.execPath, ["--test", REAL_SUITE], { stdio: "inherit" }));
  }
  const python = openPythonEnvironment("moto", PACKAGES);
  const moto = await startMoto(python);
  try {
    const suites = process.argv.length > 2 ? process.argv.slice(2) : SUITES;
    const tests = spawn(process.execPath, ["--test", "--test-concurrency=2", ...suites], {
      stdio: "inherit",
      env: {
        ...process.env,
        SLIPWAY_TEST_MOTO: moto.url,
        SLIPWAY_TEST_PYTHON: python,
        // moto believes any key; the machine's own credentials must not be tried.
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
        AWS_EC2_METADATA_DISABLED: "true",
      },
    });
    return await exitCodeOf(tests);
  } finally {
    moto.process.kill("SIGKILL");
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
