/**
 * The files of single keys. Only Slipway's user can read a private key. When a key service wraps the folder's key
 * (`folder-key.ts`), private keys are also encrypted with that key, each bound to its file and kind, so that no file
 * can replace another.
 */
import { createHash } from "node:crypto";
import { KEY_BYTES, openBytes, sealBytes } from "../aead.ts";
import { FOLDER_KEY_FILE, readFolderKey } from "./folder-key.ts";
import type { KeyFolder } from "./key-folder.ts";
import { SealingError } from "../sealing-error.ts";

export type KeyFileKind = "epoch public key" | "epoch private key" | "at-rest key" | "host key";

/** The keys of a folder, wrapped where required. All methods throw SealingError. */
export type KeyFiles = {
  readonly folder: KeyFolder;
  /** Null when there is no such file. `KEY_FILE_CORRUPT`, `KEYS_WRAPPED`, `KEY_FOLDER_UNUSABLE` */
  read(name: string, kind: KeyFileKind): Promise<Uint8Array<ArrayBuffer> | null>;
  publish(name: string, kind: KeyFileKind, key: Uint8Array): Promise<void>;
  /** Writes the file unless it exists. Says whether this call wrote it. */
  publishOnce(name: string, kind: KeyFileKind, key: Uint8Array): Promise<boolean>;
  /** Wraps unwrapped keys; does nothing when keys need no wrapping. @returns how many files it wrapped */
  wrapAll(): Promise<number>;
  /** Removes the wrapping. @returns from how many files */
  unwrapAll(): Promise<number>;
};

/** @param folderKey null when keys are stored unwrapped */
export function createKeyFiles(folder: KeyFolder, folderKey: Uint8Array | null): KeyFiles {
  const textOf = (name: string, kind: KeyFileKind, key: Uint8Array): string =>
    folderKey === null || kind === "epoch public key"
      ? formatKeyFile(kind, key)
      : formatWrapped(folderKey, name, kind, key);

  async function read(name: string, kind: KeyFileKind): Promise<Uint8Array<ArrayBuffer> | null> {
    const content = await folder.read(name);
    if (content === null) return null;
    const text = content.toString("utf8");
    content.fill(0);
    const key = isWrapped(text) ? await unwrap(name, kind, text) : parse(kind, text);
    if (key !== null) return key;
    throw new SealingError("KEY_FILE_CORRUPT", describeCorrupt(`${folder.path}/${name}`, kind));
  }

  async function unwrap(
    name: string,
    kind: KeyFileKind,
    text: string,
  ): Promise<Uint8Array<ArrayBuffer> | null> {
    if (folderKey !== null) return parseWrapped(folderKey, name, kind, text);
    const keyId = (await readFolderKey(folder))?.keyId ?? "KEY";
    throw new SealingError(
      "KEYS_WRAPPED",
      `The keys in ${folder.path} are wrapped by a key of AWS KMS. Set SLIPWAY_KMS_KEY_ID to ${keyId} again, or remove the wrapping first: SLIPWAY_KMS_KEY_ID=${keyId} npm run slipway -- keys unwrap`,
    );
  }

  /** Writes every private key again that `isDesired` does not accept. */
  async function rewrite(
    isDesired: (text: string) => boolean,
    format: (name: string, kind: KeyFileKind, key: Uint8Array) => string,
  ): Promise<number> {
    let count = 0;
    for (const name of await folder.list()) {
      const kind = privateKindOf(name);
      const content = kind === null ? null : await folder.read(name);
      if (kind === null || content === null || isDesired(content.toString("utf8"))) continue;
      const key = await read(name, kind);
      if (key === null) continue;
      // This may bring back a key that another process destroys at this moment: the next hourly pass destroys it again.
      await folder.replace(name, format(name, kind, key));
      key.fill(0);
      count += 1;
    }
    if (count > 0) await folder.sync();
    return count;
  }

  return {
    folder,
    read,
    publish: async (name, kind, key) => await folder.publish(name, textOf(name, kind, key)),
    publishOnce: async (name, kind, key) => await folder.publishOnce(name, textOf(name, kind, key)),
    wrapAll: async () => (folderKey === null ? 0 : await rewrite(isWrapped, textOf)),
    unwrapAll: async () =>
      await rewrite(
        (text) => !isWrapped(text),
        (_name, kind, key) => formatKeyFile(kind, key),
      ),
  };
}

/** Which private key a file holds, by its name; null for any other file. */
function privateKindOf(name: string): KeyFileKind | null {
  if (!name.endsWith(".key") || name === FOLDER_KEY_FILE) return null;
  if (name.startsWith("at-rest")) return "at-rest key";
  if (name === "host.key") return "host key";
  return /^\d/.test(name) ? "epoch private key" : null;
}

/** The text of a key file. It needs a checksum, because any 32 bytes would pass for a key. */
function formatKeyFile(kind: KeyFileKind, key: Uint8Array): string {
  return `slipway 1 ${kind}\n${Buffer.from(key).toString("base64url")}\n${checksum(kind, key)}\n`;
}

function parse(kind: KeyFileKind, text: string): Uint8Array<ArrayBuffer> | null {
  // A copy, because small Buffers share a pool of memory.
  const key = new Uint8Array(Buffer.from(text.split("\n")[1] ?? "", "base64url"));
  return key.length === KEY_BYTES && text === formatKeyFile(kind, key) ? key : null;
}

const WRAPPED = "slipway 1 wrapped ";

function isWrapped(text: string): boolean {
  return text.startsWith(WRAPPED);
}

function formatWrapped(folderKey: Uint8Array, name: string, kind: KeyFileKind, key: Uint8Array): string {
  const sealed = sealBytes(folderKey, ["slipway key file 1", kind, name], key);
  return `${WRAPPED}${kind}\n${sealed.toString("base64url")}\n`;
}

function parseWrapped(
  folderKey: Uint8Array,
  name: string,
  kind: KeyFileKind,
  text: string,
): Uint8Array<ArrayBuffer> | null {
  const sealed = Buffer.from(text.split("\n")[1] ?? "", "base64url");
  const key = openBytes(folderKey, ["slipway key file 1", kind, name], sealed);
  return key?.length === KEY_BYTES ? new Uint8Array(key) : null;
}

function checksum(kind: KeyFileKind, key: Uint8Array): string {
  return createHash("sha256").update(`slipway 1 ${kind}\n`).update(key).digest("base64url").slice(0, 16);
}

function describeCorrupt(path: string, kind: KeyFileKind): string {
  return `The sealing key file ${path} is not a complete ${kind}, or belongs to another folder. ${LOSS[kind]}`;
}

const OF_A_RUN =
  "Restore it from a copy, or move it away: Slipway creates a new key, and the variable runs that need this one fail and can be sent again.";
const LOSS: Readonly<Record<KeyFileKind, string>> = {
  "at-rest key":
    "Restore it from a copy. If there is none, move it away: Slipway creates a new key at the next start, and git tokens have to be entered again.",
  "host key":
    "Restore it from a copy. If there is none, move it away with the folder host in the data folder: certificates are requested again, and managed values have to be set again.",
  "epoch public key": OF_A_RUN,
  "epoch private key": OF_A_RUN,
};
