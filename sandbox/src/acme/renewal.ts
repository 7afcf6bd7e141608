/** When a certificate is renewed. Pure. */
import { X509Certificate } from "node:crypto";

/** A suggested renewal window (RFC 9773, 4.2), in milliseconds since 1970. */
export type RenewalWindow = { readonly start: number; readonly end: number };

export type Validity = { readonly issuedAt: number; readonly expiresAt: number };

/** ARI's window of a certificate, as last seen; null before it was seen, or if the CA has none. */
export type Suggestion = {
  readonly window: RenewalWindow;
  readonly explanationUrl: string | null;
};

/**
 * When to renew: at a random time in the CA's window (RFC 9773, 4.2), which does not change as long as the window does
 * not; otherwise after two thirds of the validity.
 * @param share the certificate's own random number, from 0 to 1
 */
export function renewAt(validity: Validity, suggestion: Suggestion | null, share: number): number {
  const { issuedAt, expiresAt } = validity;
  if (suggestion === null) return issuedAt + ((expiresAt - issuedAt) * 2) / 3;
  const { start, end } = suggestion.window;
  return start + (end - start) * share;
}

/** Whether less than a third of the validity remains: then a second CA may take over. */
export function isUrgent({ issuedAt, expiresAt }: Validity, now: number): boolean {
  return expiresAt - now < (expiresAt - issuedAt) / 3;
}

/** A window that can be used; null for another value. */
export function readWindow(value: unknown): Suggestion | null {
  if (typeof value !== "object" || value === null) return null;
  const { suggestedWindow, explanationURL } = value as Record<string, unknown>;
  if (typeof suggestedWindow !== "object" || suggestedWindow === null) return null;
  const { start, end } = suggestedWindow as Record<string, unknown>;
  const window = { start: Date.parse(String(start)), end: Date.parse(String(end)) };
  if (Number.isNaN(window.start) || Number.isNaN(window.end) || window.end < window.start) return null;
  return { window, explanationUrl: typeof explanationURL === "string" ? explanationURL : null };
}

/**
 * The unique identifier of a certificate (RFC 9773, 4.1): its authority key identifier and serial number. Null if it
 * has no authority key identifier.
 */
export function renewalIdOf(certificatePem: string): string | null {
  const certificate = new X509Certificate(certificatePem);
  const keyId = authorityKeyIdOf(certificate.raw);
  if (keyId === null) return null;
  const hex = certificate.serialNumber;
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  // A positive DER integer whose top bit is set begins with a zero byte.
  const serial = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return `${keyId.toString("base64url")}.${serial.toString("base64url")}`;
}

/** OID 2.5.29.35 in DER. */
const AUTHORITY_KEY_ID = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23]);

/** The key identifier of the extension (RFC 5280, 4.2.1.1), which node:crypto does not show. */
function authorityKeyIdOf(der: Buffer): Buffer | null {
  const at = der.indexOf(AUTHORITY_KEY_ID);
  if (at === -1) return null;
  // OCTET STRING, SEQUENCE and [0], each of a length below 128.
  const [octets, , sequence, , tag, length = 0] = der.subarray(at + AUTHORITY_KEY_ID.length);
  if (octets !== 0x04 || sequence !== 0x30 || tag !== 0x80 || length >= 0x80) return null;
  const from = at + AUTHORITY_KEY_ID.length + 6;
  return der.subarray(from, from + length);
}
