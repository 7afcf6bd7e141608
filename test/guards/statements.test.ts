/** Reads every SQL statement of the source, and holds each to its organization and to what it says it does. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, it } from "node:test";

type Found = { readonly file: string; readonly name: string; readonly isRead: boolean; readonly sql: string };

/** Why a statement on tables of organizations names none. An exception that is no longer needed has to go. */
const ACROSS_ORGANIZATIONS: Readonly<Record<string, string>> = {
  audit_entries_prune: "A sweep: entries of a certain age, whoever has them.",
  api_keys_find_principal: "The key is what tells the organization.",
  aws_accounts_find_owner:
    "A stack of the sandbox knows the id of its connection alone; the statement returns whose it is.",
  aws_accounts_lock_reported:
    "A stack knows the id of its connection alone; the statement returns whose it is.",
  dns_records_record_looks: "Of the same sweep: each row by its organization and id.",
  dns_records_record_unchanged: "The same, of looks that found nothing new.",
  dns_records_lock_due: "A sweep: what is due, whoever has it, with its organization.",
  dns_records_put_off: "Of the same sweep: each row by its organization and id.",
  dns_records_until_due: "Of the same sweep: when the next is due, and nothing else of it.",
  certificates_next_expiry: "A figure of the whole service, without names.",
  event_outbox_lag: "The same.",
  webhook_endpoints_backlog: "The same.",
  event_heads_lock: "The numbering: of the organizations that have events without a number.",
  event_outbox_find: "The same: whether there is any.",
  events_prune: "A sweep: events of a certain age, whoever has them.",
  env_variable_versions_prune: "A sweep: versions of a certain age, whoever has them.",
  env_variable_runs_prune: "A sweep: runs of a certain age, whoever has them.",
  git_hook_deliveries_prune: "A sweep: deliveries of a certain age, whoever got them.",
  git_integrations_count_sealed_otherwise: "The re-sealing after a rotation: of all organizations.",
  git_integrations_has_sealed: "The same: whether anything still needs a key.",
  git_integrations_list_hook_senders:
    "A delivery names a repository alone, and its signature tells whose it is; the statement returns that.",
  git_integrations_list_sealed_otherwise: "The same: each with its organization.",
  webhook_attempts_prune: "A sweep: attempts of a certain age, whoever has them.",
  webhook_attempts_prune_bodies: "The same, of the bodies of answers.",
  webhook_deliveries_prune: "A sweep: deliveries of a certain age, whoever has them.",
  webhook_endpoints_count_sealed_otherwise: "The re-sealing after a rotation: of all organizations.",
  webhook_endpoints_has_sealed: "The same: whether anything still needs a key.",
  webhook_endpoints_list_sealed_otherwise: "The same: each with its organization.",
  idempotency_has_sealed: "The re-sealing after a rotation: whether an answer still needs a key.",
  idempotency_prune: "A sweep: answers of a certain age, whoever has them.",
  organizations_count: "Asks whether this is the first start.",
  organizations_list: "For the operator, on the command line.",
  reconciliations_count_due: "A figure of the whole service, without names.",
  reconciliations_make_ready: "A sweep: what is due, whoever has it.",
  reconciliations_take_over: "The start of the only process there can be: what was claimed, whoever has it.",
  reconciliations_take: "A claim: each row by its organization, kind and id.",
  reconciliations_extend: "The same.",
  reconciliations_end: "The same.",
  reconciliations_end_free: "The same.",
  reconciliations_release: "The same.",
};

/** Tables that belong to no single organization. */
const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  proven_names: "A domain name is in the world once. A statement tells only that it is somebody else's.",
};

