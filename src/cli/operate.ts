/** The operator's commands on the database, which also work while the service runs. */
import path from "node:path";
import { closeFolders } from "../start/open/close-folder.ts";
import type { Config } from "../start/config/config.ts";
import { readConfig } from "../start/config/read-config.ts";
import { lockDataDir } from "../db/drivers/data-dir-lock.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openPgliteDatabase } from "../db/drivers/pglite.ts";
import { createPostgresDatabase } from "../db/drivers/postgres.ts";
import { checkPostgresServer } from "../db/drivers/postgres-server.ts";
import { OperatorError } from "../start/operator-errors.ts";
import {
  createOrganization,
  createRecoveryKey,
  listOrganizations,
} from "../features/organizations/commands.ts";

/** `slipway migrate` */
export async function migrateDatabase(): Promise<void> {
  await withDatabase(async () => print("The database is up to date."));
}

/** `slipway org list` */
export async function listOrganizationNames(): Promise<void> {
  await withDatabase(async (db) => {
    for (const { id, name } of await listOrganizations(db)) print(`${id}  ${name}`);
  });
}

/** `slipway org create NAME` */
export async function addOrganization(name: string): Promise<void> {
  await withDatabase(async (db) => {
    const made = await db.transaction((tx) => createOrganization(tx, name, null));
    print(`Organization ${made.organizationId}\nAPI key (shown only once): ${made.key}`);
  });
}

/** `slipway key create ORGANIZATION_ID` @throws OperatorError */
export async function addKey(organizationId: string): Promise<void> {
  await withDatabase(async (db) => {
    const key = await db.transaction((tx) => createRecoveryKey(tx, organizationId));
    if (key === null) {
      throw new OperatorError(
        `There is no organization ${organizationId} with an admin. \`slipway org list\` prints the ids.`,
      );
    }
    print(`API key (shown only once): ${key}`);
  });
}

/** Opens the configured database, migrates it to this release, and closes it after the work. */
async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const config = readConfig();
  closeFolders(config);
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
      directConnectionString: config.databaseDirectUrl,
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
