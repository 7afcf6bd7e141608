/** `slipway backup --to PATH` */
import path from "node:path";
import type { Transaction } from "../../db/database.ts";
import { refuseUnusable } from "../../db/facts.ts";
import { listApplied, readSnapshot } from "../../db/copy/read-rows.ts";
import { systemClock } from "../../lib/clock.ts";
import { readRelease } from "../../lib/release.ts";
import type { AtRestKey } from "../../sealing/keys/at-rest-keys.ts";
import { markOf, signBackup } from "../../sealing/sign-backup.ts";
import { findHostVault, HOST_KEY_FILE, type HostVault } from "../../sealing/vault.ts";
import { type Config, readConfig } from "../../start/config/config.ts";
import { hasOwnServer, readOwnServerTables } from "../../start/own-server/back-up.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { openInstalled, withOpen } from "../open-database.ts";
import { findAtRestKeys, openFiles } from "../open-keys.ts";
import { FORMAT_VERSION, type BackupHeader } from "./format.ts";
import { backupText, refuseExisting, writeNewFile } from "./write-backup.ts";

/** @throws OperatorError, SealingError, DataDirInUseError, DatabaseStartError */
export async function makeBackup(to: string): Promise<void> {
  const config = readConfig();
  const file = path.resolve(to);
  await refuseExisting(file);
  const keys = (await (await findAtRestKeys(config))?.list()) ?? [];
  const newest = keys.at(-1);
  if (newest === undefined) {
    throw new OperatorError(
      `There is no at-rest key in ${config.sealingKeysDir}, with which the backup has to be signed. Set SLIPWAY_SEALING_KEYS to the service's value.`,
    );
  }
  await withOpen(openInstalled(config), async (db) => {
    await refuseUnusable(db);
    const vault = hasOwnServer(config) ? await requireHostVault(config) : null;
    const { bytes } = await readSnapshot(db, async (tx) => {
      const header = await describe(tx, keys, newest, vault);
      const more = vault === null ? [] : readOwnServerTables(config);
      return await writeNewFile(
        file,
        backupText(tx, header, (checksum) => signBackup(newest, checksum), more),
      );
    });
    const named = vault === null ? newest.file : `${newest.file} and ${HOST_KEY_FILE}`;
    process.stdout.write(
      `The backup is ${file} (${bytes} bytes). The sealing keys are not in it: keep a copy of ${named} elsewhere. To try it: slipway backup verify ${to}\n`,
    );
  });
}

/** @throws OperatorError without the key that opens what the backup would have of the server's folder */
async function requireHostVault(config: Config): Promise<HostVault> {
  const vault = await findHostVault(await openFiles(config));
  if (vault !== null) return vault;
  throw new OperatorError(
    `There is no ${HOST_KEY_FILE} in ${config.sealingKeysDir}, which seals the keys of this server's certificates. Set SLIPWAY_SEALING_KEYS to the service's value, or restore the file from a copy.`,
  );
}

async function describe(
  tx: Transaction,
  keys: readonly AtRestKey[],
  newest: AtRestKey,
  vault: HostVault | null,
): Promise<BackupHeader> {
  return {
    slipwayBackup: FORMAT_VERSION,
    release: readRelease(),
    madeAt: systemClock.now().toISOString(),
    schema: [...(await listApplied(tx))],
    keys: [
      ...keys.map((key) => ({ file: key.file, mark: markOf(key) })),
      ...(vault === null ? [] : [{ file: HOST_KEY_FILE, mark: vault.mark }]),
    ],
    signedWith: markOf(newest),
  };
}
