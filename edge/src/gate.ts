/** Who passes the gate of a protected preview (`src/lib/preview-gate.ts`), and what others are answered. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  BYPASS_HEADER,
  COOKIE_SECONDS,
  ENTER_PATH,
  type Gate,
  GATE_COOKIE,
  hashBypass,
  SET_COOKIE_HEADER,
  signForHost,
  STATE,
  STATE_COOKIE,
  STATE_SECONDS,
  writeGateCookie,
} from "../../src/lib/preview-gate.ts";
import { isToken } from "./visitor.ts";

export type AtGate = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** In lower case, without a port. */
  readonly host: string;
  /** As the browser sees it, with a port where it is not the usual one. */
  readonly origin: string;
};

export type GateAnswer = {
  readonly status: 302 | 307 | 401;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
};

/** Null: the visitor passes. @param now seconds since 1970 */
export function answerAtGate(gate: Gate, visitor: AtGate, now: number): GateAnswer | null {
  const { method, url, headers, host, origin } = visitor;
  const prefix = origin.startsWith("https:") ? "__Host-" : "";
  const cookie = (name: string, value: string, seconds: number) =>
    `${prefix}${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${prefix && "; Secure"}`;
  const pass = () => cookie(GATE_COOKIE, writeGateCookie(gate.key, host, now), COOKIE_SECONDS);
  const given = (name: string) => cookieOf(headers, `${prefix}${name}`);
  const found = (status: 302 | 307, location: string, cookies: readonly string[]): GateAnswer => ({
    status,
    headers: { location, "set-cookie": cookies },
    text: "This is a preview.",
  });

  const [path, query = ""] = url.split("?", 2);
  if (path === ENTER_PATH) {
    const ticket = new URLSearchParams(query).get("ticket") ?? "";
    const to = openTicket(gate, ticket, host, given(STATE_COOKIE), now);
    if (to !== null) return found(302, `${origin}${to}`, [pass(), cookie(STATE_COOKIE, "", 0)]);
    return refuse("This link has expired, or is for another browser. Open the address of the preview again.");
  }
  if (isPass(gate, given(GATE_COOKIE), host, now)) return null;
  const secret = headers[BYPASS_HEADER];
  if (typeof secret === "string") {
    if (gate.bypassHash === null || !isToken(hashBypass(secret), gate.bypassHash))
      return refuse(`The secret in ${BYPASS_HEADER} is wrong, or was replaced.`);
    return headers[SET_COOKIE_HEADER] === undefined ? null : found(307, `${origin}${url}`, [pass()]);
  }
  if (!isNavigation(method, headers))
    return refuse(
      `This preview is protected. Open it in a browser that is signed in to Slipway, or send the header ${BYPASS_HEADER}.`,
    );
  const known = given(STATE_COOKIE);
  // Several tabs of a browser may be on their way.
  const state = STATE.test(known) ? known : randomBytes(16).toString("base64url");
  const asked = new URLSearchParams({ url: `${origin}${url}`, state }).toString();
  return found(302, `${gate.signInUrl}?${asked}`, [cookie(STATE_COOKIE, state, STATE_SECONDS)]);
}

/** Path and query to which a ticket leads; null if it is not valid here and now. */
function openTicket(gate: Gate, ticket: string, host: string, known: string, now: number): string | null {
  const [text = "", signature = ""] = ticket.split(".", 2);
  if (!isToken(signature, signForHost(gate.key, "ticket", host, text))) return null;
  const [until, state = "", ...to] = Buffer.from(text, "base64url").toString().split("\n");
  return Number(until) > now && STATE.test(known) && isToken(known, state) ? to.join("\n") : null;
}

function isPass(gate: Gate, value: string, host: string, now: number): boolean {
  const [until = "", signature = ""] = value.split(".", 2);
  return isToken(signature, signForHost(gate.key, "cookie", host, until)) && Number(until) > now;
}

function refuse(text: string): GateAnswer {
  return { status: 401, headers: { "www-authenticate": 'Slipway realm="preview"' }, text };
}

/** Programs, and scripts of a page, would not understand the console. */
function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers["sec-fetch-mode"];
  return mode === undefined ? (headers.accept ?? "").includes("text/html") : mode === "navigate";
}

function cookieOf({ cookie = "" }: IncomingHttpHeaders, name: string): string {
  for (const part of cookie.split(";")) {
    const one = part.trim();
    if (one.startsWith(`${name}=`)) return one.slice(name.length + 1);
  }
  return "";
}
