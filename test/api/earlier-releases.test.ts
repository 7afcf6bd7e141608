/**
 * A database that every release had its turn with: after each migration, rows of an organization of its own are
 * written as that release wrote them. The newest schema has to hold them all, and the API to show them.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { pino } from "pino";
import { readConfig } from "../../src/start/config/config.ts";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { applyMigrations, type Migration, readMigrations, splitStatements } from "../../src/db/migrate.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createLogger } from "../../src/lib/log.ts";
import { type Slipway, start } from "../../src/start/start.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { RELEASE_ROWS } from "../helpers/customers/release-rows.ts";
import { createEmptyPostgres, makeTempDir } from "../helpers/template.ts";

const MIGRATIONS = await readMigrations();
const NAMES = MIGRATIONS.map(({ name }) => name);
/** The gate has rows of all releases on PostgreSQL, and of these on the embedded database. */
const IS_WHOLE =
  process.env["SLIPWAY_TEST_POSTGRES"] !== undefined || process.env["SLIPWAY_TEST_FULL"] === "1";
const RELEASES = NAMES.filter((_, index) => IS_WHOLE || index % 10 === 0 || index >= NAMES.length - 3);

/** What the word `X` is for the organization of a release: of the same length for all. */
const wordOf = (release: string): string => `r${release.slice(0, 4)}`;
const inWordsOf = (release: string, text: string): string =>
  text.replaceAll(/\bX\b|(?<=[_-])X\b/g, wordOf(release));

describe("a database of earlier releases", () => {
  let folder: string;
  let databaseUrl: string | null = null;
  let dropDatabase: () => Promise<void> = async () => undefined;
  let slipway: Slipway;
  /** Of each table without rows, once all migrations have run. */
  let empty: readonly string[];

  before(async () => {
    folder = await makeTempDir("releases");
    const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
    if (adminUrl !== undefined)
      ({ url: databaseUrl, drop: dropDatabase } = await createEmptyPostgres(adminUrl));
    const db =
      databaseUrl === null
        ? await openPgliteDatabase({ folder: path.join(folder, "database") })
        : createPostgresDatabase({ connectionString: databaseUrl, poolSize: 1, onError: () => undefined });
    try {
      for (const [index, { name }] of MIGRATIONS.entries()) {
        const soFar = MIGRATIONS.slice(0, index + 1);
        await applyMigrations(db, soFar);
        if (RELEASES.includes(name)) await insertRows(db, name, soFar);
      }
      empty = await listEmptyTables(db);
    } finally {
      await db.close();
    }
    const config = readConfig({
      PORT: "0",
      SLIPWAY_DATA_DIR: folder,
      SLIPWAY_SANDBOX_DNS_PORT: "0",
      SLIPWAY_SANDBOX_EDGE_PORT: "0",
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    });
    slipway = await start(config, { log: createLogger("error", pino.destination("/dev/null")) });
  });
  after(async () => {
    await slipway.stop();
    await dropDatabase();
    await rm(folder, { recursive: true, force: true });
  });

  it("has rows for every migration, and in every table", () => {
    assert.deepEqual(Object.keys(RELEASE_ROWS), NAMES);
    assert.deepEqual(empty, []);
  });

  const newest = NAMES.at(-1) ?? "";
  /** What the newest release's own rows show, by address: read once, compared with those of each release. */
  const ofNewest = new Map<string, Promise<unknown>>();
  for (const release of RELEASES) {
    it(`shows what the release of ${release} wrote as it shows what this one writes`, async () => {
      const reads = NAMES.slice(0, NAMES.indexOf(release) + 1).flatMap(
        (name) => RELEASE_ROWS[name]?.reads ?? [],
      );
      for (const read of reads) {
        const newestShows = ofNewest.get(read) ?? show(newest, read);
        ofNewest.set(read, newestShows);
        const [old, now] = await Promise.all([show(release, read), newestShows]);
        assert.deepEqual(old, withKnownChanges(release, now), read);
      }
    });
  }

  /** An answer in the words of `X`, without instants. */
  async function show(release: string, read: string): Promise<unknown> {
    const client = createApiClient(slipway.url, inWordsOf(release, "key-of-X-0123456789abcdef"));
    const answer = await client.get(inWordsOf(release, read));
    assert.equal(answer.status, 200, answer.text);
    const text = answer.text
      .replaceAll(wordOf(release), "X")
      // This very read is a use, which is written a minute later.
      .replaceAll(/"(lastUsedAt|lastSeenAt)":[^,}]+/g, '"$1":"any"')
      .replaceAll(/"revision":"[0-9a-f]{32}"/g, '"revision":"any"')
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"instant"');
    return JSON.parse(text);
  }
});

const BY_KEY = { kind: "api-key", issuer: null, label: null };
const BY_PROVIDER = { kind: "identity-provider", issuer: "https://sso.example", label: null };

/** Differences in rows that a release before some migration wrote, in objects that have some field. */
const KNOWN_CHANGES: readonly { before: string; where: string; fields: object }[] = [
  // Services had no distribution.
  { before: "0005", where: "cdnDomainName", fields: { cdnDomainName: null } },
  // Deployments deployed nothing. The migration ended deployments that were recorded as waiting.
  {
    before: "0007",
    where: "commit",
    fields: {
      status: "CANCELLED",
      statusReason: "It was recorded by a release of Slipway that did not build or release. Deploy again.",
      endedAt: "instant",
      environments: [],
      services: [],
    },
  },
  // Workloads were let in from 0062 on, and identity providers from 0061 on.
  { before: "0062", where: "signInMethods", fields: { signInMethods: [BY_PROVIDER, BY_KEY] } },
  { before: "0061", where: "signInMethods", fields: { signInMethods: [BY_KEY] } },
];

function withKnownChanges(release: string, answer: unknown): unknown {
  const changes = KNOWN_CHANGES.filter(({ before }) => release < before);
  return JSON.parse(JSON.stringify(answer), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const changed = changes
      .filter(({ where }) => where in value)
      .flatMap(({ fields }) => Object.entries(fields));
    return Object.assign(value, Object.fromEntries(changed.filter(([name]) => name in value)));
  });
}

/** The rows of all tables of a release, for a separate organization. */
async function insertRows(db: Database, release: string, migrations: readonly Migration[]): Promise<void> {
  for (const { name } of migrations) {
    for (const text of splitStatements(RELEASE_ROWS[name]?.sql ?? "")) {
      await db.query(writeStatement(`rows_${randomUUID()}`, inWordsOf(release, text)));
    }
  }
}

async function listEmptyTables(db: Database): Promise<readonly string[]> {
  const names = await db.query(TABLES);
  const counts = await Promise.all(
    names.map(async ({ name }) => {
      const [row] = await db.query(
        readStatement<{ count: number }>(`count_${name}`, `SELECT count(*)::int AS count FROM ${name}`),
      );
      return { name, count: row?.count };
    }),
  );
  return counts.filter(({ count }) => count === 0).map(({ name }) => name);
}

const TABLES = readStatement<{ name: string }>(
  "test_tables",
  "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
);
