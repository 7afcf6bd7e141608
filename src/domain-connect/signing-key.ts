import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** Providers look at nothing shorter, and TXT records hold strings of 255 bytes. */
const LEAST_BITS = 2_048;
const PART_LENGTH = 220;

/** @param pem an RSA private key @throws RangeError that says what is wrong, without the key */
export function readSigningKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new RangeError("is not a private key in PEM");
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < LEAST_BITS)
    throw new RangeError(`must be an RSA key of ${LEAST_BITS} bits at least`);
  return key;
}

/** The texts of the TXT records that publish the key, in parts. */
export function publicKeyTexts(key: KeyObject): readonly string[] {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  const parts = der.toString("base64").match(new RegExp(`.{1,${PART_LENGTH}}`, "g")) ?? [];
  return parts.map((part, index) => `p=${index + 1},a=RS256,d=${part}`);
}

/** RS256 (RFC 7518, section 3.3), in base64. */
export function signText(key: KeyObject, text: string): string {
  return sign("RSA-SHA256", Buffer.from(text), key).toString("base64");
}
