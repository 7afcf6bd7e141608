/**
 * `npm run test:storm -- [--seed N] [--rate 0.3] [--away SECONDS] [--only PART] [--operations TEXT]`:
 * the cloud fails, in each way and in all at once, on every operation and on each one separately, while customers
 * work; then it is away for a while, or killed; then one account does not answer. All valid work has to end, none of
 * it failed for good, with few more calls than without faults, and other accounts are not slowed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { OPERATIONS } from "../../sandbox/src/protocol.ts";
import { STRAGGLER_MS } from "../../src/cloud/calls/stragglers.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import { until } from "../helpers/until.ts";
import { createRandom } from "./random.ts";
import { type Rig, startRig } from "./rig.ts";
import * as rounds from "./customers/rounds.ts";
import { createWeather, type Weather } from "./weather.ts";
import { askSandbox } from "./ask-sandbox.ts";

/** From design and threat model: the calls made, relative to those needed without faults. */
const CALLS_LIMIT = 1.5;
const SLOWER_LIMIT = 1.1;
/** By then each worker has noticed that the cloud is back (twice the time between two tries of an account). */
const RETURN_SECONDS = 20;
const PATIENCE_MS = 180_000;
const KINDS = ["throttled", "server-error", "lost-response"];
const CYCLES = 3;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    rate: { type: "string", default: "0.3" },
    away: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    operations: { type: "string", default: "" },
  },
});
const seed = Number(options.seed);
const rate = Number(options.rate);
const awayMs = Number(options.away) * 1_000;

type Fault = { readonly operation: string; readonly kind: string; readonly rate: number };

type Storm = {
  readonly rig: Rig;
  readonly client: ApiClient;
  readonly weather: Weather;
  /** What did not hold. */
  readonly failures: string[];
};

const PARTS: Readonly<Record<string, (storm: Storm) => Promise<void>>> = {
  storms: playStorms,
  each: playEach,
  absence: (storm) => playAbsence(storm, "errors"),
  killed: (storm) => playAbsence(storm, "killed"),
  dead: playDeadAccount,
};

async function main(): Promise<boolean> {
  console.log(`Fault storms at a rate of ${rate}, seed ${seed}`);
  const weather = createWeather();
  const rig = await startRig(
    { database: "postgres", seed, workers: 2, organizations: 1 },
    { cloud: weather, database: () => ({ onCommit: () => "pass", onClaim: () => undefined }) },
  );
  const failures: string[] = [];
  try {
    const api = rig.organizations[0]?.[0];
    if (api === undefined) throw new Error("The rig has no organization.");
    const client = rounds.createPatientClient(api);
    for (const [name, play] of Object.entries(PARTS)) {
      if (name.includes(options.only)) await play({ rig, client, weather, failures });
    }
  } finally {
    await rig.dispose();
  }
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(failures.length === 0 ? "All valid work ended." : "The promises did not hold.");
  return failures.length === 0;
}

/** All sorts of work at the same time: enough that chance moves the number of calls by 3 % and not by 6 %. */
async function playRound(worker: rounds.Worker, label: string): Promise<void> {
  await Promise.all([
    rounds.serveAndDelete(worker, label.replaceAll(" ", "-"), 24),
    rounds.storeValues(worker, label, 48),
    rounds.deploy(worker),
    rounds.changeAndDelete(worker, `${label}-changed`),
  ]);
}

async function playStorms({ rig, client, weather, failures }: Storm): Promise<void> {
  const worker = await rounds.createWorker(client, "storm", PATIENCE_MS);
  const measure = async (name: string, faults: readonly Fault[]): Promise<number> => {
    weather.forget();
    const startedMs = performance.now();
    await withFaults(rig.sandboxUrl, faults, () => playRound(worker, name));
    const calls = weather.count(() => true);
    console.log(`  ${name.padEnd(24)} ${String(calls).padStart(5)} calls  ${secondsSince(startedMs)} s`);
    return calls;
  };
  const ideal = Math.max(await measure("no faults", []), await measure("no faults again", []));
  for (const [name, faults] of storms()) judgeCalls(failures, name, await measure(name, faults), ideal);
}

/** Faults are the operations' own: others at the same time are left as they are. */
async function withFaults(
  sandboxUrl: string,
  faults: readonly Fault[],
  work: () => Promise<void>,
): Promise<void> {
  for (const fault of faults) await askSandbox(sandboxUrl, "PUT", "/sandbox/faults", fault);
  await work();
  for (const { operation, kind } of faults)
    await askSandbox(sandboxUrl, "PUT", "/sandbox/faults", { operation, kind, rate: 0 });
}

function storms(): [string, Fault[]][] {
  const random = createRandom(seed);
  return [
    ...KINDS.map((kind): [string, Fault[]] => [kind, [{ operation: "*", kind, rate }]]),
    // Each time-out takes five seconds: at the rate for one kind of call, that shows as much.
    [
      "timeout of puts",
      ["parameters.put", "secrets.put"].map((operation) => ({ operation, kind: "timeout", rate })),
    ],
    [
      "all at once",
      Object.keys(OPERATIONS).map((operation) => ({ operation, kind: random.shuffle(KINDS)[0] ?? "", rate })),
    ],
  ];
}

