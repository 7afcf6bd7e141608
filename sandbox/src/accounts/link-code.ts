import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The code that the console's page requires in addition to the connection's id. In AWS's console a user is signed in to
 * an account; this console has no sign-in. Only the link that the connection's admin gets contains the code. Pure.
 * @param secret shared by Slipway and its sandbox; null when there is none
 */
export function linkCodeOf(secret: string | null, serviceId: string): string {
  return createHmac("sha256", secret ?? "")
    .update(`console link\0${serviceId}`)
    .digest("base64url")
    .slice(0, 22);
}

/** Compares in constant time. Pure. */
export function isLinkCode(secret: string | null, serviceId: string, code: string): boolean {
  const [given, expected] = [Buffer.from(code), Buffer.from(linkCodeOf(secret, serviceId))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
