/** The databases that an operator's commands work on. */
import { existsSync } from "node:fs";
import { type Database, readStatement } from "../db/database.ts";
import { lockDataDir } from "../db/drivers/data-dir-lock.ts";
import { findAddressFault } from "../db/drivers/addresses.ts";
import { openPgliteDatabase } from "../db/drivers/pglite.ts";
import { createPostgresDatabase } from "../db/drivers/postgres.ts";
import { checkPostgresServer } from "../db/drivers/postgres-server.ts";
import type { Config } from "../start/config/config.ts";
import { closeFolders } from "../start/open/close-folder.ts";
import { embeddedFolder } from "../start/open/open-database.ts";
import { OperatorError } from "../lib/operator-error.ts";

export type OpenDatabase = { readonly db: Database; readonly close: () => Promise<void> };

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
export async function openConfigured(config: Config, applicationName?: string): Promise<OpenDatabase> {
  closeFolders(config);
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl !== null) return await openPostgres(databaseDirectUrl ?? databaseUrl, applicationName);
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

/** The configured database, which must have an installation: none is made. @throws OperatorError */
export async function openInstalled(config: Config, applicationName?: string): Promise<OpenDatabase> {
  if (config.databaseUrl === null && !existsSync(embeddedFolder(config))) {
    throw new OperatorError(
      `There is no database in ${config.dataDir}. Set DATABASE_URL or SLIPWAY_DATA_DIR to the service's value.`,
    );
  }
  const opened = await openConfigured(config, applicationName);
  const [found] = await opened.db.query(IS_MIGRATED);
  if (found?.isMigrated === true) return opened;
  await opened.close();
  throw new OperatorError("The database has no tables of Slipway. Set DATABASE_URL to the service's value.");
}

/** A database in a folder that the caller has locked. @throws FolderError */
export async function openEmbedded(folder: string): Promise<OpenDatabase> {
  const db = await openPgliteDatabase({ folder });
  return { db, close: () => db.close() };
}

/**
 * @param applicationName what the server shows of its connections
 * @throws DatabaseStartError; OperatorError if `url` is not a valid address
 */
export async function openPostgres(url: string, applicationName?: string): Promise<OpenDatabase> {
  const fault = findAddressFault(url);
  if (fault !== null) throw new OperatorError(`The address of the database ${fault}`);
  const named =
    applicationName === undefined
      ? url
      : `${url}${url.includes("?") ? "&" : "?"}application_name=${applicationName}`;
  const db = createPostgresDatabase({ connectionString: named, poolSize: 2, onError: () => undefined });
  try {
    await checkPostgresServer(db, url);
  } catch (error) {
    await db.close();
    throw error;
  }
  return { db, close: () => db.close() };
}

const IS_MIGRATED = readStatement<{ isMigrated: boolean }>(
  "operator_is_migrated",
  `SELECT to_regclass('schema_migrations') IS NOT NULL AS "isMigrated"`,
);
