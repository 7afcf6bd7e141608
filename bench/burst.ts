/**
 * `npm run bench:burst [-- --groups 1000 --database postgres|embedded]`: eight clients create groups of custom domains
 * (default 1,000) at once, each group with a distribution of its own, all in one cloud account. Measures how fast the
 * groups are accepted, when all show their records, how long reads and a domain whose record is set meanwhile wait, and
 * what the burst costs each process and PostgreSQL by statement. Then the clients delete all groups, and set managed
 * variables (`--variables`, default 1,000).
 */
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { type ApiClient, createApiClient } from "../test/helpers/api-client.ts";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { startProcess } from "../test/helpers/processes/service-process.ts";
import { makeTempDir } from "../test/helpers/template.ts";
import { until } from "../test/helpers/until.ts";
import { percentile } from "./load/median.ts";
import { cpuMsOf, cpuMsWithChildren } from "./process.ts";
import { KEY, startRig } from "./rig.ts";

const CLIENTS = 8;
const MINUTE_MS = 60_000;
/** Of the domains whose record is set while the burst is worked off. */
const PROBES = 20;
const READ_EVERY_MS = 25;
/** So exact are the times until all is done. */
const LOOK_EVERY_MS = 200;

const { values: options } = parseArgs({
  options: {
    groups: { type: "string", default: "1000" },
    database: { type: "string", default: "postgres" },
    variables: { type: "string", default: "1000" },
  },
});
const groups = Number(options.groups);
const variables = Number(options.variables);

type Subject = {
  readonly client: ApiClient;
  /** CPU so far of each process, in ms. */
  readonly cpu: () => Readonly<Record<string, number>>;
  /** Null on the embedded database. */
  readonly database: Client | null;
  dispose(): Promise<void>;
};

async function main(): Promise<void> {
  const subject = options.database === "embedded" ? await startEmbedded() : await startPostgres();
  try {
    await measureBurst(subject);
  } finally {
    await subject.dispose();
  }
}

async function startPostgres(): Promise<Subject> {
  const rig = await startRig({ SLIPWAY_LOG: "error" }, { shared_preload_libraries: "pg_stat_statements" });
  const database = new Client({ connectionString: rig.cluster.url });
  await database.connect();
  await database.query("CREATE EXTENSION pg_stat_statements");
  const pidOf = (name: "api" | "worker" | "sandbox"): number => rig[name].process.pid ?? 0;
  return {
    client: rig.client,
    database,
    cpu: () => ({
      API: cpuMsOf(pidOf("api")),
      worker: cpuMsOf(pidOf("worker")),
      sandbox: cpuMsOf(pidOf("sandbox")),
      PostgreSQL: cpuMsWithChildren(rig.cluster.pid()),
    }),
    async dispose() {
      await database.end();
      await rig.dispose();
    },
  };
}

