import { isIP } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { readLogging } from "./logging.ts";
import type { Values } from "./values.ts";

const DAY_S = 86_400;

/** An edge on another machine (`slipway edge`). */
export type EdgeConfig = ReturnType<typeof readEdge>;

/** The secret of edges on other machines; null if it is not set. */
export function readEdgeSecret({ text, problems }: Values): string | null {
  const secret = text("SLIPWAY_EDGE_SECRET");
  if (secret !== null && !/^[\x21-\x7e]{32,}$/.test(secret))
    problems.push("SLIPWAY_EDGE_SECRET must have at least 32 characters, printable ASCII and no spaces.");
  return secret;
}

/** Where an edge listens, here or on the main machine, and its public addresses. */
export function readEdgePlace({ list, wholeNumber, problems }: Values) {
  const addresses = list("SLIPWAY_EDGE_ADDRESSES");
  for (const address of addresses)
    if (isIP(address) === 0)
      problems.push(
        `SLIPWAY_EDGE_ADDRESSES has "${address}"; write IP addresses as 192.0.2.10,2001:db8::10.`,
      );
  return {
    addresses,
    httpPort: wholeNumber("SLIPWAY_EDGE_HTTP_PORT", 80, 0, 65_535),
    httpsPort: wholeNumber("SLIPWAY_EDGE_HTTPS_PORT", 443, 0, 65_535),
  };
}

/** How the edge of this process serves, here or on the main machine. */
export function readServing({ wholeNumber, duration, networks, oneOf }: Values) {
  const hstsSeconds = wholeNumber("SLIPWAY_EDGE_HSTS", 0, 0, 730 * DAY_S);
  return {
    /** Null: no `Strict-Transport-Security`. */
    hstsSeconds: hstsSeconds === 0 ? null : hstsSeconds,
    drainMs: duration("SLIPWAY_EDGE_DRAIN", "30s", 3_600_000),
    /** Addresses and networks of proxies in front of the edge that may say who the visitor is. */
    trustedProxies: networks("SLIPWAY_EDGE_TRUSTED_PROXIES"),
    logsAccess: oneOf("SLIPWAY_EDGE_ACCESS_LOG", ["on", "off"], "off") === "on",
  };
}

export function readEdge(values: Values) {
  const { text, url, hosts, wholeNumber, oneOf, problems } = values;
  const secret = readEdgeSecret(values);
  const controlUrl = url("SLIPWAY_EDGE_CONTROL_URL", ["http:", "https:"]);
  if (secret === null)
    problems.push("SLIPWAY_EDGE_SECRET is not set. Set it to the value that the main machine has.");
  if (controlUrl === null && text("SLIPWAY_EDGE_CONTROL_URL") === null)
    problems.push(
      "SLIPWAY_EDGE_CONTROL_URL is not set. Set it to the address of Slipway on the main machine.",
    );
  const place = readEdgePlace(values);
  const caddyUrl = url("SLIPWAY_EDGE_CADDY", ["http:"]);
  const counts = oneOf("SLIPWAY_EDGE_CADDY_COUNTS", ["on", "off"], "on") === "on";
  if (caddyUrl !== null && (place.httpPort === 0 || place.httpsPort === 0))
    problems.push(
      "SLIPWAY_EDGE_HTTP_PORT or SLIPWAY_EDGE_HTTPS_PORT is 0. With SLIPWAY_EDGE_CADDY, set the ports that Caddy listens on.",
    );
  return {
    ...place,
    ...readServing(values),
    /** The admin API of the Caddy that listens; null: the edge listens itself. */
    caddy: caddyUrl === null ? null : { caddyUrl, counts },
    secret: secret ?? "",
    controlUrl: controlUrl ?? "",
    id: text("SLIPWAY_EDGE_ID") ?? hostname(),
    host: text("HOST") ?? "::",
    folder: path.resolve(text("SLIPWAY_DATA_DIR") ?? ".slipway", "edge"),
    filesMaxBytes: wholeNumber("SLIPWAY_EDGE_FILES_MB", 2_048, 0, 10_000_000) * 1024 ** 2,
    allowedOrigins: hosts("SLIPWAY_SANDBOX_ALLOWED_ORIGINS"),
    ...readLogging(values),
  };
}
