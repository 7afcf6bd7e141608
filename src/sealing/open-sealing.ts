import type { Clock } from "../lib/clock.ts";
import { type AtRestKeys, openAtRestKeys } from "./keys/at-rest-keys.ts";
import { type AtRestSealing, createAtRestSealing } from "./at-rest.ts";
import { type SealingKeys, createSealingKeys } from "./keys/epoch-keys.ts";
import { type Fingerprint, createFingerprint } from "./fingerprint.ts";
import { openFolderKey } from "./keys/folder-key.ts";
import { createKeyFiles, type KeyFiles } from "./keys/key-file.ts";
import { openKeyFolder } from "./keys/key-folder.ts";
import type { KeyWrap } from "./keys/key-wrap.ts";
import { type RunSealing, createRunSealing } from "./sealing.ts";

/** Everything that seals, over one key folder. */
export type Sealing = {
  /** Values of variable runs, for at most a day. */
  readonly runs: RunSealing;
  /** Values kept for long. */
  readonly atRest: AtRestSealing;
  readonly atRestKeys: AtRestKeys;
  readonly fingerprint: Fingerprint;
  /** The epoch keys; their `destroyExpired` has to be called about hourly. */
  readonly keys: SealingKeys;
  readonly files: KeyFiles;
};

/**
 * Opens the key folder, making what is missing, wraps what rests unwrapped though a key service is named, and destroys
 * the keys that outlived their time while Slipway was stopped. All processes of an installation are given the same
 * `folder` and key service.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`, `KEYS_WRAPPED`, `KEY_SERVICE_UNUSABLE`, whose
 *   messages say what to do
 */
export async function openSealing(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly wrap?: KeyWrap | null;
  readonly rotateEveryMs?: number;
  readonly destroyAfterMs?: number;
}): Promise<Sealing> {
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

/** The files of the keys alone, for the command line. @throws SealingError */
export async function openKeyFiles(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly wrap?: KeyWrap | null;
}): Promise<KeyFiles> {
  const folder = await openKeyFolder(options.folder, options.clock);
  const { wrap = null } = options;
  return createKeyFiles(folder, wrap === null ? null : await openFolderKey(folder, wrap));
}
