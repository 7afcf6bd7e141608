import { createHash } from "node:crypto";
import type { KeyFolder } from "./key-folder.ts";
import { SealingError } from "./sealing-error.ts";

export type KeyFileKind = "epoch public key" | "epoch private key" | "at-rest key";

/** All keys here are this long: X25519 (RFC 7748), AES-256 and the HKDF-SHA-256 input. */
export const KEY_BYTES = 32;

/** The text of a key file. The checksum is there because any 32 bytes would pass for a key. */
export function formatKeyFile(kind: KeyFileKind, key: Uint8Array): string {
  return `slipway 1 ${kind}\n${Buffer.from(key).toString("base64url")}\n${checksum(kind, key)}\n`;
}

/**
 * Reads a key; null when there is no such file.
 * @throws SealingError `KEY_FILE_CORRUPT`, `KEY_FOLDER_UNUSABLE`
 */
export async function readKeyFile(
  folder: KeyFolder,
  name: string,
  kind: KeyFileKind,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const content = await folder.read(name);
  if (content === null) return null;
  const text = content.toString("utf8");
  content.fill(0);
  // A copy, for small Buffers share one pool of memory with unrelated ones.
  const key = new Uint8Array(Buffer.from(text.split("\n")[1] ?? "", "base64url"));
  if (key.length === KEY_BYTES && text === formatKeyFile(kind, key)) return key;
  throw new SealingError("KEY_FILE_CORRUPT", describeCorrupt(`${folder.path}/${name}`, kind));
}

function checksum(kind: KeyFileKind, key: Uint8Array): string {
  return createHash("sha256").update(`slipway 1 ${kind}\n`).update(key).digest("base64url").slice(0, 16);
}

function describeCorrupt(path: string, kind: KeyFileKind): string {
  const loss =
    kind === "at-rest key"
      ? "Restore it from a copy. Without one, move it away: a new key is made at the next start, and git tokens have to be entered again."
      : "Restore it from a copy, or move it away: a new key is made, and the variable runs that need this one end as failed and can be sent again.";
  return `The sealing key file ${path} is not a whole ${kind}. ${loss}`;
}
