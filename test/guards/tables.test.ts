/**
 * Holds `src/db/tables.ts` against the migrations, and later migrations to what runs on distributed tables. They run when
 * a database is distributed already.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Migration, readMigrations, splitStatements } from "../../src/db/migrate.ts";
import { TABLES } from "../../src/db/tables.ts";

/** The first migration after which a database can be distributed. */
const FIRST = "0041_owners.sql";

const oneLine = (statement: string): string =>
  statement.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim();
const statementsOf = ({ text }: Pick<Migration, "text">): readonly string[] =>
  splitStatements(text).map(oneLine);

function createdTables(migrations: readonly Migration[]): readonly string[] {
  return migrations
    .flatMap(statementsOf)
    .flatMap(
      (statement) => /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+) /.exec(statement)?.[1] ?? [],
    );
}

/** What a distributed table refuses. */
const REFUSED: readonly { readonly what: string; readonly isBroken: (statement: string) => boolean }[] = [
  {
    what: "a constraint without a name in ADD COLUMN",
    isBroken: (statement) =>
      /\bADD COLUMN (?:(?!, ADD )(?!CONSTRAINT ).)*\b(?:CHECK|REFERENCES|UNIQUE)\b/.test(statement),
  },
  {
    what: "a reference in CREATE TABLE; the table is distributed after it, so add it by ALTER TABLE … ADD CONSTRAINT",
    isBroken: (statement) => /^CREATE (?:UNLOGGED )?TABLE .*\bREFERENCES\b/.test(statement),
  },
  {
    what: "a constraint without a name in ALTER TABLE",
    isBroken: (statement) => /^ALTER TABLE .*\bADD (?:CHECK|FOREIGN|UNIQUE|PRIMARY)\b/.test(statement),
  },
  {
    what: "a trigger",
    isBroken: (statement) => /^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER\b/.test(statement),
  },
  {
    what: "a unique index without the column that the table is distributed by",
    isBroken(statement) {
      const [, table = "", columns = ""] =
        /^CREATE UNIQUE INDEX \w+ ON (\w+) \(([^)]*)\)/.exec(statement) ?? [];
      return lacks(table, columns);
    },
  },
  {
    what: "a key without the column that the table is distributed by",
    isBroken(statement) {
      const [, table = "", body = ""] = /^CREATE (?:UNLOGGED )?TABLE (\w+) \((.*)\)/.exec(statement) ?? [];
      return (
        [...body.matchAll(/\b(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/g)].some(([, columns = ""]) =>
          lacks(table, columns),
        ) ||
        [...body.matchAll(/(\w+) \w+(?: NOT NULL)? (?:PRIMARY KEY|UNIQUE)\b(?! \()/g)].some(
          ([, column = ""]) => lacks(table, column),
        )
      );
    },
  },
  {
    what: "a generated column that the table is distributed by",
    isBroken(statement) {
      const [, table = "", body = ""] = /^CREATE TABLE (\w+) \((.*)\)/.exec(statement) ?? [];
      const column = TABLES[table] ?? null;
      return column !== null && new RegExp(`\\b${column} [^,]*GENERATED`).test(body);
    },
  },
];

function lacks(table: string, columns: string): boolean {
  const column = TABLES[table] ?? null;
  return column !== null && !columns.split(", ").includes(column);
}

/** Why a migration may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "0041_owners.sql: a trigger":
    "It is the first, before which nothing is distributed; `slipway distribute` drops its triggers.",
};

describe("tables and Citus", () => {
  it("says of each table by which column it is distributed", async () => {
    const created = [...createdTables(await readMigrations()), "schema_migrations"];
    assert.deepEqual(Object.keys(TABLES).toSorted(), created.toSorted());
  });

  it("has no migration that a distributed database refuses", async () => {
    const later = (await readMigrations()).filter(({ name }) => name >= FIRST);
    const found = later.flatMap((migration) =>
      REFUSED.filter(({ isBroken }) => statementsOf(migration).some(isBroken)).map(
        ({ what }) => `${migration.name}: ${what}`,
      ),
    );
    assert.deepEqual(found, Object.keys(EXCEPTIONS));
  });

  for (const [statement, refused] of [
    ["ALTER TABLE users ADD COLUMN age integer CHECK (age > 0)", 0],
    ["ALTER TABLE users ADD COLUMN age integer, ADD COLUMN team text REFERENCES teams", 0],
    ["CREATE TABLE users (organization_id text NOT NULL REFERENCES organizations, id text)", 1],
    ["ALTER TABLE users ADD CHECK (name <> '')", 2],
    ["CREATE TRIGGER t AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION f()", 3],
    ["CREATE UNIQUE INDEX u ON users (email)", 4],
    ["CREATE TABLE users (organization_id text NOT NULL, id text NOT NULL, PRIMARY KEY (id))", 5],
    ["CREATE TABLE users (organization_id text NOT NULL, id text PRIMARY KEY)", 5],
    ["CREATE TABLE owners (organization_id text, id text, key text GENERATED ALWAYS AS (id) STORED)", 6],
  ] as const) {
    it(`a violation is found: ${statement}`, () =>
      assert.deepEqual(
        REFUSED.flatMap(({ isBroken }, index) => (isBroken(statement) ? [index] : [])),
        [refused],
      ));
  }

  for (const statement of [
    "ALTER TABLE users ADD COLUMN age integer CONSTRAINT users_age CHECK (age > 0)",
    "ALTER TABLE users ADD CONSTRAINT users_age CHECK (age > 0)",
    "CREATE UNIQUE INDEX u ON users (organization_id, email)",
    "CREATE TABLE users (organization_id text NOT NULL, id text NOT NULL, PRIMARY KEY (organization_id, id))",
    "CREATE TABLE call_buckets (key text PRIMARY KEY, full_at timestamptz NOT NULL)",
  ]) {
    it(`is taken: ${statement}`, () => assert.ok(REFUSED.every(({ isBroken }) => !isBroken(statement))));
  }
});
