/** Memory and rates with many names: of the small cloud of an own server, of an edge elsewhere, and of Caddy as such an edge. */
import { fork, type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHostCloud } from "../src/cloud/sandbox/adapter.ts";
import { createCallPolicy } from "../src/cloud/calls/policy.ts";
import { startCaddy } from "../test/helpers/host/caddy.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { until } from "../test/helpers/until.ts";
import { load, type Side } from "./edge-load.ts";
import { residentMbOf } from "./process.ts";

export const BENCH_SECRET = "secret-of-the-bench";
export const EDGE_HOSTNAME = "edge.bench.example";
/** The only name whose certificate is a real one. */
export const FIRST_NAME = "first.names.example";
const EDGE_SECRET = "a-secret-of-edges-that-is-long-enough";
const SERVER = path.join(import.meta.dirname, "edge-names-server.ts");
const PROGRAM = path.join(import.meta.dirname, "../bin/slipway.js");
const PATIENCE_MS = 600_000;
const REST_MS = 10_000;

type Report = { readonly id: string; readonly names: number };

/** @param requests for each rate */
export async function measureNames(count: number, requests: number, origin: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-bench-names-"));
  const file = (name: string) => path.join(folder, name);
  const children: ChildProcess[] = [];
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const callbacks = createServer(
    (request, response) => void request.resume().once("end", () => response.end()),
  );
  const caddy = await startCaddy();
  try {
    await once(callbacks.listen(0, "127.0.0.1"), "listening");
    const at = callbacks.address();
    const callbackUrl = `http://127.0.0.1:${typeof at === "object" ? at?.port : ""}/`;
    await once(fork(SERVER, ["seed", file("main"), String(count), origin]), "exit");
    const main = fork(SERVER, ["serve", file("main"), EDGE_SECRET, callbackUrl]);
    children.push(main);
    const [{ url, port }] = (await once(main, "message")) as [{ url: string; port: number }];
    const ask = async (method: string, where: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${url}${where}`, {
        method,
        headers: { authorization: `Bearer ${BENCH_SECRET}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return await answer.json();
    };
    const reportOf = async (id: string): Promise<Report | undefined> =>
      ((await ask("GET", "/host/state")) as { edges: readonly Report[] }).edges.find(
        (edge) => edge.id === id,
      );

    async function startEdge(
      id: string,
      env: Record<string, string>,
    ): Promise<Side & { readonly ms: number }> {
      const [httpsPort, httpPort] = [await freePort(), await freePort()];
      const startedAt = performance.now();
      const child = spawn(process.execPath, [PROGRAM, "edge"], {
        stdio: ["ignore", "ignore", "inherit"],
        env: {
          ...process.env,
          HOST: "127.0.0.1",
          SLIPWAY_DATA_DIR: file(id),
          SLIPWAY_EDGE_ID: id,
          SLIPWAY_EDGE_SECRET: EDGE_SECRET,
          SLIPWAY_EDGE_CONTROL_URL: url,
          SLIPWAY_EDGE_HTTPS_PORT: String(httpsPort),
          SLIPWAY_EDGE_HTTP_PORT: String(httpPort),
          SLIPWAY_SANDBOX_ALLOWED_ORIGINS: "127.0.0.1",
          SLIPWAY_LOG: "fatal",
          ...env,
        },
      });
      children.push(child);
      await until(
        async () => ((await reportOf(id))?.names ?? 0) >= count,
        `${id} has all names`,
        PATIENCE_MS,
      );
      return { pids: [child.pid ?? 0], port: httpsPort, ms: performance.now() - startedAt };
    }
    const memoryOf = async (pids: readonly (number | undefined)[]): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      return pids.map((pid = 0) => `${residentMbOf(pid).toFixed(0)} MB`).join(" and ");
    };
    const rateOf = async (side: Side): Promise<string> => {
      await load(side, FIRST_NAME, file("log"), requests, "--h1", "-c", "32");
      const { perSecond, p99Ms } = await load(side, FIRST_NAME, file("log"), requests, "--h1", "-c", "32");
      return `${perSecond.toFixed(0)} requests/s, p99 ${p99Ms.toFixed(1)} ms`;
    };

    say(`\nWith ${count} names:`);
    const embedded = { pids: [main.pid ?? 0], port };
    say(
      `- embedded edge with its control plane: ${await memoryOf(embedded.pids)}, ${await rateOf(embedded)}`,
    );
    const remote = await startEdge("remote", {});
    const sizes = await readdir(file("remote/edge/names")).then((names) =>
      Promise.all(names.map((name) => stat(file(`remote/edge/names/${name}`)))),
    );
    const largest = Math.max(...sizes.map(({ size }) => size)) / 1_024;
    say(
      `- edge elsewhere: all names after ${(remote.ms / 1_000).toFixed(0)} s, ${sizes.length} parts, the largest of ${largest.toFixed(0)} KiB`,
    );
    say(`- edge elsewhere: ${await memoryOf(remote.pids)}, ${await rateOf(remote)}`);
    const cloud = createHostCloud({
      url,
      publicUrl: "https://slipway.example.com",
      secret: BENCH_SECRET,
      timeoutMs: 60_000,
      caaIssuers: () => Promise.resolve([]),
      policy: createCallPolicy({ attempts: 1, attemptMs: 60_000, callMs: 60_000 }),
    });
    const account = (await ask("POST", "/host/connections", { ServiceId: "aws_bench" })) as {
      accountId: string;
      roleArn: string;
    };
    const before = (await reportOf("remote"))?.names ?? 0;
    const changedAt = performance.now();
    await cloud.distributions.create(
      { connectionId: "aws_bench", ...account },
      { token: "new", origin: { kind: "host", hostname: origin } },
    );
    await until(async () => ((await reportOf("remote"))?.names ?? 0) > before, "the new name");
    say(`- edge elsewhere: a new name after ${((performance.now() - changedAt) / 1_000).toFixed(1)} s`);
    say(
      `- embedded edge with its control plane, while it gives names to an edge: ${await memoryOf(embedded.pids)}`,
    );
    const withCaddy = await startEdge("caddy", { SLIPWAY_EDGE_CADDY: caddy.adminUrl });
    const side = { pids: [caddy.pid(), ...withCaddy.pids], port: withCaddy.port };
    await until(async () => (await caddy.forwards()).length >= count, "Caddy has the routes", PATIENCE_MS);
    say(
      `- Caddy as the edge, and slipway edge beside it: ${await memoryOf(side.pids)}, ${await rateOf(side)}`,
    );
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await caddy.stop();
    callbacks.close();
    callbacks.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}
