/**
 * Reads every migration, and holds it to what processes of the release before survive: they continue with their own
 * statements on the migrated schema until they are replaced (docs/how-to/write-a-migration.md).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OLDEST_PROGRAM, readMigrations, splitStatements } from "../../src/db/migrate.ts";

/** A column that is null, or has one default for all rows: PostgreSQL then rewrites none. */
const ADDED_COLUMN =
  /^ADD COLUMN \w+ \w+(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?(?:(?: NOT NULL)? DEFAULT (?:'[^']*'|\d+|true|false))?$/;

/** How full new pages get: no statement can notice, and none waits (SHARE UPDATE EXCLUSIVE). */
const FILLFACTOR = /^SET \(fillfactor = \d+\)$/;

/** The reference to an organization, which is never deleted: no statement relies on a refusal, and none cascades. */
const REFERENCE_DROPPED = /^DROP CONSTRAINT \w+_organization_id_fkey$/;

/** Why a migration does more. Since the first release there is no other reason than a stop of all processes. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "0006_domains_mended.sql": "Before the first release: a generated column, which rewrites a table.",
  "0007_deployments.sql": "Before the first release: more statuses of deployments, and an end of old ones.",
  "0040_webhooks.sql": "It replaces an index that no release has used by two.",
  "0041_owners.sql":
    "Triggers write what processes of the release before do not; `slipway distribute`, which they do not survive, drops them.",
  "0050_looks.sql": "A default for a column that no earlier release knows: its new rows get it too.",
};

/** The owner of a table passes by its policies (no FORCE), and earlier releases connect as the owner. */
const ROW_SECURITY = /^ENABLE ROW LEVEL SECURITY$/;
const POLICY = /^CREATE POLICY \w+ ON \w+ /;

/** More owners than there are do no harm: the caller looks at what one leads to. */
const OWNERS_NOTED = /^INSERT INTO owners .* ON CONFLICT DO NOTHING$/;

/** Earlier releases write only what the check allowed. */
const CHECK_DROPPED = /^DROP CONSTRAINT \w+_check$/;

const UNNOTICED = [ADDED_COLUMN, FILLFACTOR, REFERENCE_DROPPED, CHECK_DROPPED, ROW_SECURITY];

/** The statements of a migration that a running process of an earlier release may notice. */
function noticed(text: string): readonly string[] {
  const statements = splitStatements(text).map((statement) =>
    statement.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim(),
  );
  const made = statements.map((statement) => /^CREATE (?:UNLOGGED )?TABLE (\w+) /.exec(statement)?.[1]);
  return statements.filter((statement) => {
    if (/^CREATE (?:(?:UNLOGGED )?TABLE|SEQUENCE|INDEX) /.test(statement)) return false;
    if (POLICY.test(statement) || OWNERS_NOTED.test(statement)) return false;
    // On a table that is new in this migration.
    const unique = /^CREATE UNIQUE INDEX \w+ ON (\w+) /.exec(statement)?.[1];
    if (unique !== undefined) return !made.includes(unique);
    // What fills a table that is new in this migration reads the others only.
    const filled = /^INSERT INTO (\w+) [^;]* SELECT /.exec(statement)?.[1];
    if (filled !== undefined) return !made.includes(filled);
    const altered = /^ALTER TABLE (\w+) ADD CONSTRAINT /.exec(statement)?.[1];
    if (altered !== undefined && made.includes(altered)) return false;
    const actions = /^ALTER TABLE \w+ (.*)$/.exec(statement)?.[1]?.split(/, (?=[A-Z])/);
    return (
      actions === undefined || !actions.every((action) => UNNOTICED.some((pattern) => pattern.test(action)))
    );
  });
}

describe("a migration", () => {
  it("has a number of its own", async () => {
    const numbers = (await readMigrations()).map(({ name }) => name.slice(0, 4));
    assert.deepEqual(
      numbers.filter((number, index) => numbers.indexOf(number) !== index),
      [],
    );
  });

  it("does not disturb processes of the previous release", async () => {
    const [, ...later] = await readMigrations();
    const found = later.filter(({ text }) => noticed(text).length > 0).map(({ name }) => name);
    assert.deepEqual(found, Object.keys(EXCEPTIONS));
  });

  it("that does is older than every program that may run on this schema", async () => {
    const names = (await readMigrations()).map(({ name }) => name);
    assert.ok(names.includes(OLDEST_PROGRAM));
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((name) => name > OLDEST_PROGRAM),
      [],
    );
  });

  for (const statement of [
    "ALTER TABLE users DROP COLUMN name",
    "ALTER TABLE users ADD COLUMN a text, DROP COLUMN name",
    "ALTER TABLE users RENAME COLUMN name TO title",
    "ALTER TABLE users RENAME TO people",
    "ALTER TABLE users ADD COLUMN team text NOT NULL",
    "ALTER TABLE users ADD COLUMN team text REFERENCES teams",
    "ALTER TABLE users ADD COLUMN team text UNIQUE",
    "ALTER TABLE users ADD COLUMN id2 text GENERATED ALWAYS AS (id || 'x') STORED",
    "ALTER TABLE users ALTER COLUMN name TYPE varchar(10)",
    "ALTER TABLE users ALTER COLUMN name SET NOT NULL",
    "ALTER TABLE users ADD CONSTRAINT c CHECK (name <> '')",
    "ALTER TABLE users DROP CONSTRAINT users_email_key",
    "ALTER TABLE users DROP CONSTRAINT users_organization_id_team_id_fkey",
    "CREATE UNIQUE INDEX users_name ON users (name)",
    "ALTER TABLE users FORCE ROW LEVEL SECURITY",
    "DROP TABLE users",
    "DROP INDEX users_name",
    "UPDATE users SET name = 'x'",
    "INSERT INTO users (name) SELECT name FROM teams",
  ]) {
    it(`may not: ${statement}`, () => assert.deepEqual(noticed(`${statement};\n`), [statement]));
  }

  for (const statement of [
    "CREATE TABLE teams (id text PRIMARY KEY, name text NOT NULL)",
    "CREATE INDEX users_name ON users (name)",
    "INSERT INTO owners (key, kind, organization_id) SELECT id, 'user', organization_id FROM users ON CONFLICT DO NOTHING",
    "ALTER TABLE users SET (fillfactor = 80)",
    "ALTER TABLE users DROP CONSTRAINT users_organization_id_fkey",
    "ALTER TABLE users ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY of_organization ON users USING (organization_id = 'x')",
    "ALTER TABLE users ADD COLUMN team text",
    "ALTER TABLE users ADD COLUMN team text, ADD COLUMN teamed_at timestamptz",
    "ALTER TABLE users ADD COLUMN price numeric(10, 2)",
    "ALTER TABLE users ADD COLUMN logins integer NOT NULL DEFAULT 0",
    "ALTER TABLE users ADD COLUMN kind text NOT NULL DEFAULT 'person'",
  ]) {
    it(`may: ${statement}`, () => assert.deepEqual(noticed(`${statement};\n`), []));
  }
});
