/** `npm run slipway -- …`: what an operator does beside the running service. */
import path from "node:path";
import { type Config, readConfig } from "../config.ts";
import { lockDataDir } from "../db/data-dir-lock.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openPgliteDatabase } from "../db/pglite.ts";
import { createPostgresDatabase } from "../db/postgres.ts";
import { checkPostgresServer } from "../db/postgres-server.ts";
import { explainToOperator } from "../operator-errors.ts";
import { createOrganization, createRecoveryKey, listOrganizations } from "../organizations/commands.ts";
import { runSandbox } from "./sandbox.ts";

const USAGE = `Usage: npm run slipway -- <command>

  start                       runs the service, as npm start does
  org list                    prints the id and the name of each organization
  org create NAME             creates an organization with an admin and prints its API key, once
  key create ORGANIZATION_ID  prints a new API key for an admin of that organization, for a lost one
  migrate                     brings the database to this release
  sandbox                     runs the sandbox cloud alone, for several processes that share it

The configuration is that of the service (see docs/configuration.md). With the embedded database the
service must be stopped meanwhile, but for the sandbox, which has a folder of its own.
`;

async function main(args: readonly string[]): Promise<void> {
  const [noun, verb, argument] = args;
  const command = [noun, verb].filter(Boolean).join(" ");
  if (command === "help" || command === "--help") return print(USAGE);
  if (command === "migrate") return await withDatabase(async () => print("The database is at this release."));
  if (command === "sandbox") return await runSandbox();
  if (command === "org list") {
    return await withDatabase(async (db) => {
      for (const { id, name } of await listOrganizations(db)) print(`${id}  ${name}`);
    });
  }
  if (command === "org create" && argument !== undefined && argument.trim() !== "") {
    return await withDatabase(async (db) => {
      const made = await db.transaction((tx) => createOrganization(tx, argument, null));
      print(`Organization ${made.organizationId}\nAPI key, shown this once: ${made.key}`);
    });
  }
  if (command === "key create" && argument !== undefined) {
    return await withDatabase(async (db) => {
      const key = await db.transaction((tx) => createRecoveryKey(tx, argument));
      if (key === null) throw new UsageError(`There is no organization ${argument} with an admin.`);
      print(`API key, shown this once: ${key}`);
    });
  }
  throw new UsageError(USAGE);
}

class UsageError extends Error {}

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const config = readConfig();
  const { db, close } = await open(config);
  try {
    await migrate(db);
    await work(db);
  } finally {
    await close();
  }
}

async function open(config: Config): Promise<{ db: Database; close: () => Promise<void> }> {
  if (config.databaseUrl !== null) {
    const db = createPostgresDatabase({
      connectionString: config.databaseUrl,
      poolSize: 2,
      onError: () => undefined,
    });
    await checkPostgresServer(db, config.databaseUrl);
    return { db, close: () => db.close() };
  }
  const lock = lockDataDir(config.dataDir);
  const db = await openPgliteDatabase({ folder: path.join(config.dataDir, "database") });
  return {
    db,
    async close() {
      await db.close();
      lock.release();
    },
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof UsageError ? error.message : explainToOperator(error)}\n`);
  process.exit(1);
});
