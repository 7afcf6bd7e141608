/**
 * `npm run bench:plans [-- --domains 1000000]`: how PostgreSQL runs each statement when there is much in every table,
 * and how large a row is there with its indexes. A client and a worker go once through what there is to do; PostgreSQL
 * logs the plan of every statement that it ran, with the pages that it read (auto_explain). A statement that reads a
 * large table from end to end is named.
 */
import { parseArgs } from "node:util";
import { Client } from "pg";
import { createProject, setDnsRecords } from "../test/helpers/customers/scenario.ts";
import type { ApiClient } from "../test/helpers/api-client.ts";
import { until } from "../test/helpers/until.ts";
import { startRig } from "./rig.ts";
import { seedDomains } from "./seed/seed.ts";
import { seedHistory } from "./seed/seed-history.ts";

const LARGE_ROWS = 10_000;
const PATIENCE_MS = 120_000;

const { values: options } = parseArgs({ options: { domains: { type: "string", default: "1000000" } } });
const count = Number(options.domains);

type PlanNode = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly PlanNode[];
};
type Logged = { readonly "Query Text": string; readonly Plan: PlanNode; readonly ms: number };
type Found = { runs: number; mostPages: number; mostMs: number; scans: Set<string> };

async function main(): Promise<void> {
  const rig = await startRig(
    { SLIPWAY_LOG: "error" },
    {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": 0,
      "auto_explain.log_analyze": "on",
      "auto_explain.log_timing": "off",
      "auto_explain.log_buffers": "on",
      "auto_explain.log_format": "json",
    },
  );
  const database = new Client({ connectionString: rig.cluster.url });
  await database.connect();
  const explain = async (share: 0 | 1): Promise<void> => {
    await database.query("LOAD 'auto_explain'");
    await database.query(`ALTER SYSTEM SET auto_explain.sample_rate = ${share}`);
    await database.query("SELECT pg_reload_conf()");
  };
  try {
    // While the tables are filled there is nothing to see.
    await explain(0);
    const { projectId, environmentId, services } = await createProject(rig.client, "bench");
    const serviceId = services["web"] ?? "";
    const { services: bare } = await createProject(rig.client, "bare");
    const bareServiceId = bare["web"] ?? "";
    const { services: small } = await createProject(rig.client, "small");
    const smallServiceId = small["web"] ?? "";
    const group = await rig.client.post(`/v1/services/${smallServiceId}/domain-certificate-groups`, {
      domains: ["www.small.example.com"],
    });
    if (group.status !== 201) throw new Error(group.text);
    // Its distribution's end would have all groups that are filled in looked at.
    await until(
      async () => {
        const { rows } = await database.query("SELECT FROM reconciliations WHERE kind = 'distribution'");
        return rows.length === 0;
      },
      "the project's distribution is made",
      PATIENCE_MS,
    );
    const startedAt = performance.now();
    const seeded = await seedDomains(rig.cluster.url, serviceId, count);
    await seedHistory(database, seeded.organizationId, count);
    print(
      `${count.toLocaleString("en")} domains are there after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    );
    print("");
    await printSizes(database);
    const before = rig.cluster.logged().length;
    await explain(1);
    await goThrough(rig.client, {
      projectId,
      environmentId,
      serviceId,
      bareServiceId,
      smallServiceId,
      groupId: seeded.groupId,
      domainId: seeded.domainIdOf(count - 1),
    });
    await explain(0);
    const { rows } = await database.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples > $1",
      [LARGE_ROWS],
    );
    printPlans(rig.cluster.logged().slice(before), new Set(rows.map(({ name }) => name)));
  } finally {
    await database.end();
    await rig.dispose();
  }
}

type Known = {
  readonly projectId: string;
  readonly environmentId: string;
  /** Nearly all domains lead to it. */
  readonly serviceId: string;
  /** None does. */
  readonly bareServiceId: string;
  /** One does, which was created after all others. */
  readonly smallServiceId: string;
  readonly groupId: string;
  readonly domainId: string;
};

/** Once through what clients do, and what workers do for it. */
async function goThrough(api: ApiClient, known: Known): Promise<void> {
  const { serviceId, groupId, domainId } = known;
  const ok = async (answer: ReturnType<ApiClient["get"]>) => {
    const { status, body } = await answer;
    if (status >= 400) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const pages = async (path: string, of: string): Promise<void> => {
    const first = await ok(api.get(`${path}limit=20`));
    if (first[of].length < 20) return;
    await ok(api.get(`${path}limit=20&cursor=${first.nextCursor}`));
  };
  await ok(api.get(`/v1/domains/${domainId}`));
  await ok(api.get(`/v1/domain-certificate-groups/${groupId}`));
  await pages(`/v1/domain-certificate-groups/${groupId}/domains?`, "domains");
  await pages(`/v1/services/${serviceId}/domain-certificate-groups?`, "domainCertificateGroups");
  await pages("/v1/audit-entries?", "auditEntries");
  for (const filter of auditFilters(groupId)) await pages(`/v1/audit-entries?${filter}&`, "auditEntries");
  for (const filter of searches(known)) await pages(`/v1/domains?${filter}&`, "domains");
  for (const text of SOUGHT) await ok(api.get(`/v1/search?q=${text}`));
  for (const filter of deploymentFilters(known)) await pages(`/v1/deployments?${filter}&`, "deployments");
  await ok(api.get("/v1/projects"));
  await ok(api.get(`/v1/services/${serviceId}/env-variables/effective`));
  await ok(api.get("/v1/users"));
  await ok(api.get("/v1/api-keys"));
  await ok(api.get("/v1/aws-accounts"));
  const created = await ok(
    api.post(
      `/v1/services/${serviceId}/domain-certificate-groups`,
      { domains: ["www.plan.example.com"], useDefaultCdn: false },
      { "idempotency-key": "plans" },
    ),
  );
  const id: string = created.createdDomains[0].id;
  const reaches = async (status: string) =>
    await until(
      async () => {
        const { body } = await api.get(`/v1/domains/${id}`);
        return body.status === status && body.dnsRecords.length > 0 ? body : null;
      },
      `${id} becomes ${status}`,
      PATIENCE_MS,
    );
  await setDnsRecords(api, await reaches("AWAITING_VERIFICATION_RECORDS_TO_BE_SET"));
  await setDnsRecords(api, await reaches("ATTACHED"));
  await ok(api.post(`/v1/domains/${id}/check`));
  await ok(
    api.post(`/v1/domain-certificate-groups/${created.id}/domains`, { domains: ["api.plan.example.com"] }),
  );
  const set = { plainText: { PLAIN: "a" }, parameterStore: { STORED: "b" } };
  const { runId } = await ok(api.post(`/v1/services/${serviceId}/env-variables`, set));
  await until(
    async () =>
      (await api.get(`/v1/services/${serviceId}/env-variables/status?runId=${runId}`)).body.isFinished,
    "the run ends",
    PATIENCE_MS,
  );
  await ok(api.delete(`/v1/services/${serviceId}/env-variables/STORED`));
  await ok(api.delete(`/v1/domain-certificate-groups/${created.id}`));
  await until(
    async () => (await api.get(`/v1/domains/${id}`)).status === 404,
    "the group is deleted",
    PATIENCE_MS,
  );
  await ok(api.get("/readyz"));
  await fetch(`${api.baseUrl}/metrics`);
}

/** What many resources, few and none have. */
const SOUGHT = ["bench", "customer-7", "www.", "example.com", "aaaa", "nothing"];

/** By each filter with its own statement (with many, few and no results), and by several filters. */
function searches({
  projectId,
  environmentId,
  serviceId,
  bareServiceId,
  smallServiceId,
}: Known): readonly string[] {
  const last = `customer-${count - 1}.example.com`;
  return [
    "order=asc",
    `name=www.${last}`,
    `name=*.${last}`,
    "name=*.example.com",
    "name=*.example.org",
    "status=ATTACHED",
    "status=DETACHING",
    `serviceId=${serviceId}`,
    `serviceId=${bareServiceId}`,
    `serviceId=${bareServiceId}&order=desc`,
    `serviceId=${bareServiceId}&name=*.example.com`,
    `serviceId=${smallServiceId}`,
    `serviceId=${smallServiceId}&name=*.example.com&order=desc`,
    `serviceId=${smallServiceId}&status=ERROR_ATTACHING`,
    `projectId=${projectId}&name=*.${last}`,
    `projectId=${projectId}&status=ERROR_ATTACHING`,
    "namePrefix=www.customer-77",
    "namePrefix=nobody",
    "warning=ANY",
    "warning=CAA_REFUSES_RENEWAL",
    `environmentId=${environmentId}&status=ERROR_ATTACHING`,
  ];
}

/** Some match nearly all, some few and some none. */
function auditFilters(groupId: string): readonly string[] {
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  return [
    "",
    `resourceId=${groupId}`,
    "userId=slipway",
    "userId=user_nobody",
    "action=project.created",
    "action=nothing.done",
    "to=2020-01-01T00:00:00Z",
    `from=${soon}`,
    `from=${soon}&action=project.created`,
  ];
}

function deploymentFilters({ projectId, serviceId, environmentId }: Known): readonly string[] {
  return [
    "",
    `projectId=${projectId}&status=ERROR`,
    `environmentId=${environmentId}`,
    "environmentId=env_nobody",
    `serviceId=${serviceId}`,
    "serviceId=svc_nobody",
    "branch=nobody",
    "status=BUILD_ERROR",
    "status=BUILD_ERROR&order=desc",
  ];
}

async function printSizes(database: Client): Promise<void> {
  const { rows } = await database.query<{ name: string; rows: number; heap: string; indexes: string }>(
    `SELECT relname AS name, reltuples::int AS rows, pg_table_size(oid) AS heap, pg_indexes_size(oid) AS indexes
       FROM pg_class WHERE relkind = 'r' AND reltuples >= $1 ORDER BY pg_total_relation_size(oid) DESC`,
    [count / 100],
  );
  print("| table | rows | bytes of a row | and of its index entries |");
  print("|---|---|---|---|");
  for (const row of rows) {
    const each = (bytes: string): string => (Number(bytes) / row.rows).toFixed(0);
    print(`| ${row.name} | ${row.rows.toLocaleString("en")} | ${each(row.heap)} | ${each(row.indexes)} |`);
  }
  print("");
}

function printPlans(log: string, large: ReadonlySet<string>): void {
  const found = new Map<string, Found>();
  for (const { "Query Text": text, Plan, ms } of readPlans(log)) {
    const name = shorten(text.replaceAll(/\s+/g, " "));
    const entry = found.get(name) ?? { runs: 0, mostPages: 0, mostMs: 0, scans: new Set<string>() };
    entry.runs += 1;
    entry.mostMs = Math.max(entry.mostMs, ms);
    entry.mostPages = Math.max(
      entry.mostPages,
      (Plan["Shared Hit Blocks"] ?? 0) + (Plan["Shared Read Blocks"] ?? 0),
    );
    for (const node of nodesOf(Plan)) {
      const relation = node["Relation Name"] ?? "";
      if (node["Node Type"] === "Seq Scan" && large.has(relation)) entry.scans.add(relation);
    }
    found.set(name, entry);
  }
  const sorted = [...found].toSorted(([, a], [, b]) => b.mostPages - a.mostPages);
  print(`${sorted.length} statements; the statements that read the most pages of 8 KB in one run:`);
  print("");
  print("| pages | ms | runs | reads from end to end | statement |");
  print("|---|---|---|---|---|");
  for (const [name, { runs, mostPages, mostMs, scans }] of sorted.filter(
    ([, entry], at) => at < 25 || entry.scans.size > 0,
  ))
    print(
      `| ${mostPages} | ${mostMs.toFixed(0)} | ${runs} | ${[...scans].join(", ")} | \`${name.replaceAll("|", "\\|")}\` |`,
    );
}

/** What a statement begins with and, for several begin alike, what it ends with. */
function shorten(text: string): string {
  return text.length <= 180 ? text : `${text.slice(0, 60)} … ${text.slice(-120)}`;
}

function* readPlans(log: string): Iterable<Logged> {
  for (const part of log.split(/^(?=\d{4}-\d\d-\d\d )/m)) {
    const at = part.search(/\bplan:\s*\{/);
    if (at === -1) continue;
    const plan = JSON.parse(part.slice(part.indexOf("{", at))) as Omit<Logged, "ms">;
    yield { ...plan, ms: Number(/duration: ([\d.]+) ms/.exec(part)?.[1]) };
  }
}

function* nodesOf(node: PlanNode): Iterable<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