async function startEmbedded(): Promise<Subject> {
  const dataDir = await makeTempDir("burst");
  const service = await startProcess({
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_API_KEY: KEY,
    SLIPWAY_RATE_LIMIT_PER_MINUTE: "0",
    SLIPWAY_LOG: "error",
  });
  const pid = service.process.pid ?? 0;
  return {
    client: createApiClient(service.listensAt, KEY),
    database: null,
    cpu: () => ({ Slipway: cpuMsOf(pid), PGlite: cpuMsWithChildren(pid) - cpuMsOf(pid) }),
    async dispose() {
      service.process.kill("SIGKILL");
      await service.ended;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function measureBurst(subject: Subject): Promise<void> {
  const { client, database } = subject;
  const { services, environmentId } = await createProject(client, "burst");
  const serviceId = services["web"] ?? "";
  const probes = await createGroups(client, serviceId, "probe", PROBES);
  await untilNoneIs(client, serviceId, "PENDING");

  await database?.query("SELECT pg_stat_statements_reset()");
  const before = subject.cpu();
  const startedAt = performance.now();
  const reading = new AbortController();
  const reads = readAllTheWhile(client, probes[0] ?? "", reading.signal);
  const created = await createGroups(client, serviceId, "burst", groups);
  const acceptedMs = performance.now() - startedAt;
  const attached = Promise.all(probes.map((id, index) => attach(client, id, index * 100)));
  await untilNoneIs(client, serviceId, "PENDING");
  const shownMs = performance.now() - startedAt;
  reading.abort();
  const readMs = await reads;
  const after = subject.cpu();
  const attachMs = await attached;

  print(`| ${groups} groups, ${options.database} | |`);
  print("|---|---|");
  print(`| accepted in | ${seconds(acceptedMs)} (${((groups * 1_000) / acceptedMs).toFixed(0)} a second) |`);
  print(`| all show their records, after the first POST | ${seconds(shownMs)} |`);
  print(`| reads of a domain meanwhile: p50, p99 | ${at(readMs, 0.5)}, ${at(readMs, 0.99)} ms |`);
  print(`| record set meanwhile → ATTACHED: p50, p99 | ${at(attachMs, 0.5)}, ${at(attachMs, 0.99)} ms |`);
  print(`| CPU until then, for each group | ${cpuOf(before, after, groups)} |`);
  await printStatements(database, groups);

  const deletedAt = performance.now();
  const beforeDeletion = subject.cpu();
  await inLanes(created, async (id) => {
    const { status } = await client.delete(`/v1/domain-certificate-groups/${id}`);
    if (status >= 300) throw new Error(`DELETE answered ${status}`);
  });
  print(`| deletion of all accepted in | ${seconds(performance.now() - deletedAt)} |`);
  await until(
    async () => {
      await sleep(LOOK_EVERY_MS);
      const list = await client.get(`/v1/services/${serviceId}/domain-certificate-groups?limit=100`);
      return list.body.domainCertificateGroups.length <= PROBES;
    },
    "all groups are deleted",
    60 * MINUTE_MS,
  );
  print(`| all gone after | ${seconds(performance.now() - deletedAt)} |`);
  print(`| CPU of it, for each group | ${cpuOf(beforeDeletion, subject.cpu(), groups)} |`);

  const variablesAt = performance.now();
  const beforeVariables = subject.cpu();
  const names = Array.from({ length: variables }, (_, index) => `NAME_${index}`);
  const runs: string[] = [];
  await inLanes(chunksOf(names, 10), async (chunk) => {
    const parameterStore = Object.fromEntries(chunk.map((name) => [name, "a value"]));
    const set = await client.post(`/v1/environments/${environmentId}/env-variables`, { parameterStore });
    if (set.status >= 300) throw new Error(set.text);
    runs.push(set.body.runId);
  });
  print(
    `| ${variables} managed variables, ten a request, accepted in | ${seconds(performance.now() - variablesAt)} |`,
  );
  for (const runId of runs) {
    await until(
      async () => {
        const path = `/v1/environments/${environmentId}/env-variables/status?runId=${runId}`;
        // A read that waits would wait for the next change of a run that has ended.
        const { body, status } = await client.get(path);
        if (status !== 200) throw new Error(`The status answered ${status}`);
        return body.status !== "processing";
      },
      `${runId} ends`,
      60 * MINUTE_MS,
    );
  }
  print(`| all stored after | ${seconds(performance.now() - variablesAt)} |`);
  print(`| CPU of it, for each variable | ${cpuOf(beforeVariables, subject.cpu(), variables)} |`);
}

/** @returns the ids of the groups, or of their domains for the probes */
async function createGroups(
  client: ApiClient,
  serviceId: string,
  prefix: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index);
  await inLanes(indexes, async (index) => {
    const created = await client.post(`/v1/services/${serviceId}/domain-certificate-groups`, {
      domains: [`www.${prefix}-${index}.example.com`],
      useDefaultCdn: false,
    });
    if (created.status !== 201) throw new Error(created.text);
    ids.push(prefix === "probe" ? created.body.createdDomains[0].id : created.body.id);
  });
  return ids;
}

async function untilNoneIs(client: ApiClient, serviceId: string, status: string): Promise<void> {
  await until(
    async () => {
      // Asked all the time, this would be a third of what PostgreSQL does.
      await sleep(LOOK_EVERY_MS);
      const found = await client.get(`/v1/domains?serviceId=${serviceId}&status=${status}&limit=1`);
      return found.body.domains.length === 0;
    },
    `no domain is ${status}`,
    60 * MINUTE_MS,
  );
}

async function readAllTheWhile(
  client: ApiClient,
  id: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { status } = await client.get(`/v1/domains/${id}`);
    if (status !== 200) throw new Error(`GET answered ${status}`);
    times.push(performance.now() - startedAt);
    await sleep(READ_EVERY_MS);
  }
  return times;
}

/** @returns how long after its record was set the domain was attached, in ms */
async function attach(client: ApiClient, id: string, afterMs: number): Promise<number> {
  await sleep(afterMs);
  const { body } = await client.get(`/v1/domains/${id}`);
  const record = body.dnsRecords.find(
    ({ purpose }: { purpose: string }) => purpose === "CERTIFICATE_DOMAIN_VERIFICATION",
  );
  const startedAt = performance.now();
  await client.put("/sandbox/dns/records", { name: record.name, type: "CNAME", values: [record.value] });
  let etag = "";
  await until(
    async () => {
      // Without the ETag, a change between two requests would be waited for once more.
      const answer = await client.get(`/v1/domains/${id}`, { prefer: "wait=10", "if-none-match": etag });
      etag = answer.headers.get("etag") ?? etag;
      return answer.status === 200 && answer.body.status === "ATTACHED";
    },
    `${id} is attached`,
    60 * MINUTE_MS,
  );
  return performance.now() - startedAt;
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

async function printStatements(database: Client | null, per: number): Promise<void> {
  if (database === null) return;
  const { rows } = await database.query<{ query: string; calls: number; ms: number }>(
    `SELECT regexp_replace(left(query, 110), '\\s+', ' ', 'g') AS query, calls::int, total_exec_time AS ms
       FROM pg_stat_statements ORDER BY total_exec_time DESC`,
  );
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  const ms = rows.reduce((sum, row) => sum + row.ms, 0);
  print(
    `| statements and PostgreSQL's time, for each group | ${(calls / per).toFixed(1)}, ${(ms / per).toFixed(2)} ms |`,
  );
  for (const row of rows.slice(0, 25))
    print(
      `|   ${(row.calls / per).toFixed(2)} × ${(row.ms / row.calls).toFixed(3)} ms = ${(row.ms / per).toFixed(2)} ms | ${row.query.replaceAll("|", "¦")} |`,
    );
}

function cpuOf(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  per: number,
): string {
  const each = Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / per] as const);
  const sum = each.reduce((total, [, ms]) => total + ms, 0);
  return `${sum.toFixed(0)} ms: ${each.map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(", ")}`;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function at(values: readonly number[], share: number): string {
  return percentile(values, share).toFixed(0);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
