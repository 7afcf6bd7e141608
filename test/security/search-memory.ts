/**
 * `npm run test:memory`: what a service still has in its memory of values that are in the customer's cloud, at once
 * and after other work. A measurement, not a test: nothing erases a string of JavaScript. Linux only, as the user of
 * the process.
 */
import { randomUUID } from "node:crypto";
import { open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { createApiClient } from "../helpers/api-client.ts";
import { freePort } from "../helpers/free-port.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { childrenOf } from "../helpers/processes/children.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { createCanaries } from "./needles.ts";

const STEP_BYTES = 16 << 20;
/** Larger regions are addresses that V8 reserved; hardly any part of them is in memory. */
const REGION_BYTES_MAX = 8 * 2 ** 30;

/** How often a text is in a process's memory: in `malloc`'s memory, and in the rest, most of which is V8's. */
async function countIn(pid: number, text: string): Promise<{ malloc: number; other: number }> {
  const counts = { malloc: 0, other: 0 };
  const memory = await open(`/proc/${pid}/mem`);
  try {
    for (const line of (await readFile(`/proc/${pid}/maps`, "utf8")).split("\n")) {
      const [, from = "", to = "", name = ""] = /^(\w+)-(\w+) rw\S+ \S+ \S+ \d+\s*(.*)$/.exec(line) ?? [];
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
      if (!(end - start <= REGION_BYTES_MAX)) continue;
      for (let at = start; at < end; at += STEP_BYTES) {
        const wanted = Math.min(end - at, STEP_BYTES + text.length - 1);
        const { bytesRead, buffer } = await memory.read(Buffer.alloc(wanted), 0, wanted, at);
        counts[name === "[heap]" ? "malloc" : "other"] += occurrences(buffer.subarray(0, bytesRead), text);
      }
    }
  } finally {
    await memory.close();
  }
  return counts;
}

function occurrences(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) count += 1;
  return count;
}

const folder = await makeTempDir("search-memory");
const key = `admin-${randomUUID()}`;
const started: ServiceProcess[] = [];
try {
  await copyPgliteTemplate(path.join(folder, "data/database"));
  const port = String(await freePort());
  const shared = { SLIPWAY_API_KEY: key, SLIPWAY_SANDBOX_SECRET: "a-secret-that-both-share" };
  // In a separate process: it is the customer's cloud, where the values belong.
  const sandbox = await startSandboxProcess({
    ...shared,
    SLIPWAY_DATA_DIR: path.join(folder, "cloud"),
    SLIPWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0",
  });
  started.push(sandbox);
  const service = await startProcess({
    ...shared,
    SLIPWAY_DATA_DIR: path.join(folder, "data"),
    SLIPWAY_SANDBOX_URL: sandbox.url,
    PORT: port,
  });
  started.push(service);

  const client = createApiClient(service.url, key);
  const project = await createProject(client, "searched");
  const variables = `/v1/services/${project.services["web"]}/env-variables`;
  const canaries = createCanaries();
  const write = (index: number, value: () => string) =>
    client.post(variables, {
      parameterStore: { [`P${index}`]: value() },
      secretsManager: { [`S${index}`]: value() },
    });
  const read = async (times: number) => {
    for (let time = 0; time < times; time += 20)
      await Promise.all(Array.from({ length: 20 }, () => client.get("/v1/projects")));
  };
  const tell = async (when: string) => {
    const pid = service.process.pid ?? 0;
    const [database = 0] = childrenOf(pid);
    for (const [name, each] of [
      ["service", pid],
      ["database", database],
    ] as const) {
      const { malloc, other } = await countIn(each, canaries.texts[0] ?? "");
      console.log(`${when}, ${name}: ${other} in V8's memory and other regions, ${malloc} in malloc's`);
    }
  };

  for (let index = 0; index < 5; index += 1) {
    const { body } = await write(index, () => canaries.make("searched"));
    await until(
      async () => (await client.get(`${variables}/status?runId=${body.runId}`)).body.isFinished === true,
      "the values are stored",
      60_000,
    );
  }
  await tell("ten values, at once");
  await read(4_000);
  await tell("4,000 reads later");
  await read(6_000);
  await tell("10,000 reads later");
  for (let index = 0; index < 100; index += 1) await write(index % 10, randomUUID);
  await read(4_000);
  await tell("100 other writes later");
} finally {
  for (const { process } of started) process.kill("SIGKILL");
  await Promise.all(started.map(({ ended }) => ended));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
