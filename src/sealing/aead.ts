/**
 * Values under a symmetric key: AES-256-GCM with a random nonce (NIST SP 800-38D: at most 2^32 values a key).
 *
 *     format 1 │ nonce 12 │ ciphertext of (length 4 │ UTF-8 value │ zeros) │ tag 16
 *
 * Values are padded before sealing, because the length of a ciphertext shows the length of its value: it would
 * distinguish a PIN from a password, and one kind of API token from another. The smallest size fits nearly every token
 * and password. Above 4 KiB, where doubling would cost much and hide little, steps are 4 KiB.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Secret } from "./secret.ts";

/** All keys here are this long: X25519 (RFC 7748), AES-256 and the HKDF-SHA-256 input. */
export const KEY_BYTES = 32;
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
const SMALLEST_BYTES = 256;
const STEP_BYTES = 4096;

/** Where a value belongs. Opening needs the same list, so a sealed value cannot be moved elsewhere. */
export type AssociatedFields = readonly [purpose: string, ...fields: string[]];

/**
 * @throws TypeError for a value with a lone surrogate, which UTF-8 would change silently; callers refuse it earlier.
 */
export function sealValue(
  key: Uint8Array,
  associated: AssociatedFields,
  value: Secret,
): Uint8Array<ArrayBuffer> {
  const padded = pad(value);
  const sealed = sealBytes(key, associated, padded);
  padded.fill(0);
  return new Uint8Array(Buffer.concat([Buffer.of(FORMAT), sealed]));
}

/** Opens what `sealValue` made. Null when this key and these fields do not open it. */
export function openValue(key: Uint8Array, associated: AssociatedFields, sealed: Uint8Array): Secret | null {
  if (sealed[0] !== FORMAT) return null;
  const padded = openBytes(key, associated, sealed.subarray(1));
  if (padded === null) return null;
  const valueBytes = padded.readUInt32BE(0);
  const value = new Secret(padded.toString("utf8", LENGTH_BYTES, LENGTH_BYTES + valueBytes));
  padded.fill(0);
  return value;
}

/** `nonce 12 │ ciphertext │ tag 16` */
export function sealBytes(key: Uint8Array, associated: AssociatedFields, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(encodeFields(associated));
  const ciphertext = cipher.update(bytes);
  cipher.final();
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

/** Opens what `sealBytes` made. Null when this key and these fields do not open it. Erase the bytes after use. */
export function openBytes(
  key: Uint8Array,
  associated: AssociatedFields,
  sealed: Uint8Array,
): Buffer<ArrayBuffer> | null {
  const tagAt = sealed.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(encodeFields(associated));
  decipher.setAuthTag(sealed.subarray(tagAt));
  const bytes = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
  try {
    decipher.final();
    return bytes;
  } catch {
    // `final` fails here only when the tag does not match (nodejs.org/api/crypto, decipher.final).
    bytes.fill(0);
    return null;
  }
}

function pad(value: Secret): Buffer {
  const text = value.reveal();
  if (!text.isWellFormed()) throw new TypeError("A value with a lone surrogate cannot be sealed unchanged.");
  const valueBytes = Buffer.byteLength(text);
  const padded = Buffer.alloc(paddedBytes(LENGTH_BYTES + valueBytes));
  padded.writeUInt32BE(valueBytes);
  padded.write(text, LENGTH_BYTES);
  return padded;
}

function paddedBytes(bytes: number): number {
  if (bytes > STEP_BYTES) return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
  return Math.max(SMALLEST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
}

/**
 * Encodes a list of texts as bytes, differently for every different list. Each text is preceded by its length, so that
 * `["ab", "c"]` and `["a", "bc"]` differ. UTF-16, because it can encode every JavaScript string; UTF-8 would write each
 * lone surrogate as the same U+FFFD.
 */
export function encodeFields(fields: readonly string[]): Buffer<ArrayBuffer> {
  const bytes = fields.reduce((sum, field) => sum + LENGTH_BYTES + field.length * 2, 0);
  const encoded = Buffer.alloc(bytes);
  let at = 0;
  for (const field of fields) {
    at = encoded.writeUInt32BE(field.length * 2, at);
    at += encoded.write(field, at, "utf16le");
  }
  return encoded;
}
