/** Opens backups, and compares their keys with those of the key folder. */
import type { AtRestKeys } from "../../sealing/keys/at-rest-keys.ts";
import { isBackupSignature, markOf } from "../../sealing/sign-backup.ts";
import { findHostVault, HOST_KEY_FILE, type HostVault } from "../../sealing/vault.ts";
import type { Config } from "../../start/config/config.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type Copy, findMigrations } from "../fill-database.ts";
import { findAtRestKeys, openFiles } from "../open-keys.ts";
import { type Backup, openBackup } from "./read-backup.ts";

export type SignedBackup = {
  readonly backup: Backup;
  /** The same, as what a database is filled with. */
  readonly copy: Copy;
  /** Null if the backup is used without its keys. */
  readonly keys: AtRestKeys | null;
  /** Opens what the edge of an own server sealed; null without its key. */
  readonly vault: HostVault | null;
  /** Key files of the backup's time that the folder lacks. */
  readonly missing: readonly string[];
};

/**
 * Opens a backup and its keys, after all of it was read once: what is damaged or was changed is not even begun with.
 * @param withoutKeys whether it may be used although the key that signed it is missing
 * @throws OperatorError, SealingError
 */
export async function openSignedBackup(
  config: Config,
  file: string,
  withoutKeys: boolean,
): Promise<SignedBackup> {
  const keys = await findAtRestKeys(config);
  const found = new Map(((await keys?.list()) ?? []).map((key) => [markOf(key), key]));
  const vault = await findHostVault(await openFiles(config));
  const open = (): Promise<Backup> =>
    openBackup(file, (header, checksum, signature) => {
      const key = found.get(header.signedWith);
      return key === undefined ? withoutKeys : isBackupSignature(key, checksum, signature);
    });
  const first = await open();
  try {
    const missing = first.header.keys
      .filter(({ mark }) => !found.has(mark) && mark !== vault?.mark)
      .map((key) => key.file);
    const isUnusable = !found.has(first.header.signedWith) || missing.includes(HOST_KEY_FILE);
    if (isUnusable && !withoutKeys) {
      throw new OperatorError(
        `The key folder ${config.sealingKeysDir} does not have the backup's keys (${missing.join(", ")}). Copy them there from where they are kept. Without them, the sealed values cannot be opened, and a change of the backup cannot be detected; to restore it nevertheless, add --without-keys.`,
      );
    }
    await findMigrations(first.header.schema, file, first.header.release);
    await readThrough(first);
    const backup = await open();
    const { header, source } = backup;
    const copy = { from: file, release: header.release, schema: header.schema, source };
    return { backup, copy, keys, vault, missing };
  } finally {
    await first.close();
  }
}

/** @throws OperatorError when it is not whole, or not as it was written */
async function readThrough({ source }: Backup): Promise<void> {
  for await (const { rows } of source.tables()) {
    const batches = rows[Symbol.asyncIterator]();
    while ((await batches.next()).done !== true);
  }
  await source.sequences();
}