/** What makes the calls of some operations; different ones do not meet, and are tried at the same time. */
type Lane = {
  readonly operations: RegExp;
  readonly play: (worker: rounds.Worker, label: string) => Promise<void>;
};

const LANES: readonly Lane[] = [
  {
    operations: /^(certificates|distributions)\./,
    play: async (worker, label) =>
      void (await Promise.all([
        rounds.serveAndDelete(worker, label, 3),
        rounds.changeAndDelete(worker, `${label}-changed`),
      ])),
  },
  {
    operations: /^(parameters|secrets)\./,
    play: (worker, label) => rounds.storeAndDeleteValues(worker, label, 6),
  },
  { operations: /^identity\./, play: (worker, label) => rounds.connectAndDelete(worker, label, 40) },
  { operations: /^(builds|releases|services|environments)\./, play: rounds.deployAndDelete },
  { operations: /^executions\./, play: rounds.runCommands },
  { operations: /^(stores|snapshots)\./, play: rounds.keepAndDeleteData },
  { operations: /^zones\./, play: rounds.serveFromZoneAndDelete },
];

/** Each kind of fault on each operation separately. */
async function playEach({ rig, client, weather, failures }: Storm): Promise<void> {
  const untried = Object.keys(OPERATIONS).filter((name) => !LANES.some((lane) => lane.operations.test(name)));
  if (untried.length > 0) failures.push(`No work makes the calls ${untried.join(", ")}`);
  const isAskedFor = (operation: string): boolean => operation.includes(options.operations);
  await Promise.all(
    LANES.map(async ({ operations, play }, index) => {
      if (!Object.keys(OPERATIONS).some((name) => operations.test(name) && isAskedFor(name))) return;
      const worker = await rounds.createWorker(client, `each-${index}`, PATIENCE_MS);
      const { awsAccountId } = worker.project;
      const isOwn = (operation: string): boolean => operations.test(operation);
      let count = 0;
      /** @returns the calls of one round, and how many of them were of one operation */
      const measure = async (faults: readonly Fault[]): Promise<{ all: number; ofIt: number }> => {
        count += 1;
        const connection = operations.test("identity.verify") ? undefined : awsAccountId;
        const tally = () => ({
          all: weather.count(isOwn, connection),
          ofIt: weather.count((operation) => operation === faults[0]?.operation, connection),
        });
        const before = tally();
        await withFaults(rig.sandboxUrl, faults, () => play(worker, `each-${index}-${count}`));
        const after = tally();
        return { all: after.all - before.all, ofIt: after.ofIt - before.ofIt };
      };
      const ideal = Math.max((await measure([])).all, (await measure([])).all);
      for (const operation of Object.keys(OPERATIONS).filter((name) => isOwn(name) && isAskedFor(name))) {
        let [calls, ofIt] = [0, 0];
        const kinds = [...KINDS, "timeout"];
        const startedMs = performance.now();
        for (const kind of kinds) {
          const made = await measure([{ operation, kind, rate }]);
          calls += made.all;
          ofIt += made.ofIt;
        }
        const ratio = (calls / (ideal * kinds.length)).toFixed(2);
        console.log(
          `  ${operation.padEnd(24)} ${String(ofIt).padStart(4)} of ${String(calls).padStart(4)} calls, ${ratio} × as many as without  ${secondsSince(startedMs)} s`,
        );
        judgeCalls(failures, operation, calls, ideal * kinds.length);
      }
    }),
  );
}

/**
 * The cloud answers nothing but errors for a while, or is not there. Work that was accepted before and meanwhile
 * ends afterwards, not much later than it would have without; what is deleted then, when no call of unknown outcome can
 * arrive any more.
 */
