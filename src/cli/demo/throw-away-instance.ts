import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findServiceAddress } from "../../start/service-address.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** A separate Slipway, with its own process, ports, data folder and key. */
export type ThrowAwayInstance = {
  readonly url: string;
  readonly apiKey: string;
  /** Its data folder; `dispose` removes it. */
  readonly dataDir: string;
  /** The output of the process, for failures. */
  readonly output: () => string;
  /** Ends the process and removes its folder; may be called more than once. */
  dispose(): Promise<void>;
};

/**
 * Starts an instance. Resolves when it is ready.
 * @throws Error with the output of the process when it does not become ready
 */
export async function startThrowAwayInstance(signal: AbortSignal): Promise<ThrowAwayInstance> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-demo-"));
  const apiKey = `demo-${randomBytes(24).toString("base64url")}`;
  // Only these variables: the settings of the caller's shell, such as a DATABASE_URL, belong to another instance.
  const child = spawn(process.execPath, [MAIN], {
    env: {
      HOST: "127.0.0.1",
      PORT: "0",
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: apiKey,
      SLIPWAY_SANDBOX_DNS_PORT: "0",
      SLIPWAY_SANDBOX_EDGE_PORT: "0",
      SLIPWAY_LOG: "warn",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (text: string): void => void (output = (output + text).slice(-20_000));
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  const ended = once(child, "close").catch((error: unknown) => keep(String(error)));
  const dispose = async (): Promise<void> => {
    if (!hasEnded(child)) child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(force);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await untilReady(dataDir, child, signal);
    return { url, apiKey, dataDir, output: () => output, dispose };
  } catch (error) {
    await dispose();
    throw new Error(`The instance did not start.\n${output}`, { cause: error });
  }
}

/** @returns its address */
async function untilReady(dataDir: string, child: ChildProcess, signal: AbortSignal): Promise<string> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    if (hasEnded(child)) throw new Error("The process ended.");
    if (Date.now() > deadline) throw new Error(`It was not ready within ${START_TIMEOUT_MS / 1_000} s.`);
    const url = findServiceAddress(dataDir)?.listensAt;
    const isReady = await fetch(`${url ?? ""}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      // It is not listening yet.
      () => false,
    );
    if (url !== undefined && isReady) return url;
    await sleep(50);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
