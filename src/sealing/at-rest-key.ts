import { hkdfSync, randomBytes } from "node:crypto";
import { KEY_BYTES, formatKeyFile, readKeyFile } from "./key-file.ts";
import type { KeyFolder } from "./key-folder.ts";
import { SealingError } from "./sealing-error.ts";

const FILE = "at-rest.key";

/** A key for one purpose, made from the installation's long-lived key. */
export type DeriveKey = (purpose: string) => Uint8Array;

/**
 * Reads the long-lived key from which all keys but the epochs' are derived, or makes it: of several
 * processes that start at once one makes it and all use it. Unlike epoch keys it is never destroyed and
 * needs a copy somewhere safe: without it, git tokens have to be entered again.
 * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`
 */
export async function openAtRestKey(folder: KeyFolder): Promise<DeriveKey> {
  const key = (await readKeyFile(folder, FILE, "at-rest key")) ?? (await create(folder));
  return (purpose) => new Uint8Array(hkdfSync("sha256", key, "", `slipway ${purpose} 1`, KEY_BYTES));
}

async function create(folder: KeyFolder): Promise<Uint8Array> {
  await folder.publishOnce(FILE, formatKeyFile("at-rest key", randomBytes(KEY_BYTES)));
  await folder.sync();
  // Read back, for the file may be another process's.
  const key = await readKeyFile(folder, FILE, "at-rest key");
  if (key !== null) return key;
  throw new SealingError(
    "KEY_FOLDER_UNUSABLE",
    `The file ${folder.path}/${FILE} vanished while Slipway started. Let nothing else write to this folder.`,
  );
}
