import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MARK = "slw_";
/** 62^27 is more than 2^160. */
const RANDOM_LENGTH = 27;
/** 62^6 holds any CRC-32. */
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 12;

/** A new key: `slw_`, 160 random bits in base62, and a CRC-32 of all before it, like GitHub's tokens. */
export function newApiKey(): string {
  const body = `${MARK}${randomText()}`;
  return `${body}${checksumOf(body)}`;
}

/** 160 random bits in base62. */
export function randomText(): string {
  let random = BigInt(`0x${randomBytes(20).toString("hex")}`);
  let text = "";
  for (let length = 0; length < RANDOM_LENGTH; length += 1) {
    text = ALPHABET.charAt(Number(random % 62n)) + text;
    random /= 62n;
  }
  return text;
}

/**
 * False for a mistyped key of ours, so that it is refused without asking the database. Keys that an operator chose
 * (`SLIPWAY_API_KEY`) have no prefix and pass.
 */
export function hasValidChecksum(key: string): boolean {
  if (!key.startsWith(MARK)) return true;
  if (key.length !== MARK.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return key.slice(-CHECKSUM_LENGTH) === checksumOf(body);
}

/** The hash of a key or a token that is stored. A random one cannot be guessed, so it needs no slow hash. */
export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** The part of a key that lists show. */
export function shownPrefix(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

/** The checksum at the end of a key. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let length = 0; length < CHECKSUM_LENGTH; length += 1) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
