/**
 * `npm run test:storm -- [--seed N] [--rate 0.3] [--only PART]`: the cloud fails, in each way and in all at once, while
 * customers work; then it is away for a while; then one account does not answer. All valid work has to
 * end, none of it failed for good, with few more calls than without faults, and nobody else is slowed.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ApiClient } from "../helpers/api-client.ts";
import { createProject, type Project, setDnsRecords } from "../helpers/scenario.ts";
import { until } from "../helpers/until.ts";
import { askSandbox } from "./ask-sandbox.ts";
import type { CloudWatcher } from "./cloud-proxy.ts";
import { OPERATIONS } from "./executioner.ts";
import { createRandom } from "./random.ts";
import { type Rig, startRig } from "./rig.ts";

/** Of design and threat model: the calls made against those that were needed without faults. */
const CALLS_LIMIT = 1.5;
const SLOWER_LIMIT = 1.1;
const GROUPS = 6;
const VALUES = 12;
const AWAY_MS = 15_000;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    rate: { type: "string", default: "0.3" },
    only: { type: "string", default: "" },
  },
});
const seed = Number(options.seed);
const rate = Number(options.rate);

type Fault = { readonly operation: string; readonly kind: string; readonly rate: number };

/** Connections whose calls are swallowed, and all calls counted by connection and operation. */
type Weather = CloudWatcher & { readonly dead: Set<string>; readonly calls: Map<string, number> };

function createWeather(): Weather {
  const dead = new Set<string>();
  const calls = new Map<string, number>();
  return {
    dead,
    calls,
    onCall({ connectionId, operation }) {
      calls.set(operation, (calls.get(operation) ?? 0) + 1);
      // Never resolved: the caller's own time limit has to end it.
      return dead.has(connectionId) ? new Promise(() => undefined) : "pass";
    },
    onAnswer: () => "pass",
  };
}

async function main(): Promise<boolean> {
  console.log(`Fault storms at a rate of ${rate}, seed ${seed}`);
  const weather = createWeather();
  const rig = await startRig(
    { database: "postgres", seed, workers: 2, organizations: 1 },
    { cloud: weather, database: () => ({ onCommit: () => "pass", onJob: () => undefined }) },
  );
  const failures: string[] = [];
  try {
    const project = await createProject(clientOf(rig), "storm");
    const total = (): number => [...weather.calls.values()].reduce((sum, count) => sum + count, 0);
    const parts: Readonly<Record<string, () => Promise<void>>> = {
      storms: () => playStorms(rig, project, weather, failures, total),
      absence: () => playAbsence(rig, project, failures, total),
      "dead account": () => playDeadAccount(rig, weather, failures),
    };
    for (const [name, play] of Object.entries(parts)) if (name.includes(options.only)) await play();
  } finally {
    await rig.dispose();
  }
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(failures.length === 0 ? "All valid work ended." : "The promises did not hold.");
  return failures.length === 0;
}

function clientOf({ organizations }: Rig): ApiClient {
  const client = organizations[0]?.[0];
  if (client === undefined) throw new Error("The rig has no organization.");
  return client;
}

async function playStorms(
  rig: Rig,
  project: Project,
  weather: Weather,
  failures: string[],
  total: () => number,
): Promise<void> {
  const measure = async (name: string, faults: readonly Fault[]): Promise<number> => {
    weather.calls.clear();
    const startedMs = performance.now();
    await withFaults(rig, faults, () => playRound(rig, project, name));
    const calls = total();
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`  ${name.padEnd(24)} ${String(calls).padStart(5)} calls  ${seconds} s`);
    return calls;
  };
  const ideal = Math.max(await measure("no faults", []), await measure("no faults again", []));
  for (const [name, faults] of storms()) {
    const ratio = (await measure(name, faults)) / ideal;
    if (ratio > CALLS_LIMIT)
      failures.push(`${name}: ${ratio.toFixed(2)} × the calls of a day without faults`);
  }
}

function storms(): [string, Fault[]][] {
  const random = createRandom(seed);
  const kinds = ["throttled", "server-error", "lost-response"];
  return [
    ...kinds.map((kind): [string, Fault[]] => [kind, [{ operation: "*", kind, rate }]]),
    // A time-out takes five seconds each: at the rate for one kind of call, that shows as much.
    [
      "timeout of puts",
      ["parameters.put", "secrets.put"].map((operation) => ({ operation, kind: "timeout", rate })),
    ],
    [
      "all at once",
      OPERATIONS.map((operation) => ({ operation, kind: random.shuffle(kinds)[0] ?? "", rate })),
    ],
  ];
}

async function withFaults(rig: Rig, faults: readonly Fault[], work: () => Promise<void>): Promise<void> {
  for (const fault of faults) await askSandbox(rig.sandboxUrl, "PUT", "/sandbox/faults", fault);
  await work();
  await askSandbox(rig.sandboxUrl, "DELETE", "/sandbox/faults");
}

/** Groups from their creation to their deletion, and values of both kinds, all at the same time. */
async function playRound(rig: Rig, project: Project, name: string): Promise<void> {
  const zone = name.replaceAll(" ", "-");
  await Promise.all([
    ...Array.from({ length: GROUPS }, (_, index) =>
      serveAndDelete(clientOf(rig), project, `${zone}-${index}`),
    ),
    storeValues(clientOf(rig), project, name),
  ]);
}

