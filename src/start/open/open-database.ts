import path from "node:path";
import type { Database } from "../../db/database.ts";
import { checkPostgresServer } from "../../db/drivers/postgres-server.ts";
import { createPostgresDatabase } from "../../db/drivers/postgres.ts";
import type { Config } from "../config/config.ts";

type Undo = (() => Promise<void> | void)[];

export async function openDatabase(
  config: Config,
  undo: Undo,
  onError: (error: unknown) => void,
): Promise<Database> {
  if (config.databaseUrl !== null) {
    const db = createPostgresDatabase({
      connectionString: config.databaseUrl,
      poolSize: config.databasePoolSize,
      onError,
    });
    undo.push(() => db.close());
    await checkPostgresServer(db, config.databaseUrl);
    return db;
  }
  // Loaded only when it runs: it is a whole PostgreSQL.
  const { openPgliteDatabase } = await import("../../db/drivers/pglite.ts");
  const db = await openPgliteDatabase({ folder: path.join(config.dataDir, "database"), onError });
  undo.push(() => db.close());
  return db;
}