async function playAbsence(
  { rig, client, weather, failures }: Storm,
  how: "errors" | "killed",
): Promise<void> {
  const worker = await rounds.createWorker(client, `absence-${how}`, awayMs + PATIENCE_MS);
  /** @returns the groups that are served in the end */
  const play = async (label: string): Promise<readonly string[]> => {
    const [served] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, (_, index) => rounds.serve(worker, `${how}-${label}-${index}`))),
      rounds.storeValues(worker, `${how}-${label}`, 12),
      // The git host is killed together with the cloud, and nothing can be deployed without it.
      how === "errors" ? rounds.deploy(worker) : Promise.resolve(),
    ]);
    return served.map(({ groupId }) => groupId);
  };
  const remove = async (groupIds: readonly string[]): Promise<void> =>
    void (await Promise.all(groupIds.map((id) => rounds.deleteGroup(worker, id))));
  const startedMs = performance.now();
  const early = await play("in-peace");
  const inPeace = secondsSince(startedMs);
  await remove(early);

  weather.forget();
  if (how === "killed") await rig.sandbox.kill();
  else {
    const fault = { operation: "*", kind: "server-error", rate: 1 };
    await askSandbox(rig.sandboxUrl, "PUT", "/sandbox/faults", fault);
  }
  const ending = play("away");
  await Promise.race([ending, sleep(awayMs)]);
  const inVain = weather.count(() => true);
  if (how === "killed") await rig.sandbox.start();
  else await askSandbox(rig.sandboxUrl, "DELETE", "/sandbox/faults");
  const backMs = performance.now();
  const late = await ending;
  const ended = secondsSince(backMs);
  await remove(late);
  const removed = secondsSince(backMs);
  console.log(
    `  cloud ${how === "killed" ? "killed" : "away"} for ${awayMs / 1_000} s: ${inVain} calls without effect; all work ended ${ended} s after its return, and takes ${inPeace} s in peace; its groups were deleted after ${removed} s`,
  );
  const limit = Number(inPeace) * 1.5 + RETURN_SECONDS;
  if (Number(ended) > limit)
    failures.push(`After its absence of ${awayMs / 1_000} s the cloud waited ${ended} s for work`);
  if (Number(removed) > limit + STRAGGLER_MS / 1_000)
    failures.push(`After the cloud's absence of ${awayMs / 1_000} s groups were there for ${removed} s`);
}

/**
 * One customer's account does not answer; the names of another account of the same organization are served
 * as fast as without. Both are measured in turn, so that what else the machine does falls on both.
 */
async function playDeadAccount({ client, weather, failures }: Storm): Promise<void> {
  const healthy = await rounds.createWorker(client, "healthy", PATIENCE_MS);
  const dead = await rounds.createWorker(client, "dead", PATIENCE_MS);
  let batches = 0;
  const sample = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let batch = 0; batch < 8; batch += 1) {
      batches += 1;
      const served = await Promise.all(
        Array.from(
          { length: 4 },
          async (_, index) => await rounds.serve(healthy, `alive-${batches}-${index}`),
        ),
      );
      times.push(...served.map(({ servedMs }) => servedMs));
    }
    return times;
  };
  const all: { without: number[]; withDead: number[] } = { without: [], withDead: [] };
  await sample();
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const without = await sample();
    weather.dead.add(dead.project.awsAccountId);
    const groupIds = await askForMuch(dead, cycle);
    // From the first moment, before anyone knows that the account does not answer.
    const withDead = await sample();
    weather.dead.clear();
    const backMs = performance.now();
    await untilRecords(dead, groupIds);
    console.log(
      `  cycle ${cycle}: p95 ${quantile(without, 0.95)} ms without, ${quantile(withDead, 0.95)} ms with an account that is dead; its work continued within ${secondsSince(backMs)} s of its return`,
    );
    all.without.push(...without);
    all.withDead.push(...withDead);
  }
  const [without, withDead] = [quantile(all.without, 0.95), quantile(all.withDead, 0.95)];
  const ratio = withDead / without;
  console.log(
    `  one account dead: the others' names p50 ${quantile(all.without, 0.5)} → ${quantile(all.withDead, 0.5)} ms, p95 ${without} → ${withDead} ms: ${ratio.toFixed(2)} × as long (${all.without.length} names each)`,
  );
  if (ratio > SLOWER_LIMIT)
    failures.push(`One dead account slowed another: p95 ${ratio.toFixed(2)} × as long`);
}

/** Far more than its share of the workers could do at once. @returns the groups' ids */
async function askForMuch({ client, project }: rounds.Worker, cycle: number): Promise<string[]> {
  const service = `/v1/services/${project.services["web"]}`;
  const groupIds: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    const { body } = await client.post(`${service}/domain-certificate-groups`, {
      domains: [`dead-${cycle}-${index}.example.com`],
      useDefaultCdn: false,
    });
    groupIds.push(body.id);
  }
  await client.post(`${service}/env-variables`, {
    secretsManager: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`D${index}`, `${cycle}`])),
  });
  return groupIds;
}

/** All groups of an account that is back have got as far as without their customer they can. */
async function untilRecords(
  { client, patienceMs }: rounds.Worker,
  groupIds: readonly string[],
): Promise<void> {
  for (const id of groupIds) {
    await until(
      async () => {
        const { body } = await client.get(`/v1/domain-certificate-groups/${id}/domains`);
        return body.domains[0].dnsRecords?.length > 0;
      },
      `the records of ${id}`,
      patienceMs,
    );
  }
}

function judgeCalls(failures: string[], name: string, calls: number, ideal: number): void {
  if (calls / ideal <= CALLS_LIMIT) return;
  failures.push(`${name}: ${(calls / ideal).toFixed(2)} × the calls of a day without faults`);
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1_000).toFixed(1);
}

process.exitCode = (await main()) ? 0 : 1;
