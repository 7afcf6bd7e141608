/**
 * `npm run bench:attach [-- --groups 10000 --sample 200]`: with many groups waiting for their records, the time
 * from a record's being set in the DNS to `ATTACHED`, as a client sees it. One API and one worker on PostgreSQL; the
 * sandbox without its lags, for they are the provider's and not ours. The groups wait since just now, which is when
 * records are looked at most often.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createProject } from "../test/helpers/customers/scenario.ts";
import type { ApiClient } from "../test/helpers/api-client.ts";
import { sumOfCounter } from "../test/helpers/processes/metrics.ts";
import { until } from "../test/helpers/until.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { type Rig, startRig } from "./rig.ts";
import { seedWaitingGroups, type WaitingDomain } from "./seed/seed-waiting.ts";

/** Between two records of the sample, so that they do not queue behind each other. */
const PAUSE_MS = 100;
const MINUTE_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    groups: { type: "string", default: "10000" },
    sample: { type: "string", default: "200" },
  },
});
const groups = Number(options.groups);
const sample = Number(options.sample);

async function main(): Promise<void> {
  const rig = await startRig({ SLIPWAY_LOG: "error" });
  const database = new Client({ connectionString: rig.cluster.url });
  await database.connect();
  try {
    const startedAt = performance.now();
    const { services } = await createProject(rig.client, "bench");
    const template = await createWaitingGroup(rig.client, services["web"] ?? "");
    const domains = await seedWaitingGroups(rig, database, template, groups);
    print(`${groups} groups wait for their record after ${seconds(startedAt)} s`);
    await untilNoneIsLeft(database, NEVER_LOOKED_AT, "every record was looked at once");
    await untilNoneIsLeft(database, LATE_STEPS, "no step is late");
    const looks = await measureLooks(rig, database);
    print(looks);

    const before = cpuMs(rig);
    const step = Math.max(1, Math.floor(domains.length / sample));
    const times: number[] = [];
    const setAt = new Map<string, number>();
    const running: Promise<void>[] = [];
    for (let index = 0; index < domains.length && running.length < sample; index += step) {
      const domain = domains[index];
      if (domain !== undefined) running.push(attach(rig.client, domain, setAt, times));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await Promise.all(running);
    const after = cpuMs(rig);
    print(
      `CPU meanwhile, for each of them: ${Object.entries(after)
        .map(([name, ms]) => `${name} ${((ms - (before[name] ?? 0)) / times.length).toFixed(0)} ms`)
        .join(", ")}`,
    );
    const found = await listFound(database, setAt);
    const at = (share: number): string => secondsAt(times, share);
    print("");
    print(`| record set → ATTACHED, ${groups} groups waiting, ${times.length} measured | | reach |`);
    print("|---|---|---|");
    print(`| p50 | ${at(0.5)} | ≤ 2 s |`);
    print(`| p99 | ${at(0.99)} | ≤ 10 s |`);
    print(`| longest | ${at(1)} | |`);
    print(
      `| of which until our look found it: p50, p99 | ${secondsAt(found, 0.5)}, ${secondsAt(found, 0.99)} | |`,
    );
  } finally {
    await database.end();
    await rig.dispose();
  }
}

/** Of each process so far; the checks continue in the worker, the sandbox's DNS server and PostgreSQL. */
function cpuMs({ api, worker, sandbox, cluster }: Rig): Readonly<Record<string, number>> {
  return {
    API: cpuMsOf(api.process.pid ?? 0),
    worker: cpuMsOf(worker.process.pid ?? 0),
    sandbox: cpuMsOf(sandbox.process.pid ?? 0),
    PostgreSQL: cpuMsWithChildren(cluster.pid()),
  };
}

/** One group, made as clients make them; the others are copies of its rows. @returns its id */
async function createWaitingGroup(api: ApiClient, serviceId: string): Promise<string> {
  const created = await api.post(`/v1/services/${serviceId}/domain-certificate-groups`, {
    domains: ["www.customer.example.com"],
    useDefaultCdn: false,
  });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const [domain] = created.body.createdDomains;
  await until(async () => {
    const { body } = await api.get(`/v1/domains/${domain.id}`);
    return body.status === "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" && body.dnsRecords.length === 2;
  }, "the first group waits for its record");
  return created.body.id;
}

const NEVER_LOOKED_AT = "SELECT count(id)::int AS left FROM dns_records WHERE last_check_at IS NULL";
/** Work that became due while the rows were created is done first: the steady state is measured. */
const LATE_STEPS =
  "SELECT count(*)::int AS left FROM reconciliations WHERE state = 'ready' AND due_at < now() - interval '1 second'";

async function untilNoneIsLeft(database: Client, counting: string, what: string): Promise<void> {
  const count = async () => (await database.query<{ left: number }>(counting)).rows[0]?.left;
  await until(async () => (await count()) === 0, what, 10 * MINUTE_MS);
}

const LOOKS_SECONDS = 10;

/** How many records the worker looks at in a second, and what a look costs it and PostgreSQL. */
async function measureLooks({ worker, cluster }: Rig, database: Client): Promise<string> {
  const workerPid = worker.process.pid ?? 0;
  const state = async () => {
    const { rows } = await database.query<{ wal: string }>("SELECT pg_current_wal_lsn() - '0/0' AS wal");
    return {
      wal: Number(rows[0]?.wal),
      looks: await sumOfCounter(worker, "slipway_dns_looks_total"),
      workerMs: cpuMsOf(workerPid),
      postgresMs: cpuMsWithChildren(cluster.pid()),
    };
  };
  const before = await state();
  await new Promise((resolve) => setTimeout(resolve, LOOKS_SECONDS * 1_000));
  const after = await state();
  const looks = after.looks - before.looks;
  const each = (value: number): string => (value / looks).toFixed(3);
  return (
    `${(looks / LOOKS_SECONDS).toFixed(0)} looks a second; CPU of a look: worker ` +
    `${each(after.workerMs - before.workerMs)} ms, PostgreSQL ${each(after.postgresMs - before.postgresMs)} ms; ` +
    `WAL of a look: ${((after.wal - before.wal) / looks).toFixed(0)} bytes`
  );
}

async function attach(
  api: ApiClient,
  { id, record }: WaitingDomain,
  setAt: Map<string, number>,
  times: number[],
): Promise<void> {
  const startedAt = performance.now();
  setAt.set(id, Date.now());
  await api.put("/sandbox/dns/records", { name: record.name, type: "CNAME", values: [record.value] });
  // A change between two requests must not be missed.
  let etag = "";
  await until(
    async () => {
      const read = await api.get(`/v1/domains/${id}`, { prefer: "wait=10", "if-none-match": etag });
      etag = read.headers.get("etag") ?? etag;
      return read.status === 200 && read.body.status === "ATTACHED";
    },
    `${id} is attached`,
    5 * MINUTE_MS,
  );
  times.push(performance.now() - startedAt);
}

/** For each domain, how long after its record was set our own look had found it, in ms. */
async function listFound(database: Client, setAt: ReadonlyMap<string, number>): Promise<readonly number[]> {
  const { rows } = await database.query<{ id: string; since: Date }>(
    "SELECT domain_id AS id, since FROM dns_records WHERE domain_id = ANY($1) AND purpose = 'CERTIFICATE_DOMAIN_VERIFICATION'",
    [[...setAt.keys()]],
  );
  return rows.map(({ id, since }) => since.getTime() - (setAt.get(id) ?? Number.NaN));
}

function secondsAt(timesMs: readonly number[], share: number): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return `${((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN) / 1000).toFixed(2)} s`;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
