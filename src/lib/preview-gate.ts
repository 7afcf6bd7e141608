/**
 * The gate before a protected preview: what the edge, CloudFront's functions and the console agree on. A visitor without
 * a cookie is sent to the console, which checks the session and sends the visitor back with a ticket; the edge exchanges
 * the ticket for a cookie. Both are signed (HMAC-SHA-256) for one host name. Pure.
 */
import { createHash, createHmac } from "node:crypto";

export type Gate = {
  /** Signs tickets and cookies. A secret: never log it. */
  readonly key: string;
  /** The page of the console to which visitors are sent. */
  readonly signInUrl: string;
  /** Of the secret in `BYPASS_HEADER`; null: there is none. */
  readonly bypassHash: string | null;
};

/** Where a visitor comes back from the console. */
export const ENTER_PATH = "/.well-known/slipway/enter";
/** Has a secret with which tests pass the gate. */
export const BYPASS_HEADER = "x-slipway-bypass";
/** With the bypass: the edge answers with the cookie, for browsers that cannot send a header each time. */
export const SET_COOKIE_HEADER = "x-slipway-set-cookie";
/** Over HTTPS, `__Host-` is put before these names. `own-cookies.ts` keeps both from programs. */
export const GATE_COOKIE = "slipway-preview";
/** Ties a ticket to the browser that asked for it. */
export const STATE_COOKIE = "slipway-preview-state";

/** How long a visitor passes after the check of the session. */
export const COOKIE_SECONDS = 8 * 3_600;
export const TICKET_SECONDS = 60;
export const STATE_SECONDS = 600;
/** What a state looks like. */
export const STATE = /^[\w-]{22}$/;

export function hashBypass(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** @param host in lower case, without a port */
export function signForHost(key: string, purpose: "cookie" | "ticket", host: string, text: string): string {
  return createHmac("sha256", key).update(`${purpose}\n${host}\n${text}`).digest("base64url");
}

/** The value of the cookie with which a visitor passes. @param now seconds since 1970 */
export function writeGateCookie(key: string, host: string, now: number): string {
  const until = String(now + COOKIE_SECONDS);
  return `${until}.${signForHost(key, "cookie", host, until)}`;
}

/**
 * What leads a visitor back into the preview, behind the origin of its address.
 * @param to path and query that the visitor asked for
 * @param now seconds since 1970
 */
export function enterPathOf(
  key: string,
  { host, to, state, now }: Readonly<Record<"host" | "to" | "state", string>> & { readonly now: number },
): string {
  const text = Buffer.from(`${now + TICKET_SECONDS}\n${state}\n${to}`).toString("base64url");
  return `${ENTER_PATH}?ticket=${text}.${signForHost(key, "ticket", host, text)}`;
}
