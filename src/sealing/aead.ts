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
import { encodeFields } from "./encode-fields.ts";
import { Secret } from "./secret.ts";

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
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(encodeFields(associated));
  const ciphertext = cipher.update(padded);
  cipher.final();
  padded.fill(0);
  return new Uint8Array(Buffer.concat([Buffer.of(FORMAT), nonce, ciphertext, cipher.getAuthTag()]));
}

/** Opens what `sealValue` made. Null when this key and these fields do not open it. */
export function openValue(key: Uint8Array, associated: AssociatedFields, sealed: Uint8Array): Secret | null {
  const tagAt = sealed.length - TAG_BYTES;
  const textAt = 1 + NONCE_BYTES;
  if (sealed[0] !== FORMAT || tagAt < textAt + LENGTH_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, textAt), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(encodeFields(associated));
  decipher.setAuthTag(sealed.subarray(tagAt));
  const padded = decipher.update(sealed.subarray(textAt, tagAt));
  try {
    try {
      decipher.final();
    } catch {
      // `final` fails here only when the tag does not match (nodejs.org/api/crypto, decipher.final).
      return null;
    }
    const valueBytes = padded.readUInt32BE(0);
    return new Secret(padded.toString("utf8", LENGTH_BYTES, LENGTH_BYTES + valueBytes));
  } finally {
    padded.fill(0);
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
