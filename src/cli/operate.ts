/** The operator's commands on the database, which also work while the service runs. */
import type { Database } from "../db/database.ts";
import { distribute } from "../db/distribute.ts";
import { migrate } from "../db/migrate.ts";
import { createRecoveryKey } from "../features/api-keys/commands.ts";
import { createOrganization } from "../features/organizations/commands.ts";
import { listOrganizations } from "../features/organizations/queries.ts";
import { readConfig } from "../start/config/config.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { openConfigured, withOpen } from "./open-database.ts";

/** `slipway migrate` */
export async function migrateDatabase(): Promise<void> {
  await withDatabase(async () => print("The database is up to date."));
}

/** `slipway distribute` @throws DistributionError */
export async function distributeDatabase(): Promise<void> {
  await withDatabase(async (db) => {
    const tables = await distribute(db);
    print(
      tables.length === 0
        ? "All tables are distributed already."
        : `Distributed ${tables.length} tables over the nodes of the cluster.`,
    );
  });
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
  await withOpen(openConfigured(readConfig()), async (db) => {
    await migrate(db);
    await work(db);
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
