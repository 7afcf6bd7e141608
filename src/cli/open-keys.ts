import { systemClock } from "../lib/clock.ts";
import { type AtRestKeys, atRestKeysIn, openAtRestKeys } from "../sealing/keys/at-rest-keys.ts";
import { readFolderKey } from "../sealing/keys/folder-key.ts";
import type { KeyFiles } from "../sealing/keys/key-file.ts";
import { openKeyFolder } from "../sealing/keys/key-folder.ts";
import { openKeyFiles } from "../sealing/open-sealing.ts";
import type { Config } from "../start/config/config.ts";
import { openKeyWrap } from "../start/open/open-key-wrap.ts";
import { OperatorError } from "../lib/operator-error.ts";

/** The files of the key folder, for a command beside the service. @throws SealingError, OperatorError */
export async function openFiles(config: Config): Promise<KeyFiles> {
  const wrap = await openKeyWrap(config);
  // If one key were not wrapped, a thief of the folder would need no other.
  const folder = await openKeyFolder(config.sealingKeysDir, systemClock);
  const found = await readFolderKey(folder);
  if (wrap === null && found !== null) {
    throw new OperatorError(
      `The keys in ${folder.path} are wrapped by a key of AWS KMS. Set SLIPWAY_KMS_KEY_ID to the service's value: ${found.keyId}`,
    );
  }
  // The running service could not read a wrapped key among its unwrapped ones.
  if (wrap !== null && found === null) {
    throw new OperatorError(
      `The keys in ${folder.path} are not wrapped yet. Start the service with SLIPWAY_KMS_KEY_ID first, or unset it here.`,
    );
  }
  return await openKeyFiles({ folder: config.sealingKeysDir, clock: systemClock, wrap });
}

/** The at-rest keys; null when the folder has none. Makes no key. @throws SealingError, OperatorError */
export async function findAtRestKeys(config: Config): Promise<AtRestKeys | null> {
  const files = await openFiles(config);
  return atRestKeysIn(await files.folder.list()).length === 0 ? null : await openAtRestKeys(files);
}
