/**
 * The key of the key folder, used when a key service wraps keys. Every private key in the folder is encrypted with it.
 * It is stored in `folder.kms`, wrapped by the service. The service wraps only this key, not each key, because hourly
 * keys must be made and read while the service is down.
 */
import { createHash, randomBytes } from "node:crypto";
import { KEY_BYTES } from "../aead.ts";
import type { KeyFolder } from "./key-folder.ts";
import { SealingError } from "../sealing-error.ts";

/**
 * A key service outside of this machine (AWS KMS) that wraps keys. Slipway calls it only when a process starts, and
 * keeps the unwrapped key in memory. So an outage of the service stops no running process.
 */
export type KeyWrap = {
  /** The service's key, as the operator names it. */
  readonly keyId: string;
  /**
   * The service unwraps the key only for the same `name`.
   * @returns the wrapped key, and the service's name for its own key that wrapped it
   * @throws SealingError `KEY_SERVICE_UNUSABLE`
   */
  wrap(key: Uint8Array, name: string): Promise<{ readonly wrapped: Uint8Array; readonly wrappedBy: string }>;
  /** @throws SealingError `KEY_SERVICE_UNUSABLE` */
  unwrap(wrapped: Uint8Array, name: string, wrappedBy: string): Promise<Uint8Array<ArrayBuffer>>;
};

export const FOLDER_KEY_FILE = "folder.kms";

export type WrappedFolderKey = {
  /** The name that the key service knows it by. */
  readonly name: string;
  /** The service's key: the operator's name for it, and the service's own. */
  readonly keyId: string;
  readonly wrappedBy: string;
  readonly wrapped: Uint8Array;
};

/**
 * The folder's key. Makes it when there is none; wraps it again when the operator names another key of the service.
 * @throws SealingError `KEY_SERVICE_UNUSABLE`, `KEY_FILE_CORRUPT`, `KEY_FOLDER_UNUSABLE`
 */
export async function openFolderKey(folder: KeyFolder, wrap: KeyWrap): Promise<Uint8Array<ArrayBuffer>> {
  const found = await readFolderKey(folder);
  if (found === null) return await create(folder, wrap);
  const key = await wrap.unwrap(found.wrapped, found.name, found.wrappedBy);
  if (found.keyId !== wrap.keyId) {
    const rewrapped = { name: found.name, keyId: wrap.keyId, ...(await wrap.wrap(key, found.name)) };
    await folder.replace(FOLDER_KEY_FILE, format(rewrapped));
    await folder.sync();
  }
  return key;
}

/** The wrapped key, as stored; null when no service wraps this folder's keys. @throws SealingError */
export async function readFolderKey(folder: KeyFolder): Promise<WrappedFolderKey | null> {
  const content = await folder.read(FOLDER_KEY_FILE);
  if (content === null) return null;
  const text = content.toString("utf8");
  const [, name = "", keyId = "", wrappedBy = "", wrapped = ""] = text.split("\n");
  const parsed = { name, keyId, wrappedBy, wrapped: Buffer.from(wrapped, "base64url") };
  if (format(parsed) === text) return parsed;
  throw new SealingError(
    "KEY_FILE_CORRUPT",
    `The file ${folder.path}/${FOLDER_KEY_FILE} is damaged. Restore it from a copy: without it, no key in this folder can be opened.`,
  );
}

async function create(folder: KeyFolder, wrap: KeyWrap): Promise<Uint8Array<ArrayBuffer>> {
  const name = `folder-key-${randomBytes(8).toString("hex")}`;
  const key = new Uint8Array(randomBytes(KEY_BYTES));
  const made = { name, keyId: wrap.keyId, ...(await wrap.wrap(key, name)) };
  const isOurs = await folder.publishOnce(FOLDER_KEY_FILE, format(made));
  await folder.sync();
  // When processes start together, the first one's key is used by all.
  return isOurs ? key : await openFolderKey(folder, wrap);
}

function format({ name, keyId, wrappedBy, wrapped }: WrappedFolderKey): string {
  const body = `slipway 1 folder key\n${name}\n${keyId}\n${wrappedBy}\n${Buffer.from(wrapped).toString("base64url")}\n`;
  return `${body}${createHash("sha256").update(body).digest("base64url").slice(0, 16)}\n`;
}
