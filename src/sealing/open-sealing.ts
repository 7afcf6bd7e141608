import type { Clock } from "../clock.ts";
import { openAtRestKey } from "./at-rest-key.ts";
import { type AtRestSealing, createAtRestSealing } from "./at-rest.ts";
import { type SealingKeys, createSealingKeys } from "./epoch-keys.ts";
import { type Fingerprint, createFingerprint } from "./fingerprint.ts";
import { openKeyFolder } from "./key-folder.ts";
import { type RunSealing, createRunSealing } from "./sealing.ts";

/** Everything that seals, over one key folder. */
export type Sealing = {
  /** Values of variable runs, for at most a day. */
  readonly runs: RunSealing;
  /** Values kept for long. */
  readonly atRest: AtRestSealing;
  readonly fingerprint: Fingerprint;
  /** The epoch keys; their `destroyExpired` has to be called about hourly. */
  readonly keys: SealingKeys;
};

/**
 * Opens the key folder, making what is missing, and destroys the keys that outlived their time while
 * Slipway was stopped. All processes of an installation are given the same `folder`.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`, whose messages say what to do
 */
export async function openSealing(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly rotateEveryMs?: number;
  readonly destroyAfterMs?: number;
}): Promise<Sealing> {
  const folder = await openKeyFolder(options.folder, options.clock);
  const keys = createSealingKeys({ ...options, folder });
  await keys.destroyExpired();
  const deriveKey = await openAtRestKey(folder);
  return {
    runs: createRunSealing(keys),
    atRest: createAtRestSealing(deriveKey),
    fingerprint: createFingerprint(deriveKey),
    keys,
  };
}
