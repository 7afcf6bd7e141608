/**
 * `npm run bench:edge [-- --rounds 3 --requests 20000 --names 100000]`: the embedded edge, Caddy, and Caddy as the edge, in
 * turn, with the same certificate and the same origin. Prints medians of rates and their ratio to Caddy's, the 99th
 * percentile, and the processor time of the server, which the load generator and what else the machine does change least.
 * Then memory and rates with many names; `--names 0` leaves them out. Needs Debian's packages `caddy` and `nghttp2-client` (h2load).
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { issue } from "../edge/src/testing.ts";
import { type Caddy, startCaddy } from "../test/helpers/host/caddy.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { until } from "../test/helpers/until.ts";
import { median } from "./load/median.ts";
import { load, type Result, type Side } from "./edge-load.ts";
import { measureNames } from "./edge-names.ts";
import { residentMbOf } from "./process.ts";

const NAME = "www.bench.example";
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    requests: { type: "string", default: "20000" },
    names: { type: "string", default: "100000" },
  },
});
const folder = await mkdtemp(path.join(tmpdir(), "slipway-bench-edge-"));
const file = (name: string) => path.join(folder, name);

const children: ChildProcess[] = [];
const caddies: Caddy[] = [];

async function startPlainCaddy(origin: string): Promise<Side> {
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
  return { pids: [child.pid ?? 0], port };
}

async function startCaddyAsEdge(origin: string, counts: "on" | "off"): Promise<Side> {
  const caddy = await startCaddy();
  caddies.push(caddy);
  const [port, httpPort] = [await freePort(), await freePort()];
  const { pids } = await startOurs(origin, caddy.adminUrl, String(port), String(httpPort), counts);
  return { pids: [caddy.pid(), ...pids], port };
}

/** @param caddy arguments of `edge-server.ts` with Caddy as the edge */
async function startOurs(origin: string, ...caddy: readonly string[]): Promise<Side> {
  const child = fork(path.join(import.meta.dirname, "edge-server.ts"), [
    NAME,
    origin,
    file("certificate.pem"),
    file("key.pem"),
    ...caddy,
  ]);
  children.push(child);
  const [port] = (await once(child, "message")) as [number];
  return { pids: [child.pid ?? 0], port };
}

const origin = createServer((_request, response) => response.end("0123456789".repeat(100)));
await once(origin.listen(0, "127.0.0.1"), "listening");
const address = origin.address();
const originAt = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
const pair = issue(NAME);
await writeFile(file("certificate.pem"), pair.certificatePem);
await writeFile(file("key.pem"), pair.privateKeyPem);
try {
  const sides = {
    slipway: await startOurs(originAt),
    caddy: await startPlainCaddy(originAt),
    "caddy as edge": await startCaddyAsEdge(originAt, "on"),
    "the same, no counts": await startCaddyAsEdge(originAt, "off"),
  };
  const count = Number(options.requests);
  const measure = (side: Side, requests: number, ...args: string[]) =>
    load(side, NAME, file("log"), requests, ...args);
  const figures: Readonly<Record<string, (side: Side) => Promise<Result>>> = {
    "requests, HTTP/1.1": (side) => measure(side, count, "--h1", "-c", "32"),
    "requests, HTTP/2": (side) => measure(side, count, "-c", "8", "-m", "8"),
    "connections with one request": (side) => measure(side, 1_000, "--h1", "-c", "1000"),
  };
  process.stdout.write(
    "| figure | server | per second | p99 (ms) | processor time (ms) |\n|---|---|---|---|---|\n",
  );
  for (const [figure, measureOnce] of Object.entries(figures)) {
    const results = new Map(Object.keys(sides).map((name): [string, Result[]] => [name, []]));
    for (let round = 0; round <= Number(options.rounds); round += 1)
      for (const [name, side] of Object.entries(sides)) {
        const found = await measureOnce(side);
        // The first round warms up.
        if (round > 0) results.get(name)?.push(found);
      }
    const middle = (name: string, of: keyof Result) =>
      median((results.get(name) ?? []).map((one) => one[of]));
    for (const name of results.keys()) {
      const ratio = middle(name, "perSecond") / middle("caddy", "perSecond");
      process.stdout.write(
        `| ${figure} | ${name} | ${middle(name, "perSecond").toFixed(0)} (${ratio.toFixed(2)}) | ${middle(name, "p99Ms").toFixed(1)} | ${middle(name, "cpuMs").toFixed(3)} |\n`,
      );
    }
  }
  for (const [name, { pids }] of Object.entries(sides))
    process.stdout.write(
      `${name}: ${pids.map((pid) => `${residentMbOf(pid).toFixed(0)} MB`).join(" and ")}\n`,
    );
  if (Number(options.names) > 0) await measureNames(Number(options.names), count, originAt);
} finally {
  for (const child of children) child.kill("SIGKILL");
  for (const caddy of caddies) await caddy.stop();
  origin.close();
  origin.closeAllConnections();
  await rm(folder, { recursive: true });
}