async function serveAndDelete(client: ApiClient, project: Project, label: string): Promise<void> {
  const { groupId } = await serve(client, project, label);
  const group = `/v1/domain-certificate-groups/${groupId}`;
  assert.equal((await client.delete(group)).status, 202);
  await until(async () => (await client.get(group)).status === 404, `${label} is deleted`, 120_000);
}

/** @returns how long it took from the records being set until the name was served, in ms */
async function serve(
  client: ApiClient,
  project: Project,
  label: string,
): Promise<{ groupId: string; servedMs: number }> {
  const created = await client.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
    domains: [`${label}.example.com`],
    useDefaultCdn: false,
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const groupId: string = created.body.id;
  const listed = await client.get(`/v1/domain-certificate-groups/${groupId}/domains`);
  const path = `/v1/domains/${listed.body.domains[0].id}`;
  const waiting = await until(
    async () => {
      const { body } = await client.get(path);
      return body.dnsRecords?.length > 0 && body;
    },
    `${label} has records`,
    120_000,
  );
  const setMs = performance.now();
  await setDnsRecords(client, waiting);
  await until(
    async () => {
      const { body } = await client.get(path);
      assert.ok(!body.status.startsWith("ERROR"), `${label}: ${JSON.stringify(body.lastAttachmentError)}`);
      return body.status === "ATTACHED";
    },
    `${label} is served`,
    120_000,
  );
  return { groupId, servedMs: performance.now() - setMs };
}

async function storeValues(client: ApiClient, project: Project, label: string): Promise<void> {
  const path = `/v1/services/${project.services["web"]}/env-variables`;
  const names = Array.from({ length: VALUES }, (_, index) => `V${index}`);
  const sent = await client.post(path, {
    parameterStore: Object.fromEntries(names.map((name) => [`P_${name}`, `${label} of ${name}`])),
    secretsManager: Object.fromEntries(names.map((name) => [`S_${name}`, `${label} of ${name}`])),
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const run = await until(
    async () => {
      const { body } = await client.get(`${path}/status?runId=${sent.body.runId}`);
      return body.isFinished === true && body;
    },
    `the values of ${label} are stored`,
    120_000,
  );
  assert.deepEqual(run.failedEnvVariables, {}, "a passing fault failed a value for good");
}

/** The whole cloud answers nothing but errors for a while; work that was accepted meanwhile ends afterwards. */
async function playAbsence(
  rig: Rig,
  project: Project,
  failures: string[],
  total: () => number,
): Promise<void> {
  const fault = { operation: "*", kind: "server-error", rate: 1 };
  await askSandbox(rig.sandboxUrl, "PUT", "/sandbox/faults", fault);
  const before = total();
  const ended = playRound(rig, project, "absence");
  await sleep(AWAY_MS);
  const during = total() - before;
  await askSandbox(rig.sandboxUrl, "DELETE", "/sandbox/faults");
  const backMs = performance.now();
  await ended;
  const seconds = (performance.now() - backMs) / 1_000;
  console.log(
    `  cloud away for ${AWAY_MS / 1_000} s: ${during} calls in vain, all work ended ${seconds.toFixed(1)} s after its return`,
  );
  if (seconds > 60)
    failures.push(
      `After its absence of ${AWAY_MS / 1_000} s the cloud waited ${seconds.toFixed(0)} s for work`,
    );
}

/** One customer's account does not answer any more; the others' names are served as fast as before. */
async function playDeadAccount(rig: Rig, weather: Weather, failures: string[]): Promise<void> {
  const [healthy, dead] = [
    await createProject(clientOf(rig), "healthy"),
    await createProject(clientOf(rig), "dead"),
  ];
  const sample = async (label: string): Promise<number> => {
    const times: number[] = [];
    for (let batch = 0; batch < 5; batch += 1) {
      const served = await Promise.all(
        Array.from({ length: 4 }, (_, index) => serve(clientOf(rig), healthy, `${label}-${batch}-${index}`)),
      );
      times.push(...served.map(({ servedMs }) => servedMs));
    }
    times.sort((a, b) => a - b);
    return times[Math.floor(times.length * 0.95)] ?? 0;
  };
  await sample("warm");
  const before = await sample("before");
  weather.dead.add(dead.awsAccountId);
  for (let index = 0; index < 30; index += 1) {
    await clientOf(rig).post(`/v1/services/${dead.services["web"]}/domain-certificate-groups`, {
      domains: [`dead-${index}.example.com`],
      useDefaultCdn: false,
    });
  }
  await storeAndForget(clientOf(rig), dead);
  // Nobody can know that an account does not answer before the first time-outs have passed.
  const onset = await sample("onset");
  const after = await sample("after");
  console.log(
    `  one account dead: p95 of the others' names ${before.toFixed(0)} ms before, ${onset.toFixed(0)} ms at its onset, ${after.toFixed(0)} ms after`,
  );
  if (after > before * SLOWER_LIMIT)
    failures.push(`One dead account slowed another: p95 ${(after / before).toFixed(2)} × as long`);
}

async function storeAndForget(client: ApiClient, project: Project): Promise<void> {
  await client.post(`/v1/services/${project.services["web"]}/env-variables`, {
    secretsManager: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`D${index}`, "value"])),
  });
}

process.exitCode = (await main()) ? 0 : 1;
