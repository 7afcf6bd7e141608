import type { Clock } from "../lib/clock.ts";
import { type AtRestKeys, openAtRestKeys } from "./keys/at-rest-keys.ts";
import { type AtRestSealing, createAtRestSealing } from "./at-rest.ts";
import { type SealingKeys, createSealingKeys } from "./keys/epoch-keys.ts";
import { type Fingerprint, createFingerprint } from "./fingerprint.ts";
import { createKeyFiles, type KeyFiles } from "./keys/key-file.ts";
import { openKeyFolder } from "./keys/key-folder.ts";
import { type KeyWrap, openFolderKey } from "./keys/folder-key.ts";
import { type RunSealing, createRunSealing } from "./sealing.ts";

/** All sealing with the keys of one folder. */
export type Sealing = {
  /** Seals the values of variable runs, for at most a day. */
  readonly runs: RunSealing;
  /** Seals values that are kept for long. */
  readonly atRest: AtRestSealing;
  readonly atRestKeys: AtRestKeys;
  readonly fingerprint: Fingerprint;
  /** The epoch keys; call their `destroyExpired` about hourly. */
  readonly keys: SealingKeys;
  readonly files: KeyFiles;
};

type SealingOptions = {
  readonly folder: string;
  readonly clock: Clock;
  /** Null when keys are stored unwrapped. */
  readonly wrap?: KeyWrap | null;
};

/**
 * Opens the key folder and makes what is missing. Wraps unwrapped keys if a key service is configured. Destroys keys
 * that expired while Slipway was stopped. All processes of an installation use the same `folder` and key service.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`, `KEYS_WRAPPED`, `KEY_SERVICE_UNUSABLE`, whose
 * messages say what to do
 */
export async function openSealing(options: SealingOptions): Promise<Sealing> {
  const files = await openKeyFiles(options);
  await files.wrapAll();
  const keys = createSealingKeys({ ...options, files });
  await keys.destroyExpired();
  const atRestKeys = await openAtRestKeys(files);
  return {
    runs: createRunSealing(keys),
    atRest: createAtRestSealing(atRestKeys),
    atRestKeys,
    fingerprint: createFingerprint(atRestKeys),
    keys,
    files,
  };
}

/** Only the key files, for the command line. @throws SealingError */
export async function openKeyFiles(options: SealingOptions): Promise<KeyFiles> {
  const folder = await openKeyFolder(options.folder, options.clock);
  const { wrap = null } = options;
  return createKeyFiles(folder, wrap === null ? null : await openFolderKey(folder, wrap));
}
