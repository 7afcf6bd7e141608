import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * What the console's page asks for beside the connection's id: in AWS's console one is signed in to an account, here
 * nobody is. It is in the link that the connection's admin is given, and in nothing else. Pure.
 * @param secret that Slipway and its sandbox share; null where there is none
 */
export function linkCodeOf(secret: string | null, serviceId: string): string {
  return createHmac("sha256", secret ?? "")
    .update(`console link\0${serviceId}`)
    .digest("base64url")
    .slice(0, 22);
}

/** In a time that tells nothing of the right one. Pure. */
export function isLinkCode(secret: string | null, serviceId: string, code: string): boolean {
  const [given, wanted] = [Buffer.from(code), Buffer.from(linkCodeOf(secret, serviceId))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
