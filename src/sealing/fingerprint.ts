import { createHmac } from "node:crypto";
import type { DeriveKey } from "./at-rest-key.ts";
import { encodeFields } from "./encode-fields.ts";

/**
 * A text that is the same for the same list of parts, and tells nothing about them without the
 * installation's key. A plain hash of a body that holds a short secret would give it to anyone who tries
 * all candidates.
 */
export type Fingerprint = (parts: readonly string[]) => string;

/** HMAC-SHA-256 in base64url, 43 characters; the same in every process of an installation. */
export function createFingerprint(deriveKey: DeriveKey): Fingerprint {
  const key = deriveKey("fingerprint");
  return (parts) => {
    const bytes = encodeFields(parts);
    const fingerprint = createHmac("sha256", key).update(bytes).digest("base64url");
    // A request's body is among the parts, and may hold secrets.
    bytes.fill(0);
    return fingerprint;
  };
}