/** Tables whose rows are no organization's. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  call_buckets:
    "An account at the provider has one pace, whoever connected it; a row says how much of it is used.",
  installation_facts: "Of the installation: that it has moved, the last verified backup.",
};

const ROOT = path.join(import.meta.dirname, "../..");

describe("SQL statements", () => {
  let statements: readonly Found[];
  let tables: readonly string[];
  before(async () => {
    statements = (await Promise.all((await listSources()).map(readStatements))).flat();
    tables = await listTables();
  });

  const isOfOrganizations = ({ sql }: Found) =>
    tables.some((table) => !(table in GLOBAL_TABLES) && new RegExp(`\\b${table}\\b`).test(sql));

  it("have unique names", () => {
    const names = statements.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  it("name the organization whose rows they touch, unless a reason says why not", () => {
    const across = statements.filter((one) => isOfOrganizations(one) && !namesOrganization(one.sql));
    assert.deepEqual(
      across.map(({ name }) => name).toSorted(),
      Object.keys(ACROSS_ORGANIZATIONS).toSorted(),
      "left: what the source has; right: what has a reason here",
    );
  });

  it("change nothing and wait for no lock if they are declared as reads", () => {
    const lying = statements.filter(({ isRead, sql }) => isRead && !onlyReads(sql));
    assert.deepEqual(
      lying.map(({ file, name }) => `${file}: ${name}`),
      [],
    );
  });

  it("are checked for that by a rule that detects violations", () => {
    const refused = [
      "UPDATE domains SET status = $1",
      "WITH gone AS (DELETE FROM domains RETURNING id) SELECT id FROM gone",
      "SELECT id FROM domains FOR UPDATE",
      "SELECT id FROM domains FOR NO KEY UPDATE SKIP LOCKED",
      "SELECT pg_try_advisory_xact_lock(1)",
      "SELECT nextval('env_variable_generation')",
      "SELECT remove_old_rows()",
      "BEGIN",
    ];
    for (const sql of refused) assert.ok(!onlyReads(sql), sql);
    const taken = [
      "SELECT id FROM domains WHERE organization_id = $1",
      "\n  WITH waiting AS (SELECT 1) SELECT updated_at, count(*) FROM waiting",
    ];
    for (const sql of taken) assert.ok(onlyReads(sql), sql);
  });

  it("use only tables with an organization", () => {
    assert.ok(tables.length > 10, tables.join(", "));
    for (const table of Object.keys(GLOBAL_TABLES)) assert.ok(tables.includes(table), table);
  });

  it("are checked by a rule that detects violations", () => {
    const refused = [
      "SELECT organization_id, id FROM users WHERE id = $1",
      "SELECT u.id FROM users u JOIN api_keys k ON k.organization_id = u.organization_id WHERE k.id = $1",
      "DELETE FROM users WHERE organization_id <> $1",
      "INSERT INTO users (id) VALUES ($1) RETURNING organization_id",
    ];
    for (const sql of refused) assert.ok(!namesOrganization(sql), sql);
    const taken = [
      "SELECT id FROM users WHERE organization_id = $1 AND id = $2",
      "INSERT INTO users (organization_id, id) VALUES ($1, $2)",
    ];
    for (const sql of taken) assert.ok(namesOrganization(sql), sql);
  });
});

/** What stands before a bracket in statements that read: functions without writes, `ANY`, and aliases. Others may write. */
const READING_FUNCTIONS = new Set<string>([
  "any",
  "array_agg",
  "coalesce",
  "count",
  "current_database",
  "current_schema",
  "current_setting",
  "extract",
  "format_type",
  "greatest",
  "has_database_privilege",
  "has_schema_privilege",
  "json_agg",
  "json_build_object",
  "length",
  "max",
  "md5",
  "min",
  "now",
  "nullif",
  "pg_backend_pid",
  "pg_has_role",
  "pg_relation_size",
  "row_to_json",
  "string_agg",
  "row_security_active",
  "substring",
  "to_char",
  "to_regclass",
  "unnest",
  "v",
  "wanted",
  "sum",
]);

function onlyReads(sql: string): boolean {
  const calls = [...sql.matchAll(/(?<![\w.])([a-z_][a-z0-9_.]*)\(/gi)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
  return (
    /^\s*(?:SELECT|WITH)\b/.test(sql) &&
    !/\b(?:INSERT|UPDATE|DELETE|MERGE|FOR (?:UPDATE|SHARE|NO KEY|KEY))\b/.test(sql) &&
    calls.every((name) => READING_FUNCTIONS.has(name))
  );
}

/** Compares the column with a parameter, or writes it. */
function namesOrganization(sql: string): boolean {
  return (
    /\borganization_id = (?:\$\d|ANY\()/.test(sql) || /INSERT INTO \w+ \([^)]*\borganization_id\b/.test(sql)
  );
}

const MAKERS = ["src/db/page.ts", "src/db/database.ts"];

async function listSources(): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob("src/**/*.ts", { cwd: ROOT })) {
    // The functions that create statements have none of their own.
    if (!file.endsWith(".test.ts") && !MAKERS.includes(file)) files.push(file);
  }
  return files;
}

/**
 * Columns that a constant lists are left out of the text: to be selected by is more than to be selected. A statement may
 * also be made by a function, which then has its text.
 */
async function readStatements(file: string): Promise<readonly Found[]> {
  const text = await readFile(path.join(ROOT, file), "utf8");
  const found = [
    ...text.matchAll(
      /= (read|write|paged)Statement(?:<[^(]*>)?\(\s*"(\w+)",\s*(?:\(after, direction\) =>\s*)?(?:`([^`]*)`|"([^"]*)"|\w+\(\d\))/g,
    ),
  ].map(([, kind, name = "", long, short]) => ({
    file,
    name,
    isRead: kind !== "write",
    sql: (long ?? short ?? "").replaceAll(/\$\{[^}]*\}/g, "…"),
  }));
  assert.equal(
    found.length,
    text.match(/(?<!function )\b(?:read|write|paged)Statement[<(]/g)?.length ?? 0,
    `${file} has a statement of another form`,
  );
  return found;
}

/** Of the migrations; each must have the column. */
async function listTables(): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const file of glob("src/db/migrations/*.sql", { cwd: ROOT })) {
    const text = await readFile(path.join(ROOT, file), "utf8");
    for (const [, name = "", columns = ""] of text.matchAll(
      /CREATE (?:UNLOGGED )?TABLE (\w+) \((.*?)\n\)/gs,
    )) {
      if (name in OF_NO_ORGANIZATION) continue;
      assert.match(columns, /\borganization_id\b/, name);
      names.push(name);
    }
  }
  return names;
}
