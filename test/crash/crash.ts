/**
 * `npm run test:crash -- [--database postgres|embedded] [--kills N] [--seed N] [--only TEXT] [--skip TEXT]`: kills processes at every
 * external effect while customers work, then compares what they were told with what there is. Prints its
 * seed and a table; exit code 1 when anything was lost, doubled, left over, or resumed too late.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createProject } from "../helpers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createHistory, createPatientClient, type History } from "./clients.ts";
import { type Cell, createExecutioner, type Executioner, OPERATIONS } from "./executioner.ts";
import { findBreaches } from "./invariants.ts";
import { createRandom, type Random } from "./random.ts";
import { type Rig, startRig } from "./rig.ts";
import { type Customer, type Part, startCustomer } from "./workload.ts";

/** The design's figure: a dead worker's work goes on elsewhere within this. */
const RESUME_LIMIT_MS = 15_000;
const SETTLE_MS = 90_000;
const PARTS: readonly Part[] = ["domains", "variables", "domains", "variables", "accounts", "domains"];

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "postgres" },
    kills: { type: "string", default: "12" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string", default: "" },
    skip: { type: "string", default: "" },
  },
});

type Deed = { readonly name: string; readonly run: (rig: Rig, executioner: Executioner) => Promise<boolean> };

/** Every way to die, in the order of the seed; it begins again when there are more kills than ways. */
function* deeds(database: string, random: Random): Generator<Deed> {
  const cells = OPERATIONS.flatMap((operation): Cell[] => [
    { operation, point: "before" },
    { operation, point: "after" },
    { operation, point: "commit" },
  ]);
  const isEmbedded = database === "embedded";
  const frozen = isEmbedded ? [] : OPERATIONS.filter((operation) => !operation.endsWith(".describe"));
  const kill = (cell: Cell): Deed => ({
    name: `${cell.operation} ${cell.point}`,
    run: (rig, executioner) => executioner.execute(cell, rig.workers),
  });
  for (;;) {
    const all = random.shuffle([
      ...cells.map(kill),
      // One frozen worker in eight deaths: each takes longer than a lease.
      ...random
        .shuffle(frozen)
        .slice(0, 4)
        .map((operation) => kill({ operation, point: "freeze" })),
      ...(isEmbedded ? [] : apiDeeds()),
      { name: "sandbox killed", run: restartSandbox },
    ]);
    const chosen = all.filter(
      ({ name }) => name.includes(options.only) && (options.skip === "" || !name.includes(options.skip)),
    );
    if (chosen.length === 0) throw new Error("No way to die has such a name.");
    yield* chosen;
  }
}

function apiDeeds(): Deed[] {
  return [
    { name: "api commit sent", run: (rig, executioner) => executioner.executeAtCommit(rig.api, "sent") },
    { name: "api commit done", run: (rig, executioner) => executioner.executeAtCommit(rig.api, "done") },
    {
      name: "api commit sent again",
      run: (rig, executioner) => executioner.executeAtCommit(rig.api, "sent"),
    },
    {
      name: "api commit done again",
      run: (rig, executioner) => executioner.executeAtCommit(rig.api, "done"),
    },
    { name: "postgres stopped immediately", run: restartPostgres },
  ];
}

async function restartSandbox({ sandbox }: Rig): Promise<boolean> {
  await sandbox.kill();
  await sleep(500);
  await sandbox.start();
  return true;
}

/** Every process must work again afterwards, not only those that were lucky. */
async function restartPostgres({ cluster, workers }: Rig, { lastHeardMs }: Executioner): Promise<boolean> {
  cluster?.stopImmediately();
  await sleep(1_000);
  cluster?.start();
  const startedMs = performance.now();
  await until(
    () => workers.every(({ name }) => (lastHeardMs.get(name) ?? 0) > startedMs),
    "every worker goes on after PostgreSQL is back",
    2 * RESUME_LIMIT_MS,
  );
  return true;
}

async function main(): Promise<boolean> {
  const seed = Number(options.seed);
  const database = options.database === "embedded" ? "embedded" : "postgres";
  console.log(`Crash matrix on ${database}, seed ${seed}, ${options.kills} deaths`);
  // Each its own, so that the order of the deaths does not depend on who was faster.
  const random = createRandom(seed);
  const executioner = createExecutioner(createRandom(seed + 1));
  const rig = await startRig(database, seed, executioner);
  try {
    return await play(rig, executioner, random, database, seed);
  } catch (error) {
    for (const mortal of [rig.api, ...rig.workers]) console.log(`${mortal.name}: ${mortal.lastWords()}`);
    throw error;
  } finally {
    await rig.dispose();
  }
}

