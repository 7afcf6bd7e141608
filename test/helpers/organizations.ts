import path from "node:path";
import type { Database } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";

/**
 * Writes organizations with these admin keys into a migrated database that no process has open: the embedded
 * database of a data folder, or the database at `databaseUrl`.
 */
export async function seedOrganizations(
  where: { readonly dataDir: string; readonly databaseUrl: string | null },
  keys: readonly string[],
): Promise<void> {
  const db = await open(where);
  try {
    await db.transaction(async (tx) => {
      for (const key of keys) await createOrganization(tx, `Organization of ${key}`, key);
    });
  } finally {
    await db.close();
  }
}

async function open(where: {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}): Promise<Database> {
  if (where.databaseUrl === null)
    return await openPgliteDatabase({ folder: path.join(where.dataDir, "database") });
  return createPostgresDatabase({
    connectionString: where.databaseUrl,
    poolSize: 1,
    onError: () => undefined,
  });
}
