import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const HOST = "127.0.0.1";
const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** A separate Slipway, with its own process, ports, data folder and key. */
export type ThrowAwayInstance = {
  readonly url: string;
  readonly apiKey: string;
  /** Its data folder; `stop` removes it. */
  readonly dataDir: string;
  /** The sandbox's name server, on UDP and TCP. */
  readonly dnsServer: string;
  readonly edgePort: number;
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
  const [port, dnsPort, edgePort] = await freePorts();
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-demo-"));
  const apiKey = `demo-${randomBytes(24).toString("base64url")}`;
  // Only these variables: the settings of the caller's shell, such as a DATABASE_URL, belong to another instance.
  const child = spawn(process.execPath, [MAIN], {
    env: {
      HOST,
      PORT: String(port),
      SLIPWAY_DATA_DIR: folder,
      SLIPWAY_API_KEY: apiKey,
      SLIPWAY_SANDBOX_DNS_PORT: String(dnsPort),
      SLIPWAY_SANDBOX_EDGE_PORT: String(edgePort),
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
    await end(child, ended);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const url = `http://${HOST}:${port}`;
    await untilReady(url, child, signal);
    return {
      url,
      apiKey,
      dataDir: folder,
      dnsServer: `${HOST}:${dnsPort}`,
      edgePort,
      output: () => output,
      dispose,
    };
  } catch (error) {
    await dispose();
    throw new Error(`The instance did not start.\n${output}`, { cause: error });
  }
}

async function untilReady(url: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    if (hasEnded(child)) throw new Error("The process ended.");
    if (Date.now() > deadline) throw new Error(`It was not ready within ${START_TIMEOUT_MS / 1_000} s.`);
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      // Nothing is listening yet.
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (!hasEnded(child)) child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(force);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Finds three free ports; the second is free for UDP as well as TCP. Holds all of them until all are found. */
async function freePorts(): Promise<readonly [number, number, number]> {
  const held: (Server | Socket)[] = [];
  try {
    const port = await holdTcp(0, held);
    const dnsPort = await holdTcp(0, held);
    await holdUdp(dnsPort, held);
    const edgePort = await holdTcp(0, held);
    return [port, dnsPort, edgePort];
  } finally {
    await Promise.all(held.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }
}

async function holdTcp(port: number, held: (Server | Socket)[]): Promise<number> {
  const server = createServer().listen(port, HOST);
  await once(server, "listening");
  held.push(server);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP socket has no port.");
  return address.port;
}

async function holdUdp(port: number, held: (Server | Socket)[]): Promise<void> {
  const socket = createSocket("udp4");
  socket.bind(port, HOST);
  await once(socket, "listening");
  held.push(socket);
}
