/**
 * `npm run bench:edge [-- --rounds 3 --requests 20000]`: the embedded edge beside Caddy, in turn, with the same certificate
 * and the same origin. Prints medians of rates, the 99th percentile, and the processor time of the server, which the load
 * generator and what else the machine does change least. Needs Debian's packages `caddy` and `nghttp2-client` (h2load).
 */
import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { issue } from "../edge/src/testing.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { until } from "../test/helpers/until.ts";
import { median } from "./load/median.ts";
import { cpuMsOf, residentMbOf } from "./process.ts";

const NAME = "www.bench.example";
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, requests: { type: "string", default: "20000" } },
});
const run = promisify(execFile);
const folder = await mkdtemp(path.join(tmpdir(), "slipway-bench-edge-"));
const file = (name: string) => path.join(folder, name);

const children: ChildProcess[] = [];

type Side = { readonly process: ChildProcess; readonly port: number };
type Result = { readonly perSecond: number; readonly p99Ms: number; readonly cpuMs: number };

/** @param args of h2load; each connection makes its share of the requests */
async function load({ process: { pid = 0 }, port }: Side, count: number, ...args: string[]): Promise<Result> {
  const before = cpuMsOf(pid);
  const { stdout } = await run("h2load", [
    "-n",
    String(count),
    `--log-file=${file("log")}`,
    `--connect-to=127.0.0.1:${port}`,
    ...args,
    `https://${NAME}/`,
  ]);
  const cpuMs = (cpuMsOf(pid) - before) / count;
  const succeeded = Number(/ (\d+) succeeded/.exec(stdout)?.[1]);
  if (succeeded !== count) throw new Error(stdout);
  const log = (await readFile(file("log"), "utf8")).trim().split("\n");
  await rm(file("log"));
  const times = log.map((line) => Number(line.split("\t")[2]) / 1_000).toSorted((a, b) => a - b);
  return {
    perSecond:
      count /
      (Number(/finished in ([\d.]+)(?<unit>m?)s/.exec(stdout)?.[1]) / (stdout.includes("ms,") ? 1_000 : 1)),
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    cpuMs,
  };
}

async function startCaddy(origin: string): Promise<Side> {
  const port = await freePort();
  await writeFile(
    file("Caddyfile"),
    `{
  admin off
  auto_https off
  log {
    level ERROR
  }
  servers {
    protocols h1 h2
  }
}
https://${NAME}:${port} {
  bind 127.0.0.1
  tls ${file("certificate.pem")} ${file("key.pem")}
  reverse_proxy ${origin}
}
`,
  );
  const child = spawn("caddy", ["run", "--config", file("Caddyfile")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, HOME: folder },
  });
  children.push(child);
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  await until(isOpen, "Caddy listens");
  return { process: child, port };
}

async function startOurs(origin: string): Promise<Side> {
  const child = fork(path.join(import.meta.dirname, "edge-server.ts"), [
    NAME,
    origin,
    file("certificate.pem"),
    file("key.pem"),
  ]);
  children.push(child);
  const [port] = (await once(child, "message")) as [number];
  return { process: child, port };
}

const origin = createServer((_request, response) => response.end("0123456789".repeat(100)));
await once(origin.listen(0, "127.0.0.1"), "listening");
const address = origin.address();
const originAt = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
const pair = issue(NAME);
await writeFile(file("certificate.pem"), pair.certificatePem);
await writeFile(file("key.pem"), pair.privateKeyPem);
try {
  const sides = { slipway: await startOurs(originAt), caddy: await startCaddy(originAt) };
  const count = Number(options.requests);
  const figures: Readonly<Record<string, (side: Side) => Promise<Result>>> = {
    "requests, HTTP/1.1": (side) => load(side, count, "--h1", "-c", "32"),
    "requests, HTTP/2": (side) => load(side, count, "-c", "8", "-m", "8"),
    "connections with one request": (side) => load(side, 1_000, "--h1", "-c", "1000"),
  };
  process.stdout.write(
    "| figure | server | per second | p99 (ms) | processor time (ms) |\n|---|---|---|---|---|\n",
  );
  for (const [figure, measure] of Object.entries(figures)) {
    const results: Record<keyof typeof sides, Result[]> = { slipway: [], caddy: [] };
    for (let round = 0; round <= Number(options.rounds); round += 1)
      for (const name of ["slipway", "caddy"] as const) {
        const found = await measure(sides[name]);
        // The first round warms up.
        if (round > 0) results[name].push(found);
      }
    const middle = (name: keyof typeof sides, of: keyof Result) =>
      median(results[name].map((one) => one[of]));
    for (const name of ["slipway", "caddy"] as const)
      process.stdout.write(
        `| ${figure} | ${name} | ${middle(name, "perSecond").toFixed(0)} | ${middle(name, "p99Ms").toFixed(1)} | ${middle(name, "cpuMs").toFixed(3)} |\n`,
      );
    const ratio = (of: keyof Result) => middle("slipway", of) / middle("caddy", of);
    process.stdout.write(
      `| ${figure} | of Caddy | ${ratio("perSecond").toFixed(2)} | ${ratio("p99Ms").toFixed(2)} | ${ratio("cpuMs").toFixed(2)} |\n`,
    );
  }
  for (const [name, { process: child }] of Object.entries(sides))
    process.stdout.write(`${name}: ${residentMbOf(child.pid ?? 0).toFixed(0)} MB\n`);
} finally {
  for (const child of children) child.kill("SIGKILL");
  origin.close();
  origin.closeAllConnections();
  await rm(folder, { recursive: true });
}
