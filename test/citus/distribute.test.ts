/** `slipway distribute`, and migrations that run after it. Part of `npm run test:citus`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { applyMigrations, migrate, readMigrations } from "../../src/db/migrate.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { TABLES } from "../../src/db/tables.ts";
import {
  distributeOver,
  joinNodes,
  listNodes,
  onAllNodes,
  urlOf,
} from "../helpers/processes/database-nodes.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { dropDatabase, makeTempDir } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_CITUS_URL"];
const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");
/** The first whose schema can be distributed. Those before it are of 0.1.0, which knows no Citus. */
const FIRST = "0041_owners.sql";
const MIGRATIONS = (await readMigrations()).map(({ name }) => name);

describe("a database on Citus", { skip: adminUrl === undefined && "part of npm run test:citus" }, () => {
  let nodes: readonly string[] = [];
  let dataDir: string;
  const made: string[] = [];
  before(async () => {
    nodes = await listNodes(adminUrl ?? "");
    dataDir = await makeTempDir("distribute");
  });
  after(async () => {
    for (const name of made) await dropDatabase(nodes, name);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** On all nodes, which know nothing of each other yet. */
  async function createDatabase(): Promise<string> {
    const name = `slipway_test_${randomUUID().replaceAll("-", "")}`;
    made.push(name);
    await onAllNodes(nodes, `CREATE DATABASE ${name}`);
    return name;
  }

  async function apply(database: string, names: (name: string) => boolean): Promise<void> {
    const db = createPostgresDatabase({
      connectionString: urlOf(nodes[0] ?? "", database),
      poolSize: 2,
      onError: () => undefined,
    });
    try {
      await applyMigrations(
        db,
        (await readMigrations()).filter(({ name }) => names(name)),
      );
    } finally {
      await db.close();
    }
  }

  const slipway = async (database: string, command: string, node = 0) =>
    await promisify(execFile)(process.execPath, [ENTRY, command], {
      env: cleanEnv({
        DATABASE_URL: urlOf(nodes[node] ?? "", database),
        SLIPWAY_DATA_DIR: dataDir,
        PORT: "0",
      }),
    }).then(
      ({ stdout }) => ({ code: 0, said: stdout.trim() }),
      (error: { code: number; stderr: string }) => ({ code: error.code, said: error.stderr.trim() }),
    );

  const listDistributed = async (database: string): Promise<ReadonlyMap<string, string>> => {
    const client = new Client({ connectionString: urlOf(nodes[0] ?? "", database) });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string; by: string }>(
        `SELECT logicalrelid::text AS name, column_to_column_name(logicalrelid, partkey) AS by FROM pg_dist_partition
          WHERE partmethod = 'h'`,
      );
      return new Map(rows.map(({ name, by }) => [name, by]));
    } finally {
      await client.end();
    }
  };

  const WANTED = Object.entries(TABLES).filter((entry) => entry[1] !== null);

  it("learns what the cluster lacks, and refuses its workers", async () => {
    const database = await createDatabase();
    await apply(database, () => true);
    const plain = await slipway(database, "distribute");
    assert.equal(plain.code, 1);
    assert.match(plain.said, /^This database has no Citus, .* CREATE EXTENSION citus/);

    await onAllNodes(
      nodes.map((url) => urlOf(url, database)),
      "CREATE EXTENSION citus",
    );
    const alone = await slipway(database, "distribute");
    assert.equal(alone.code, 1);
    assert.match(alone.said, /citus_set_coordinator_host|citus_add_node/);

    await joinNodes(nodes, database);
    assert.deepEqual(await slipway(database, "distribute"), {
      code: 0,
      said: `Distributed ${WANTED.length} tables over the nodes of the cluster.`,
    });
    assert.deepEqual(await slipway(database, "distribute"), {
      code: 0,
      said: "All tables are distributed already.",
    });
    for (const command of ["distribute", "migrate", "start"]) {
      const { code, said } = await slipway(database, command, 1);
      assert.equal(code, 1, command);
      assert.match(said, /is a worker of a Citus cluster\./, command);
    }
  });

  for (const last of MIGRATIONS.slice(MIGRATIONS.indexOf(FIRST)))
    it(`that was distributed after ${last} distributes what later migrations create`, async () => {
      const database = await createDatabase();
      await apply(database, (name) => name <= last);
      await distributeOver(nodes, database);
      const db = createPostgresDatabase({
        connectionString: urlOf(nodes[0] ?? "", database),
        poolSize: 2,
        onError: () => undefined,
      });
      try {
        assert.deepEqual(await migrate(db), []);
      } finally {
        await db.close();
      }
      assert.deepEqual(Object.fromEntries(await listDistributed(database)), Object.fromEntries(WANTED));
      // Each database keeps a process of Citus on each node.
      await dropDatabase(nodes, database);
    });
});
