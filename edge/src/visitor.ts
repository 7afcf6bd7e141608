/** Who made a request, and what an origin learns about that. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { AddressList } from "../../src/lib/address-list.ts";

export type Visitor = {
  /** The IP address. */
  readonly address: string;
  readonly protocol: "http" | "https";
  /** The host that the visitor asked for, with a port where it is not the usual one. */
  readonly host: string;
};

/** Authenticates a request of another edge of this installation. */
export const FROM_EDGE = "slipway-edge";

/** Whether a request comes from an edge with the same token, which has checked who the visitor is. */
export function isFromEdgeWith({ token }: { readonly token: string }, { headers }: IncomingMessage): boolean {
  return isToken(headers[FROM_EDGE], token);
}

/** Takes the same time for any two texts of the same length. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== "string") return false;
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Headers that say who the visitor is. Clients could forge them, so the edge replaces or removes them. */
const ABOUT_VISITOR = /^(?:forwarded|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|slipway-edge)$/;

/** The same headers, as Caddy names them. */
export const VISITOR_HEADERS = [
  "Forwarded",
  "X-Forwarded-*",
  "X-Real-Ip",
  "X-Client-Ip",
  "True-Client-Ip",
  "Slipway-Edge",
] as const;

/** Whether clients could pretend to be others by this header. @param name in lower case */
export function isAboutVisitor(name: string): boolean {
  return ABOUT_VISITOR.test(name);
}

/** The peer of the connection. */
export function peerVisitorOf(request: IncomingMessage, protocol: "http" | "https"): Visitor {
  const address = plainAddress(request.socket.remoteAddress ?? "");
  return { address, protocol, host: hostHeaderOf(request) };
}

/**
 * Who made a request: the peer of the connection, unless that is a trusted proxy. Such a proxy appends the address of
 * its own peer to `X-Forwarded-For`, so the last address there that is not of a trusted proxy is the visitor's.
 * @param isPeerTrusted whether the peer may say who the visitor is
 */
export function visitorOf(
  request: IncomingMessage,
  protocol: "http" | "https",
  { isPeerTrusted, isTrusted }: { readonly isPeerTrusted: boolean; readonly isTrusted: AddressList },
): Visitor {
  const peer = peerVisitorOf(request, protocol);
  if (!isPeerTrusted) return peer;
  let { address } = peer;
  for (const entry of valuesOf(request, "x-forwarded-for").toReversed()) {
    if (isIP(entry) === 0) break;
    address = plainAddress(entry);
    if (!isTrusted(address)) break;
  }
  const said = valuesOf(request, "x-forwarded-proto").at(-1);
  return { address, protocol: said === "http" || said === "https" ? said : protocol, host: peer.host };
}

/** The headers for an origin: the usual ones, and `Forwarded` (RFC 7239). */
export function forwardedHeaders({ address, protocol, host }: Visitor): Record<string, string> {
  const node = address.includes(":") ? `"[${address}]"` : address;
  return {
    "x-forwarded-for": address,
    "x-forwarded-host": host,
    "x-forwarded-proto": protocol,
    forwarded: `for=${node};host="${host.replaceAll(/["\\]/g, "\\$&")}";proto=${protocol}`,
  };
}

/** `Host`, or what replaces it in HTTP/2 (RFC 9113, section 8.3.1). */
function hostHeaderOf({ headers }: IncomingMessage): string {
  const authority = headers[":authority"];
  return (typeof authority === "string" ? authority : headers.host) ?? "";
}

function valuesOf({ headers }: IncomingMessage, name: string): readonly string[] {
  return String(headers[name] ?? "")
    .split(",")
    .flatMap((value) => value.trim() || []);
}

/** IPv4 as such: a socket for both families shows it as `::ffff:192.0.2.1`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
