/**
 * `npm run bench:soak [-- --minutes 30 --customers 6]`: whether anything grows that should not. Customers create
 * groups, bring them to ATTACHED, write variables, read, and delete it all again, so that the amount of data stays the
 * same. Meanwhile memory, file descriptors, connections and the size of every table are sampled. Records with a
 * retention are aged every minute, so that a day of answers and a year of audit entries pass in ten minutes.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import type { ApiClient } from "../test/helpers/api-client.ts";
import { createProject, setDnsRecords } from "../test/helpers/customers/scenario.ts";
import { until } from "../test/helpers/until.ts";
import { median } from "./load/median.ts";
import { descriptorsOf, residentMbOf } from "./process.ts";
import { type Rig, startRig } from "./rig.ts";

const SAMPLE_MS = 15_000;
const AGE_MS = 60_000;
const PATIENCE_MS = 120_000;
/** A customer starts over at this rate: otherwise a machine that gets quieter would have more to keep. */
const ROUND_MS = 10_000;
const MINUTE_MS = 60_000;
/** A figure may rise by this much from the second third of a run to the last although nothing grows. */
const ALLOWED_SHARE = 1.1;
const ALLOWED_TABLE_KB = 1_024;
/**
 * Memory in use just after a garbage collection. Resident memory says little about a leak: V8 takes more as long as the
 * machine has it, and under a light load for an hour.
 */
const LOWEST_HEAP = "lowest used heap, MB";

const { values: options } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, customers: { type: "string", default: "6" } },
});
const durationMs = Number(options.minutes) * MINUTE_MS;

/** Figures by name, at one instant. */
type Sample = ReadonlyMap<string, number>;

async function main(): Promise<void> {
  const rig = await startRig({ SLIPWAY_LOG: "error" });
  const database = new Client({ connectionString: rig.cluster.url });
  await database.connect();
  const running = new AbortController();
  try {
    const { services } = await createProject(rig.client, "soak");
    const serviceId = services["web"] ?? "";
    const answers = new Map<number, number>();
    const client = counting(rig.client, answers);
    const counts = { groups: 0, runs: 0 };
    const endAt = performance.now() + durationMs;
    const customers = Array.from({ length: Number(options.customers) }, (_, index) =>
      beCustomer(client, serviceId, index, counts, running.signal),
    );
    const samples: Sample[] = [];
    let agedAt = performance.now();
    while (performance.now() < endAt) {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, SAMPLE_MS)), ...customers]);
      samples.push(await takeSample(rig, database));
      if (performance.now() - agedAt < AGE_MS) continue;
      agedAt = performance.now();
      await age(database);
    }
    running.abort();
    await Promise.all(customers);
    report(samples, counts, answers);
  } finally {
    running.abort();
    await database.end();
    await rig.dispose();
  }
}

/** A customer who creates and deletes things, over and over. */
async function beCustomer(
  api: ApiClient,
  serviceId: string,
  index: number,
  counts: { groups: number; runs: number },
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    const nextAt = performance.now() + ROUND_MS;
    const key = { "idempotency-key": `customer-${index}-${round}` };
    const created = await api.post(
      `/v1/services/${serviceId}/domain-certificate-groups`,
      { domains: [`www.customer-${index}-${round}.example.com`], useDefaultCdn: false },
      key,
    );
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
    const id: string = created.body.createdDomains[0].id;
    const waiting = await reaches(api, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    await setDnsRecords(api, waiting);
    await reaches(api, id, "ATTACHED");
    await api.get(`/v1/services/${serviceId}/domain-certificate-groups?limit=20`);

    const set = await api.post(
      `/v1/services/${serviceId}/env-variables`,
      {
        plainText: { [`PLAIN_${index}`]: String(round) },
        parameterStore: { [`STORED_${index}`]: String(round) },
      },
      { "idempotency-key": `variables-${index}-${round}` },
    );
    await until(
      async () => {
        const { body } = await api.get(
          `/v1/services/${serviceId}/env-variables/status?runId=${set.body.runId}`,
          {
            prefer: "wait=10",
          },
        );
        return body.isFinished === true;
      },
      `${set.body.runId} ends`,
      PATIENCE_MS,
    );
    counts.runs += 1;
    await api.delete(`/v1/domain-certificate-groups/${created.body.id}`);
    await until(
      async () => (await api.get(`/v1/domains/${id}`, { prefer: "wait=10" })).status === 404,
      `${id} is gone`,
      PATIENCE_MS,
    );
    for (const { name, type } of waiting.dnsRecords) await api.delete("/sandbox/dns/records", { name, type });
    counts.groups += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())));
  }
}

