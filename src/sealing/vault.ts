/**
 * Seals what the edge of an own server keeps: private keys of certificates, and managed values. Its key is a file of the
 * key folder. The key never changes, because the server's documents are sealed with it.
 */
import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { KEY_BYTES, openValue, sealValue } from "./aead.ts";
import type { KeyFiles } from "./keys/key-file.ts";
import { markOf } from "./sign-backup.ts";
import { Secret } from "./secret.ts";
import { SealingError } from "./sealing-error.ts";

const FILE = "host.key";
const PURPOSE = "slipway host value 1";

/** Synchronous, because the server's documents are read and written so. */
export type HostVault = {
  seal(place: string, text: string): string;
  /** @throws SealingError `TAMPERED` */
  open(place: string, sealed: string): string;
  digest(text: string): string;
  /** Names the key without revealing anything about it, like the marks of at-rest keys in backups. */
  readonly mark: string;
};

export const HOST_KEY_FILE = FILE;

/**
 * Reads the key, or makes it.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`, `KEYS_WRAPPED`
 */
export async function openHostVault(files: KeyFiles): Promise<HostVault> {
  const made = randomBytes(KEY_BYTES);
  if (await files.publishOnce(FILE, "host key", made)) await files.folder.sync();
  made.fill(0);
  const vault = await findHostVault(files);
  if (vault !== null) return vault;
  throw new SealingError(
    "KEY_FOLDER_UNUSABLE",
    `The file ${files.folder.path}/${FILE} vanished while Slipway started. Let nothing else write to this folder.`,
  );
}

/** Null if there is no key. @throws SealingError as `openHostVault` */
export async function findHostVault(files: KeyFiles): Promise<HostVault | null> {
  const key = await files.read(FILE, "host key");
  if (key === null) return null;
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", key, "", `slipway ${purpose} 1`, KEY_BYTES));
  const [valueKey, digestKey] = [derive("host value"), derive("host digest")];
  const mark = markOf({ backupKey: derive("backup") });
  key.fill(0);
  return {
    seal: (place, text) =>
      Buffer.from(sealValue(valueKey, [PURPOSE, place], new Secret(text))).toString("base64"),
    open(place, sealed) {
      const value = openValue(valueKey, [PURPOSE, place], Buffer.from(sealed, "base64"));
      if (value !== null) return value.reveal();
      throw new SealingError(
        "TAMPERED",
        `A value of this server's edge cannot be opened: it was changed or moved, or ${FILE} in the SLIPWAY_SEALING_KEYS folder is not the key it was sealed with. Restore that file from a copy. Without it, remove the folder host in the data folder: certificates are requested again, and managed values have to be set again.`,
      );
    },
    mark,
    digest: (text) => createHmac("sha256", digestKey).update(text).digest("base64"),
  };
}
