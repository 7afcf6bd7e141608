/**
 * `npm run test:ha -- [--failovers N] [--seed N] [--via both|haproxy|hosts] [--only TEXT] [--customers N]
 * [--times judge|report]`: Slipway on three Patroni nodes, with faults in the cluster while customers work. Then compares what was acknowledged with what
 * is there. Prints its seed, how long requests and work were away, and what did not hold; exit code 1 if anything did
 * not.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createHistory, createPatientClient, insistent } from "../crash/customers/clients.ts";
import { settle } from "../crash/customers/settle.ts";
import { type Customer, PARTS, startCustomer } from "../crash/customers/workload.ts";
import { createRandom, type Random } from "../crash/random.ts";
import { type HaCluster, startHaCluster } from "./cluster/cluster.ts";
import { type Fault, FAULTS } from "./cluster/faults.ts";
import { type Happened, report } from "./report.ts";
import { type Installation, startInstallation, type Way } from "./slipway.ts";
import { type RequestWriters, startRequestWriters } from "./witnesses/request-writers.ts";
import { startRowWriters } from "./witnesses/row-writers.ts";

/** Customers have work under way by then. */
const WARM_MS = 3_000;
/** How long the first call of a worker is waited for, once requests are answered. */
const RESUME_MS = 60_000;
/** A fault may hold up what a customer waits for about as long as three deaths of a process. */
const STRIKES = 3;

const { values: options } = parseArgs({
  options: {
    failovers: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    via: { type: "string", default: "both" },
    only: { type: "string", default: "" },
    customers: { type: "string", default: String(PARTS.length) },
    // Machines that do much else are slower than the limits.
    times: { type: "string", default: "judge" },
  },
});

async function main(): Promise<boolean> {
  const seed = Number(options.seed);
  const ways: readonly Way[] =
    options.via === "haproxy"
      ? ["haproxy", "haproxy"]
      : options.via === "hosts"
        ? ["hosts", "hosts"]
        : ["haproxy", "hosts"];
  console.log(`Failovers by way of ${ways.join(" and ")}, seed ${seed}, ${options.failovers} faults`);
  const startedMs = performance.now();
  const cluster = await startHaCluster();
  try {
    console.log(`Three nodes replicate after ${Math.round((performance.now() - startedMs) / 1_000)} s`);
    const slipway = await startInstallation(ways, seed, (way) => cluster.urlThrough(way, "postgres"));
    try {
      return await play(cluster, slipway, seed);
    } finally {
      await slipway.stop();
    }
  } finally {
    await cluster.stop();
  }
}

async function play(cluster: HaCluster, slipway: Installation, seed: number): Promise<boolean> {
  const history = createHistory(async (what) => console.log(`TOO LATE: ${what}`));
  const happened: Happened[] = [];
  const stopping = new AbortController();
  const rows = await startRowWriters(cluster);
  const requests = startRequestWriters(slipway.witnesses);
  const customers = await startCustomers(slipway, history, happened, seed, stopping.signal);
  const ended = Promise.all(customers.map(({ done }) => done));
  // A customer who got an untrue answer ends the run at once.
  const failure = ended.then(
    () => new Error("The customers stopped early."),
    (error: unknown) => error,
  );
  const random = createRandom(seed);
  await sleep(WARM_MS);
  for (const fault of choose(random)) {
    const outcome = await Promise.race([
      strike(fault, { cluster, slipway, requests, random, happened }),
      failure.then((error) => ({ error })),
    ]);
    if (outcome !== null) throw outcome.error;
  }
  stopping.abort();
  await ended;
  const breaches = await settle(slipway, customers);
  return report({
    happened,
    judgesTimes: options.times === "judge",
    history,
    customers,
    breaches: [...breaches, ...happened.flatMap((one) => one.breaches)],
    rows: await rows.check(),
    requests: await requests.check(),
    processes: slipway.processes,
  });
}

/** As many as asked for, in the order of the seed. A machine dies every other time, beginning with the first. */
function choose(random: Random): readonly Fault[] {
  const [first, ...others] = FAULTS.filter(({ name }) => name.includes(options.only));
  if (first === undefined) throw new Error(`There is no fault whose name contains "${options.only}".`);
  let left: Fault[] = [];
  return Array.from({ length: Number(options.failovers) }, (_, index) => {
    if (index % 2 === 0) return first;
    if (left.length === 0) left = random.shuffle(others);
    return left.shift() ?? first;
  });
}

async function strike(
  fault: Fault,
  around: {
    readonly cluster: HaCluster;
    readonly slipway: Installation;
    readonly requests: RequestWriters;
    readonly random: Random;
    readonly happened: Happened[];
  },
): Promise<null> {
  const { cluster, slipway, requests, random, happened } = around;
  const primary = await cluster.healthy();
  const sinceMs = performance.now();
  const one: Happened = {
    fault,
    answeredMs: new Map(),
    resumedMs: 0,
    healthyMs: 0,
    breaches: [],
    isMoved: false,
  };
  happened.push(one);
  one.breaches = await fault.run(cluster, primary, random);
  const now = await cluster.healthy();
  one.healthyMs = performance.now() - sinceMs;
  one.isMoved = now !== primary;
  await requests.answered();
  for (const api of slipway.witnesses.keys()) one.answeredMs.set(api, requests.answeredAgainMs(api, sinceMs));
  const againMs = sinceMs + Math.min(...one.answeredMs.values());
  const deadlineMs = performance.now() + RESUME_MS;
  const resumed = (): number | undefined => slipway.callsMs.find((ms) => ms > againMs);
  while (resumed() === undefined && performance.now() < deadlineMs) await sleep(100);
  one.resumedMs = (resumed() ?? performance.now()) - sinceMs;
  const times = [...one.answeredMs].map(([api, ms]) => `${api} ${(ms / 1_000).toFixed(1)} s`).join(", ");
  console.log(
    `  ${String(happened.length).padStart(3)}  ${fault.name}: ${one.isMoved ? `${primary.name} → ${now.name}` : primary.name}; answered after ${times}; work after ${(one.resumedMs / 1_000).toFixed(1)} s; whole after ${(one.healthyMs / 1_000).toFixed(1)} s`,
  );
  return null;
}

async function startCustomers(
  { customers: apis, sandboxUrl, dataDir }: Installation,
  history: ReturnType<typeof createHistory>,
  happened: readonly Happened[],
  seed: number,
  stopping: AbortSignal,
): Promise<Customer[]> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const [first] = apis;
  if (first === undefined) throw new Error("There is no API to ask.");
  const customers: Customer[] = [];
  for (const [number, part] of PARTS.slice(0, Number(options.customers)).entries()) {
    const client = createPatientClient(apis, history, () => happened.length * STRIKES);
    const random = createRandom(seed + 2 + number);
    const around = { client, sandboxUrl, dataDir, random, begun, stopping, countStragglers: () => 0 };
    customers.push(await startCustomer(part, `${part}-${number}`, insistent(first), around));
  }
  begin();
  return customers;
}

// By `exit` its processes end too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.exitCode = (await main()) ? 0 : 1;
