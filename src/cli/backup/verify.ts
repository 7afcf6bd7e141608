/** `slipway backup verify PATH`: restores a backup into a scratch database and opens what is sealed in it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { copyInTransaction } from "../../db/copy/read-rows.ts";
import { type Copied, emptyTables } from "../../db/copy/write-rows.ts";
import type { Database } from "../../db/database.ts";
import { removeFact } from "../../db/facts.ts";
import { applyMigrations, readMigrations } from "../../db/migrate.ts";
import { sealedValuesOfIntegrations } from "../../features/git-integrations/sealed-values.ts";
import { sealedValuesOfPreviews } from "../../features/previews/sealed-values.ts";
import { sealedValuesOfNotifications } from "../../features/notifications/sealed-values.ts";
import { sealedValuesOfWebhooks } from "../../features/webhooks/sealed-values.ts";
import { createAtRestSealing } from "../../sealing/at-rest.ts";
import type { AtRestKeys } from "../../sealing/keys/at-rest-keys.ts";
import type { SealedValues } from "../../sealing/reseal.ts";
import { SealingError } from "../../sealing/sealing-error.ts";
import { readConfig } from "../../start/config/config.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { recordVerifiedBackup } from "../../start/verified-backup.ts";
import { fillDatabase } from "../fill-database.ts";
import { openConfigured, openEmbedded, openPostgres, withOpen } from "../open-database.ts";
import { takeOwnServer } from "./own-server.ts";
import { openSignedBackup } from "./open-signed.ts";

const BATCH = 100;

/**
 * @param scratchUrl an empty database of PostgreSQL, which is empty again afterwards; null: an embedded one, in the
 * system's folder for temporary files
 * @throws OperatorError when the backup is of no use, CopyError, SealingError
 */
export async function verifyBackup(from: string, scratchUrl: string | null): Promise<void> {
  const config = readConfig();
  const file = path.resolve(from);
  const { backup, copy, keys, vault, missing } = await openSignedBackup(config, file, false);
  const { header } = backup;
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-verify-"));
  const ownServer = takeOwnServer(copy.source, path.join(folder, "host"), false);
  try {
    const { copied, opened } = await inScratch(scratchUrl, folder, async (db) => {
      const copied = await fillDatabase(db, { ...copy, source: ownServer.source }, { keepsMark: true });
      // As a start of this release does.
      await applyMigrations(db, await readMigrations());
      const ofServer = ownServer.openAll(vault);
      return { copied, opened: ofServer + (keys === null ? 0 : await openAll(db, keys)) };
    });
    process.stdout.write(
      `The backup is complete: ${copied.rows} rows of ${copied.tables} tables, as they were at ${header.madeAt}, and ${opened} sealed values that open with the keys in ${config.sealingKeysDir}.\n`,
    );
    if (missing.length > 0)
      process.stdout.write(
        `Older keys of its time are missing, and nothing needs them: ${missing.join(", ")}.\n`,
      );
    await record({ file, madeAt: header.madeAt, rows: copied.rows });
  } finally {
    await ownServer.discard();
    await rm(folder, { recursive: true, force: true });
    await backup.close();
  }

  /** Only prints a failure to record, because the backup is whole nevertheless. */
  async function record(verified: Parameters<typeof recordVerifiedBackup>[2]): Promise<void> {
    try {
      if (config.databaseUrl === null) return await recordVerifiedBackup(config, null, verified);
      await withOpen(openConfigured(config), (db) => recordVerifiedBackup(config, db, verified));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`The verification could not be recorded for slipway doctor: ${reason}\n`);
    }
  }
}

async function inScratch<T extends { copied: Copied }>(
  url: string | null,
  folder: string,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (url !== null) {
    return await withOpen(openPostgres(url), async (db) => {
      const result = await work(db);
      await copyInTransaction(db, async (tx) => {
        await emptyTables(tx);
        await removeFact(tx, "unfinished");
      });
      return result;
    });
  }
  return await withOpen(openEmbedded(path.join(folder, "database")), work);
}

/** @throws OperatorError when a value does not open */
async function openAll(db: Database, keys: AtRestKeys): Promise<number> {
  const atRest = createAtRestSealing(keys);
  const kinds: readonly SealedValues[] = [
    sealedValuesOfIntegrations(db),
    sealedValuesOfWebhooks(db),
    sealedValuesOfNotifications(db),
    sealedValuesOfPreviews(db),
  ];
  let opened = 0;
  for (const values of kinds) {
    let after = "";
    for (;;) {
      // No sealed value begins with it.
      const found = await values.listOthers(Uint8Array.of(0), after, BATCH);
      for (const { key, associated, sealed } of found) {
        await atRest.open(associated, sealed).catch((error: unknown) => {
          if (!(error instanceof SealingError)) throw error;
          throw new OperatorError(`The sealed value ${key} of the backup does not open. ${error.message}`, {
            cause: error,
          });
        });
        after = key;
      }
      opened += found.length;
      if (found.length < BATCH) break;
    }
  }
  return opened;
}