async function reaches(api: ApiClient, id: string, status: string) {
  return await until(
    async () => {
      const { body } = await api.get(`/v1/domains/${id}`, { prefer: "wait=10" });
      return body.status === status && body.dnsRecords.length > 0 ? body : null;
    },
    `${id} becomes ${status}`,
    PATIENCE_MS,
  );
}

function counting(api: ApiClient, answers: Map<number, number>): ApiClient {
  const count = async <T extends { readonly status: number }>(answer: Promise<T>): Promise<T> => {
    const { status } = await answer;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    return await answer;
  };
  return {
    ...api,
    get: (...given) => count(api.get(...given)),
    post: (...given) => count(api.post(...given)),
    put: (...given) => count(api.put(...given)),
    delete: (...given) => count(api.delete(...given)),
  };
}

async function takeSample({ api, worker, sandbox, cluster }: Rig, database: Client): Promise<Sample> {
  const sample = new Map<string, number>();
  for (const [name, { process }] of Object.entries({ api, worker, sandbox })) {
    const pid = process.pid ?? 0;
    sample.set(`${name}: resident memory, MB`, residentMbOf(pid));
    sample.set(`${name}: file descriptors`, descriptorsOf(pid));
  }
  for (const [name, { listensAt }] of Object.entries({ api, worker })) {
    const metrics = await (await fetch(`${listensAt}/metrics`)).text();
    const megabytesOf = (gauge: string) =>
      Number(new RegExp(`^${gauge} (\\S+)$`, "m").exec(metrics)?.[1]) / 1_048_576;
    sample.set(`${name}: ${LOWEST_HEAP}`, megabytesOf("nodejs_heap_size_used_bytes"));
  }
  sample.set("postgres: file descriptors", descriptorsOf(cluster.pid()));
  const { rows: connections } = await database.query<{ count: number }>(
    "SELECT count(pid)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  sample.set("postgres: connections", connections[0]?.count ?? 0);
  const { rows: tables } = await database.query<{ name: string; kb: number }>(
    `SELECT schemaname || '.' || relname AS name, (pg_total_relation_size(relid) / 1024)::int AS kb
       FROM pg_stat_user_tables WHERE pg_total_relation_size(relid) > 65536`,
  );
  for (const { name, kb } of tables) sample.set(`table ${name}, KB`, kb);
  return sample;
}

/** Two hours and forty days older by the minute: answers are kept for a day, audit entries for four hundred. */
async function age(database: Client): Promise<void> {
  await database.query("UPDATE idempotency_keys SET created_at = created_at - interval '2 hours'");
  await database.query("UPDATE audit_entries SET at = at - interval '40 days'");
  await database.query("UPDATE env_variable_runs SET created_at = created_at - interval '3 days'");
}

/** The second third of the run against the last; the first is for what fills up once. */
function report(
  samples: readonly Sample[],
  { groups, runs }: { groups: number; runs: number },
  answers: ReadonlyMap<number, number>,
): void {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  const names = [...new Set(samples.flatMap((sample) => [...sample.keys()]))].toSorted();
  const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  print(
    `${options.minutes} min: ${groups} groups and ${runs} runs of variables made and ended; answers ${told}`,
  );
  print("");
  print("| | second third | last third | flat |");
  print("|---|---|---|---|");
  for (const name of names) {
    const of = (part: readonly Sample[]): number => {
      const values = part.map((sample) => sample.get(name) ?? 0);
      return name.endsWith(LOWEST_HEAP) ? Math.min(...values) : median(values);
    };
    const [before, after] = [of(middle), of(last)];
    const allowed = name.startsWith("table") ? before + ALLOWED_TABLE_KB : before * ALLOWED_SHARE;
    const verdict = name.endsWith("resident memory, MB") ? "" : after <= allowed ? "yes" : "NO";
    print(`| ${name} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${verdict} |`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
