/** Reads every SQL statement of the source, and holds each to its organization and to what it says it does. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, it } from "node:test";
import { loadStatements, type NamedStatement } from "../helpers/statements.ts";
import { WRITES_OVER_ALL_NODES } from "./over-all-nodes.ts";

/** Tables that belong to no single organization. */
const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  proven_names:
    "A domain name exists once in the world. A statement says only that it belongs to another organization.",
};

/** Tables whose rows belong to no organization. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  call_buckets:
    "An account at the provider has one rate for all organizations that connected it; a row says how much of it is used.",
  installation_facts: "Of the installation: that it has moved, the last verified backup.",
  dns_lookers: "A row is a worker, and says until when it looked at the records of its share.",
};

const ROOT = path.join(import.meta.dirname, "../..");

describe("SQL statements", () => {
  let statements: readonly NamedStatement[];
  let tables: readonly string[];
  before(async () => {
    statements = await loadStatements();
    tables = await listTables();
  });

  const isOfOrganizations = ({ text: sql }: NamedStatement) =>
    tables.some((table) => !(table in GLOBAL_TABLES) && new RegExp(`\\b${table}\\b`).test(sql));

  it("have unique names", () => {
    const names = statements.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  it("name the organization whose rows they touch, unless a reason says why not", () => {
    const across = statements.filter((one) => isOfOrganizations(one) && !namesOrganization(one.text));
    assert.deepEqual(
      across.flatMap(({ name, isRead }) => (isRead ? [] : [name])).toSorted(),
      Object.keys(WRITES_OVER_ALL_NODES).toSorted(),
      "left: what the source has; right: what has a reason here",
    );
  });

  it("run as the owner of the tables if they read rows of several organizations, or ids by an index of an expression", () => {
    const wrong = statements.filter((one) => {
      if (!one.isRead || !isOfOrganizations(one)) return false;
      const isById =
        /\b(?:lower|reverse)\(name\)/.test(one.text) && /\bSELECT id FROM \w+[^]*LIMIT \$\d$/.test(one.text);
      return one.runsAsOwner ? namesOrganization(one.text) && !isById : !namesOrganization(one.text);
    });
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });

  it("change nothing and wait for no lock if they are declared as reads", () => {
    const lying = statements.filter(({ isRead, text }) => isRead && !onlyReads(text));
    assert.deepEqual(
      lying.map(({ name }) => name),
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

/** Names before a bracket in statements that read: functions without writes, `ANY`, and aliases. Others may write. */
const READING_FUNCTIONS = new Set<string>([
  "any",
  "array_agg",
  "asked",
  "ceil",
  "citus_is_coordinator",
  "clock_timestamp",
  "coalesce",
  "count",
  "current_database",
  "current_schema",
  "current_setting",
  "date_trunc",
  "due",
  "extract",
  "filter",
  "format_type",
  "given",
  "greatest",
  "has_database_privilege",
  "has_schema_privilege",
  "hashtext",
  "json_agg",
  "json_build_object",
  "left",
  "length",
  "lower",
  "max",
  "md5",
  "min",
  "now",
  "nullif",
  "percentile_cont",
  "pg_backend_pid",
  "pg_has_role",
  "pg_relation_size",
  "reverse",
  "row_security_active",
  "row_to_json",
  "split_part",
  "starts_with",
  "string_agg",
  "strpos",
  "substring",
  "sum",
  "to_char",
  "to_jsonb",
  "to_regclass",
  "to_regproc",
  "unnest",
  "v",
  "wanted",
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