async function play(
  rig: Rig,
  executioner: Executioner,
  random: Random,
  database: string,
  seed: number,
): Promise<boolean> {
  const history = createHistory();
  const client = createPatientClient(rig.client, history);
  const stopping = new AbortController();
  const customers: Customer[] = [];
  for (const [index, part] of PARTS.entries()) {
    const project = await createProject(rig.client, `${part}-${index}`);
    const around = {
      client,
      sandboxUrl: rig.sandboxUrl,
      random: createRandom(seed + 2 + index),
      stopping: stopping.signal,
    };
    customers.push(startCustomer(part, project, around));
  }
  const ended = Promise.all(customers.map(({ done }) => done));
  // A customer whom something untrue was told ends the run at once.
  const failure = ended.then(
    () => null,
    (error: unknown) => error,
  );
  const others = new Map<string, number>();
  const kills = Number(options.kills);
  let done = 0;
  for (const deed of deeds(database, random)) {
    if (done >= kills) break;
    const outcome = await Promise.race([deed.run(rig, executioner), failure.then((error) => ({ error }))]);
    if (typeof outcome === "object") throw outcome.error ?? new Error("The customers stopped early.");
    if (!outcome) continue;
    done += 1;
    if (!/ (?:before|after|commit|freeze)$|^api/.test(deed.name))
      others.set(deed.name, (others.get(deed.name) ?? 0) + 1);
    console.log(`  ${String(done).padStart(4)}  ${deed.name}`);
  }
  stopping.abort();
  await ended;
  const breaches = await settle(rig, client, customers);
  return report(executioner, history, others, breaches, customers);
}

/** The breaches that are left when nothing is under way any more. */
async function settle(
  { sandboxUrl }: Rig,
  client: ReturnType<typeof createPatientClient>,
  customers: readonly Customer[],
): Promise<readonly string[]> {
  const deadlineMs = performance.now() + SETTLE_MS;
  const expected = customers.map((customer) => customer.expected);
  for (;;) {
    const breaches = await findBreaches(client, sandboxUrl, expected);
    if (breaches.length === 0 || performance.now() > deadlineMs) return breaches;
    await sleep(500);
  }
}

function report(
  { deaths, missed, calls }: Executioner,
  history: History,
  others: ReadonlyMap<string, number>,
  breaches: readonly string[],
  customers: readonly Customer[],
): boolean {
  const counts = new Map<string, number>(others);
  for (const { operation, point } of deaths) {
    const key = `${operation} ${point}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  console.log("\nDeaths:");
  for (const key of [...counts.keys()].sort()) console.log(`  ${key.padEnd(40)} ${counts.get(key) ?? 0}`);
  const missedKinds = new Set(missed.map(({ operation, point }) => `${operation} ${point}`));
  if (missed.length > 0) console.log(`No call came by for: ${[...missedKinds].join(", ")}`);
  const resumed = deaths.flatMap(({ resumedMs }) =>
    resumedMs === null || resumedMs === 0 ? [] : [resumedMs],
  );
  resumed.sort((a, b) => a - b);
  const at = (share: number): string =>
    `${((resumed[Math.floor((resumed.length - 1) * share)] ?? 0) / 1_000).toFixed(1)} s`;
  console.log(
    `Work resumed after: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} (${resumed.length} measured)`,
  );
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const groups = customers.reduce(
    (sum, { expected }) => sum + expected.groups.size + expected.deletedGroups.length,
    0,
  );
  console.log(
    `Clients: ${history.acknowledgedWrites} writes acknowledged, ${history.repeatedWrites} of them after a repetition, ` +
      `${history.replayedWrites} replayed; ${history.refusedWhileDown} times 503; ${groups} groups; ${all} calls to the cloud`,
  );
  const late = resumed.filter((ms) => ms > RESUME_LIMIT_MS).length;
  if (late > 0) console.log(`FAILED: ${late} resumed after more than ${RESUME_LIMIT_MS / 1_000} s`);
  for (const breach of [...history.breaches, ...breaches]) console.log(`FAILED: ${breach}`);
  const isGood = late === 0 && history.breaches.length + breaches.length === 0;
  console.log(isGood ? "Nothing lost, nothing doubled, nothing left over." : "The promises did not hold.");
  return isGood;
}

process.exitCode = (await main()) ? 0 : 1;
