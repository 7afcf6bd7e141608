import { createHmac, hash } from "node:crypto";
import type { AtRestKey, AtRestKeys } from "./keys/at-rest-keys.ts";
import { encodeFields } from "./aead.ts";

/**
 * Makes a text that is the same for the same list of parts, and says nothing about them without the installation's
 * keys. A plain hash of a body with a short secret would reveal the secret to anyone who tries all candidates.
 */
export type Fingerprint = (parts: readonly string[]) => TakenFingerprint;

/** The fingerprint of one list of parts, which are not kept. HMAC-SHA-256 in base64url, 43 characters. */
export type TakenFingerprint = {
  /** The fingerprint with the newest key that this process knows. */
  current(): string;
  /** Whether `isSame` accepts the fingerprint of any existing key. For fingerprints that were stored earlier. */
  matches(isSame: (fingerprint: string) => boolean): Promise<boolean>;
};

export function createFingerprint(keys: AtRestKeys): Fingerprint {
  return (parts) => {
    const bytes = encodeFields(parts);
    const first = keys.known().find(({ id }) => id === null);
    const byFirst = first === undefined ? null : hmac(first, bytes);
    // Later keys take the fingerprint of a digest, because a key may become known only after the parts were erased.
    const digest = hash("sha256", bytes, "buffer");
    // A request's body is among the parts, and may hold secrets.
    bytes.fill(0);
    const by = (key: AtRestKey): string =>
      key.id === null && byFirst !== null ? byFirst : hmac(key, digest);
    return {
      current() {
        const newest = keys.known().at(-1);
        if (newest === undefined) throw new Error("There is no at-rest key.");
        return by(newest);
      },
      async matches(isSame) {
        if (keys.known().some((key) => isSame(by(key)))) return true;
        // Another process may have rotated the key a moment ago.
        return (await keys.list()).some((key) => isSame(by(key)));
      },
    };
  };
}

function hmac({ fingerprintKey }: AtRestKey, bytes: Uint8Array): string {
  return createHmac("sha256", fingerprintKey).update(bytes).digest("base64url");
}
