import path from "node:path";
import type { Database } from "../../db/database.ts";
import { createPgliteDatabase } from "../../db/drivers/pglite.ts";
import { checkPostgresServer } from "../../db/drivers/postgres-server.ts";
import { createPostgresDatabase } from "../../db/drivers/postgres.ts";
import type { Config } from "../config/config.ts";

export function embeddedFolder({ dataDir }: Pick<Config, "dataDir">): string {
  return path.join(dataDir, "database");
}

/**
 * Begins to open the configured database, so that it starts while we do other things.
 * @returns the database, and `opened`, which must be waited for before it is used. It rejects with DatabaseStartError
 * or FolderError.
 */
export function openDatabase(
  config: Config,
  onError: (error: unknown) => void,
): { readonly db: Database; readonly opened: Promise<void> } {
  if (config.databaseUrl === null) {
    return createPgliteDatabase({ folder: embeddedFolder(config), onError });
  }
  const db = createPostgresDatabase({
    connectionString: config.databaseUrl,
    directConnectionString: config.databaseDirectUrl,
    poolSize: config.databasePoolSize,
    onError,
  });
  const opened = checkPostgresServer(db, config.databaseUrl);
  // The caller that awaits `opened` gets the failure.
  opened.catch(() => undefined);
  return { db, opened };
}
