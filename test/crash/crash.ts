/**
 * `npm run test:crash -- [--database postgres|embedded|citus|pgbouncer] [--kills N] [--seed N] [--only TEXT] [--skip TEXT]
 * [--at-once N] [--workers N] [--customers N] [--minutes N]`: kills processes at every external effect while customers
 * work, then compares the answers that they got with the final state. Prints its seed and a table; exit code 1 if
 * anything was lost, doubled, left over, or resumed too late.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { STRAGGLER_MS } from "../../src/cloud/calls/stragglers.ts";
import { createHistory, createPatientClient, type History, insistent } from "./customers/clients.ts";
import { deeds } from "./deaths/deeds.ts";
import { createExecutioner, type Executioner } from "./deaths/executioner.ts";
import type { CountStragglers } from "./customers/invariants.ts";
import { settle } from "./customers/settle.ts";
import { createRandom } from "./random.ts";
import { report } from "./report.ts";
import { type Rig, type RigSettings, startRig } from "./rig.ts";
import { describeQueue, type Wait } from "./deaths/work-ledger.ts";
import { type Customer, PARTS, startCustomer } from "./customers/workload.ts";

const DATABASES = ["postgres", "embedded", "citus", "pgbouncer"] as const;
/** A dead process's claim that waits this long is about to be late. */
const LATE_MS = 14_000;

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "postgres" },
    kills: { type: "string", default: "12" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string", default: "" },
    skip: { type: "string", default: "" },
    "at-once": { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    customers: { type: "string", default: String(PARTS.length) },
    minutes: { type: "string", default: "" },
  },
});

async function main(): Promise<boolean> {
  const seed = Number(options.seed);
  const settings: RigSettings = {
    database: DATABASES.find((name) => name === options.database) ?? "postgres",
    seed,
    workers: Number(options.workers),
    // Steps of one organization run eight at once, and the claims of the dead count until they are taken over.
    organizations: Math.ceil(Number(options.customers) / PARTS.length),
  };
  console.log(`Crash matrix on ${settings.database}, seed ${seed}, ${options.kills} deaths`);
  // Separate for each, so that the order of the deaths does not depend on who was faster.
  const executioner = createExecutioner(createRandom(seed + 1));
  const rig = await startRig(settings, executioner);
  try {
    return await play(rig, executioner, seed);
  } catch (error) {
    for (const mortal of new Set([...rig.apis, ...rig.workers]))
      console.log(`${mortal.name}: ${mortal.lastWords()}`);
    throw error;
  } finally {
    await rig.dispose();
  }
}

async function play(rig: Rig, executioner: Executioner, seed: number): Promise<boolean> {
  const history = createHistory(async (what) => {
    const queue = rig.cluster === null ? "" : await describeQueue(rig.cluster.url);
    console.log(`TOO LATE: ${what}\n${queue}`);
  });
  const stopping = new AbortController();
  const customers = await startCustomers(rig, executioner, history, seed, stopping.signal);
  const ended = Promise.all(customers.map(({ done }) => done));
  // A customer who got an untrue answer ends the run at once.
  const failure = ended.then(
    () => new Error("The customers stopped early."),
    (error: unknown) => error,
  );
  const watching = watchWaits(rig, executioner, stopping.signal);
  const others = await kill(rig, executioner, seed, failure);
  stopping.abort();
  await watching;
  await ended;
  const breaches = await settle(rig, customers);
  if (rig.cluster !== null) await forgetEnded(rig.cluster.url, executioner);
  return report({ executioner, history, customers, others, breaches, rig });
}

