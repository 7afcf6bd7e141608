/** `slipway restore --from PATH` */
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { takeOverClaims } from "../../jobs/claims.ts";
import type { Database } from "../../db/database.ts";
import type { Copied } from "../../db/copy/write-rows.ts";
import { lockDatabase, lockDataDir } from "../../db/drivers/data-dir-lock.ts";
import { migrate } from "../../db/migrate.ts";
import { HOST_KEY_FILE } from "../../sealing/vault.ts";
import { type Config, readConfig } from "../../start/config/config.ts";
import { closeFolders } from "../../start/open/close-folder.ts";
import { hostFolder } from "../../start/open/open-host.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { fillDatabase } from "../fill-database.ts";
import { embeddedFolder } from "../../start/open/open-database.ts";
import { openConfigured, openEmbedded, withOpen } from "../open-database.ts";
import { takeOwnServer } from "./own-server.ts";
import { openSignedBackup } from "./open-signed.ts";

/** @throws OperatorError, CopyError, SealingError, DataDirInUseError, DatabaseStartError, FolderError */
export async function restoreBackup(from: string, { withoutKeys }: { withoutKeys: boolean }): Promise<void> {
  const config = readConfig();
  const file = path.resolve(from);
  const { backup, copy, missing } = await openSignedBackup(config, file, withoutKeys);
  const { header } = backup;
  const ownServer = takeOwnServer(copy.source, hostFolder(config), true);
  try {
    const copied = await intoEmpty(config, async (db) => {
      const copied = await fillDatabase(db, { ...copy, source: ownServer.source }).catch(
        async (error: unknown) => {
          await ownServer.discard();
          throw error;
        },
      );
      await migrate(db);
      // The workers that held these claims no longer run.
      await takeOverClaims(db);
      return copied;
    });
    process.stdout.write(
      `Restored ${copied.rows} rows of ${copied.tables} tables, as they were at ${header.madeAt}. Start the service: it continues from there.\n`,
    );
    if (missing.length > 0) {
      process.stdout.write(
        `These keys are missing in ${config.sealingKeysDir}: ${missing.join(", ")}. What they sealed has to be entered again: git tokens, secrets of webhooks, and URLs of notification channels.${
          missing.includes(HOST_KEY_FILE)
            ? ` Without ${HOST_KEY_FILE}, also remove ${hostFolder(config)} before the start: certificates are ordered again, and accounts have to be connected again.`
            : ""
        }\n`,
      );
    }
  } finally {
    await backup.close();
  }
}

async function intoEmpty(config: Config, work: (db: Database) => Promise<Copied>): Promise<Copied> {
  if (config.databaseUrl !== null) return await withOpen(openConfigured(config), work);
  closeFolders(config);
  const lock = lockDataDir(config.dataDir);
  try {
    return await intoFolder(embeddedFolder(config), work);
  } finally {
    lock.release();
  }
}

/** The folder of the embedded database gets its name when everything is in it. */
async function intoFolder(folder: string, work: (db: Database) => Promise<Copied>): Promise<Copied> {
  if (existsSync(folder)) {
    throw new OperatorError(
      `There is a database in ${folder}, and a restore does not replace it. Set SLIPWAY_DATA_DIR to another folder, or move this one away.`,
    );
  }
  const draft = `${folder}.unfinished`;
  const removeDraft = async (): Promise<void> => {
    // The process of a restore that was killed has it for a moment longer.
    lockDatabase(draft).release();
    for (const left of [draft, `${draft}.lock`]) await rm(left, { recursive: true, force: true });
  };
  // Removes what a killed restore left. No other restore uses it, because we hold the lock of the data folder.
  await removeDraft();
  try {
    const copied = await withOpen(openEmbedded(draft), work);
    await rename(draft, folder);
    return copied;
  } finally {
    await removeDraft();
  }
}
