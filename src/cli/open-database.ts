/** The databases that an operator's commands work on. */
import path from "node:path";
import type { Database } from "../db/database.ts";
import { lockDataDir } from "../db/drivers/data-dir-lock.ts";
import { openPgliteDatabase } from "../db/drivers/pglite.ts";
import { createPostgresDatabase } from "../db/drivers/postgres.ts";
import { checkPostgresServer } from "../db/drivers/postgres-server.ts";
import type { Config } from "../start/config/config.ts";
import { closeFolders } from "../start/open/close-folder.ts";

export type OpenDatabase = { readonly db: Database; readonly close: () => Promise<void> };

/** The folder of the embedded database. */
export function embeddedFolder({ dataDir }: Config): string {
  return path.join(dataDir, "database");
}

/** Closes the database after the work, however it ends. */
export async function withOpen<T>(
  opening: Promise<OpenDatabase>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened.db);
  } finally {
    await opened.close();
  }
}

/**
 * The configured database. The embedded one is locked until it is closed: no service runs on it.
 * @throws DataDirInUseError, DatabaseStartError, FolderError
 */
export async function openConfigured(config: Config): Promise<OpenDatabase> {
  closeFolders(config);
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl !== null) return await openPostgres(databaseDirectUrl ?? databaseUrl);
  const lock = lockDataDir(config.dataDir);
  try {
    const { db, close } = await openEmbedded(embeddedFolder(config));
    return {
      db,
      async close() {
        await close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A database in a folder that the caller has locked. @throws FolderError */
export async function openEmbedded(folder: string): Promise<OpenDatabase> {
  const db = await openPgliteDatabase({ folder });
  return { db, close: () => db.close() };
}

/** @throws DatabaseStartError */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  const db = createPostgresDatabase({ connectionString: url, poolSize: 2, onError: () => undefined });
  try {
    await checkPostgresServer(db, url);
  } catch (error) {
    await db.close();
    throw error;
  }
  return { db, close: () => db.close() };
}
