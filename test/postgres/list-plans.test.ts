/** Every filter of a list is answered by an index, and reads no large table from end to end. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { migrate } from "../../src/db/migrate.ts";
import type { Sql, SqlValue, Statement } from "../../src/db/database.ts";
import { firstRows } from "../../src/db/page.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { openTenantRole } from "../../src/db/tenant-role.ts";
import { searchDomains } from "../../src/features/custom-domains/search-store.ts";
import { deployments } from "../../src/features/deployments/store.ts";
import { events } from "../../src/features/events/store.ts";
import { auditEntries } from "../../src/features/audit/store.ts";
import { search } from "../../src/features/search/store.ts";
import { variableVersions } from "../../src/features/variables/version-store.ts";
import { RELEASE_ROWS } from "../helpers/customers/release-rows.ts";
import { createEmptyPostgres } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const needsPostgres = adminUrl === undefined && "part of npm run test:postgres";

const ROWS = 20_000;
const LARGE = [
  "audit_entries",
  "deployments",
  "deployment_runs",
  "deployment_services",
  "domains",
  "dns_records",
  "events",
];

/** Each with as many rows of one organization as a list is read from. */
const FILL: readonly string[] = [
  `INSERT INTO audit_entries (organization_id, id, user_id, api_key_id, action, resource_id, request_id)
   SELECT 'org_X', 'audit_' || lpad(i::text, 26, '0'), 'user_' || i % 50, 'key', 'thing.action-' || i % 40,
          'thing_' || i % 5000, 'r' FROM generate_series(1, ${ROWS}) i`,
  `INSERT INTO projects (organization_id, id, name, aws_account_id, repo_url, normalized_repo_url, provider, host,
                         config_type, config)
   SELECT organization_id, 'proj_' || i, name, aws_account_id, repo_url, normalized_repo_url, provider, host, config_type,
          config FROM projects, generate_series(0, 499) i`,
  `INSERT INTO deployments (organization_id, id, project_id, environment_id, branch, commit_hash, status)
   SELECT 'org_X', 'depl_' || lpad(i::text, 26, '0'), 'proj_' || i % 500, 'env_' || i % 2000, 'branch-' || i % 200, 'c',
          CASE WHEN i % 500 = 0 THEN 'ERROR' ELSE 'SUCCESS' END FROM generate_series(1, ${ROWS}) i`,
  `INSERT INTO deployment_runs (organization_id, deployment_id, environment_id, config_id, change, status)
   SELECT 'org_X', id, environment_id, 'c', 'KEPT', 'SUCCESS' FROM deployments WHERE branch LIKE 'branch-%'`,
  `INSERT INTO deployment_services (organization_id, deployment_id, environment_id, service_id, config_id, name, type,
                                    depends_on, status)
   SELECT 'org_X', deployment_id, environment_id, 'svc_of_' || environment_id, 'c', 'n', 'web', '{}', 'ERROR'
     FROM deployment_runs WHERE config_id = 'c'`,
  `INSERT INTO domains (organization_id, id, group_id, svc_attachment_id, name, type, status)
   SELECT 'org_X', 'dom_' || lpad(i::text, 26, '0'), 'group_X', 'att', 'n' || i || '.example.com', 'SUBDOMAIN',
          'ATTACHED' FROM generate_series(1, ${ROWS}) i`,
  `INSERT INTO dns_records (organization_id, id, domain_id, purpose, type, name, value, status, last_check_at)
   SELECT 'org_X', 'rec_' || id, id, 'CERTIFICATE_DOMAIN_VERIFICATION', 'CNAME', name, 'x',
          CASE WHEN id LIKE '%777' THEN 'PENDING' ELSE 'OK' END, now() FROM domains WHERE name LIKE 'n%'`,
  `INSERT INTO events (organization_id, sequence, id, type, occurred_at, subject_type, subject_id, actor_kind, actor_id,
                       request_id, data, numbered_at)
   SELECT 'org_X', i, 'evt_' || i, 'domain.attached', now(), 'domain', 'dom_' || i % 5000, 'slipway', 'slipway', 'r',
          '{}', now() FROM generate_series(1, ${ROWS}) i`,
  `INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, kind, plain_value)
   SELECT 'org_X', 'svc_X', 'NAME_' || i % 500, i, 'ver_' || i, 'plainText', 'x' FROM generate_series(1, ${ROWS}) i`,
];

