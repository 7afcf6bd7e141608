import { createHash, createHmac } from "node:crypto";
import type { AtRestKey, AtRestKeys } from "./keys/at-rest-keys.ts";
import { encodeFields } from "./encode-fields.ts";

/**
 * Takes a text that is the same for the same list of parts, and tells nothing about them without the
 * installation's keys. A plain hash of a body that holds a short secret would give it to anyone who tries
 * all candidates.
 */
export type Fingerprint = (parts: readonly string[]) => TakenFingerprint;

/** Of one list of parts, which themselves are not kept. HMAC-SHA-256 in base64url, 43 characters. */
export type TakenFingerprint = {
  /** By the newest key that this process knows. */
  current(): string;
  /** Whether `isSame` says so of it by any of the keys that there still are: of one that was kept before. */
  matches(isSame: (fingerprint: string) => boolean): Promise<boolean>;
};

export function createFingerprint(keys: AtRestKeys): Fingerprint {
  return (parts) => {
    const bytes = encodeFields(parts);
    const first = keys.known().find(({ id }) => id === null);
    const byFirst = first === undefined ? null : hmac(first, bytes);
    // Of later keys it is one of a digest, for a key may only be known when the parts are gone.
    const digest = createHash("sha256").update(bytes).digest();
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