/** Prints what is due while a dead process's claim waits too long: afterwards the cause could not be found. */
async function watchWaits({ cluster }: Rig, { ledger }: Executioner, stopping: AbortSignal): Promise<void> {
  if (cluster === null) return;
  const told = new Set<Wait>();
  while (!stopping.aborted) {
    await sleep(500);
    const late = ledger.waits.filter(
      (wait) => wait.afterMs === null && performance.now() - wait.sinceMs > LATE_MS && !told.has(wait),
    );
    if (late.length === 0) continue;
    for (const wait of late) told.add(wait);
    const queue = await describeQueue(cluster.url).catch(String);
    // If an entity is done by now, its process died while it reported the entity as done.
    if (!late.some(({ entity }) => queue.includes(entity.replace(":", " ")))) continue;
    const claims = late.map(({ entity, process }) => `${entity} of ${process}`).join(", ");
    console.log(`A CLAIM WAITS: ${claims}\n${queue}`);
  }
}

async function startCustomers(
  { organizations, sandboxUrl, dataDir }: Rig,
  { ledger, deaths }: Executioner,
  history: History,
  seed: number,
  stopping: AbortSignal,
): Promise<Customer[]> {
  const countStragglers: CountStragglers = (awsAccountId, deletedAtMs) =>
    deaths.filter(
      ({ kind, connectionId, diedAtMs }) =>
        kind.endsWith(" freeze") &&
        connectionId === awsAccountId &&
        Math.abs(diedAtMs - deletedAtMs) < STRAGGLER_MS,
    ).length;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const customers: Customer[] = [];
  const count = Math.min(Number(options.customers), organizations.length * PARTS.length);
  for (let number = 0; number < count; number += 1) {
    const part = PARTS[number % PARTS.length] ?? "domains";
    const apis = organizations[Math.floor(number / PARTS.length)] ?? [];
    const [first] = apis;
    if (first === undefined) throw new Error("There is no API to ask.");
    let own: readonly string[] = [];
    const client = createPatientClient(apis, history, (ids) => ledger.countStrikes([...own, ...ids]));
    const random = createRandom(seed + 2 + number);
    const around = { client, sandboxUrl, dataDir, random, begun, stopping, countStragglers };
    const customer = await startCustomer(part, `${part}-${number}`, insistent(first), around);
    own = [customer.awsAccountId];
    customers.push(customer);
  }
  begin();
  return customers;
}

/** Runs several deaths at once, each followed by the next. @returns how often each unrecorded death happened */
async function kill(
  rig: Rig,
  executioner: Executioner,
  seed: number,
  failure: Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const others = new Map<string, number>();
  const kills = Number(options.kills);
  const lastsMs = options.minutes === "" ? Number.POSITIVE_INFINITY : Number(options.minutes) * 60_000;
  const startedMs = performance.now();
  const all = deeds(
    rig,
    executioner,
    createRandom(seed),
    (name) => name.includes(options.only) && (options.skip === "" || !name.includes(options.skip)),
  );
  let done = 0;
  const killOn = async (): Promise<void> => {
    for (const deed of all) {
      if (done >= kills || performance.now() - startedMs > lastsMs) return;
      const outcome = await Promise.race([deed.run(), failure.then((error) => ({ error }))]);
      if (typeof outcome === "object") throw outcome.error;
      if (!outcome) continue;
      done += 1;
      if (!deed.isRecorded) others.set(deed.name, (others.get(deed.name) ?? 0) + 1);
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      console.log(`  ${String(done).padStart(4)}  ${String(seconds).padStart(5)} s  ${deed.name}`);
    }
  };
  await Promise.all(Array.from({ length: Number(options["at-once"]) }, killOn));
  return others;
}

/** Waits until what the dead had claimed was claimed by others, or turns out to have ended with them. */
async function forgetEnded(databaseUrl: string, { ledger }: Executioner): Promise<void> {
  const deadlineMs = performance.now() + LATE_MS;
  while (ledger.waits.some(({ afterMs }) => afterMs === null) && performance.now() < deadlineMs) {
    await ledger.forgetEnded(databaseUrl);
    await sleep(500);
  }
}

process.exitCode = (await main()) ? 0 : 1;