describe("the filters of lists", { skip: needsPostgres }, () => {
  let client: Client;
  let drop: () => Promise<void>;
  let role: string;
  before(async () => {
    const database = await createEmptyPostgres(adminUrl ?? "");
    drop = database.drop;
    const db = createPostgresDatabase({
      connectionString: database.url,
      poolSize: 1,
      onError: () => undefined,
    });
    await migrate(db);
    const opened = await openTenantRole(db);
    assert.ok(opened.role !== null, JSON.stringify(opened));
    role = opened.role;
    await db.close();
    client = new Client({ connectionString: database.url });
    await client.connect();
    for (const name of ["0001_foundation", "0002_cloud_accounts", "0003_projects", "0005_custom_domains"])
      await client.query(RELEASE_ROWS[`${name}.sql`]?.sql ?? "");
    for (const text of FILL) await client.query(text);
    await client.query("VACUUM ANALYZE");
    // As a statement is planned once it has run some times, whatever is asked for.
    await client.query("SET plan_cache_mode = force_generic_plan");
    await client.query("SET slipway.organization_id = 'org_X'");
  });
  after(async () => {
    await client.end();
    await drop();
  });

  const audit = (filter: Parameters<typeof auditEntries.list>[3]) => (sql: Sql) =>
    auditEntries.list(sql, "org_X", firstRows(25), filter);
  const deployed = (filter: Parameters<typeof deployments.list>[3]) => (sql: Sql) =>
    deployments.list(sql, "org_X", firstRows(25), filter, null);
  const found = (filter: Parameters<typeof searchDomains>[3]) => (sql: Sql) =>
    searchDomains(sql, "org_X", firstRows(25), filter, null);

  const beginning = (find: typeof search.domainsByName) => (sql: Sql) =>
    find({ sql, organizationId: "org_X", limit: 8 }, "moc.");

  for (const [title, ask, index, at = -1] of [
    ["audit entries of a user", audit({ userId: "user_7" }), "audit_entries_user"],
    ["audit entries of an action", audit({ action: "thing.action-7" }), "audit_entries_action"],
    ["audit entries of a resource", audit({ resourceId: "thing_7" }), "audit_entries_resource"],
    ["audit entries of a time", audit({ from: new Date(), to: new Date() }), "audit_entries_pkey"],
    ["deployments of a branch", deployed({ branch: "branch-7" }), "deployments_branch"],
    ["deployments of a status", deployed({ status: "ERROR" }), "deployments_status"],
    ["deployments of a project", deployed({ projectId: "proj_7" }), "deployments_project"],
    ["deployments of an environment", deployed({ environmentId: "env_7" }), "deployment_runs_environment"],
    ["deployments of a service", deployed({ serviceId: "svc_of_env_7" }), "deployment_services_service"],
    ["domains that begin with a text", found({ namePrefix: "n77" }), "domains_name"],
    ["domains below a name", found({ name: "*.n77.example.com" }), "domains_reversed_name", -2],
    ["what begins with a text", beginning(search.domainsByName), "domains_name"],
    ["what is below a name", beginning(search.domainsBelow), "domains_reversed_name"],
    ["domains with a warning", found({ warning: "ANY" }), "dns_records_pending"],
    [
      "the timeline of a domain",
      (sql: Sql) =>
        events.listOfSubjects(
          sql,
          "org_X",
          { ids: ["dom_7", "crt_7"], name: "www.example.com" },
          firstRows(25),
        ),
      "events_subject",
    ],
    [
      "the history of a variable",
      (sql: Sql) => variableVersions.list(sql, "org_X", "svc_X", "NAME_7", firstRows(25)),
      "env_variable_versions_pkey",
    ],
  ] as const)
    it(`find ${title} by ${index}`, async () => {
      const plans = await plansOf(ask);
      const last = plans.at(at) ?? "";
      assert.match(last, new RegExp(`\\b${index}\\b`));
      for (const plan of plans)
        for (const table of LARGE) assert.ok(!plan.includes(`Seq Scan on ${table}`), plan);
    });

  /** The plan of each statement that a question runs, as the role that it runs under. Nothing is found, so that it asks on. */
  async function plansOf(ask: (sql: Sql) => Promise<unknown>): Promise<readonly string[]> {
    const plans: string[] = [];
    const sql: Sql = {
      async query<Row>(statement: Statement<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
        const name = `plan_${plans.length}`;
        await client.query(statement.runsAsOwner ? "RESET ROLE" : `SET ROLE "${role}"`);
        await client.query(`PREPARE ${name} AS ${statement.text}`);
        const literals = values.map((value) => (value === null ? "NULL" : literalOf(value)));
        const { rows } = await client.query<{ "QUERY PLAN": string }>(
          `EXPLAIN (COSTS OFF) EXECUTE ${name}(${literals.join(", ")})`,
        );
        await client.query(`DEALLOCATE ${name}`);
        plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        return [];
      },
    };
    await ask(sql);
    return plans;
  }

  function literalOf(value: Exclude<SqlValue, null>): string {
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (value instanceof Date) return client.escapeLiteral(value.toISOString());
    if (Array.isArray(value)) return client.escapeLiteral(`{${value.join(",")}}`);
    assert.ok(typeof value === "string", "another kind of value is new here");
    return client.escapeLiteral(value);
  }
});
