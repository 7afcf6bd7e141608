/** A site on another host, to which the edge forwards requests. */
import { lookup as lookUpSystemName, type LookupAddress, type LookupOptions } from "node:dns";
import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { isIP } from "node:net";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import { addressRefusal, type AllowedHosts, isLoopback } from "../../src/egress/address-rules.ts";
import { withoutOwnCookies } from "../../src/lib/own-cookies.ts";
import { sendText } from "./edge-text.ts";

const ORIGIN_TIMEOUT_MS = 30_000;

/** RFC 9110, section 7.6.1: headers about one connection are not forwarded. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEndHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const named = (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string | string[]> = {};
  // Code of repositories must not get the console's session.
  const own = { ...message.headers, cookie: withoutOwnCookies(message.headers.cookie) };
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name)) kept[name] = value;
  }
  return kept;
}

/**
 * HTTPS by default, as on the public internet. Plain HTTP with any port other than 443, and on this machine,
 * where certificates are rare.
 */
export function originAddressOf(hostname: string): {
  protocol: "http:" | "https:";
  host: string;
  port: number;
} {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/i.exec(hostname);
  const host = (match?.[1] ?? hostname).replace(/^\[|\]$/g, "");
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const isLocal = host === "localhost" || host === "::1" || host.startsWith("127.");
  const isPlain = port === null ? isLocal : port !== 443;
  return { protocol: isPlain ? "http:" : "https:", host, port: port ?? (isPlain ? 80 : 443) };
}

export type Proxy = {
  /**
   * Forwards to an outside host, with its own name as `Host`. Users choose these hosts, so addresses that are not
   * public are refused, except addresses that the operator allows and the caller's own ports on this machine.
   */
  forward(
    hostname: string,
    isOwnPort: (port: number) => boolean,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Forwards to a process of the platform, with the visitor's `Host`, as a load balancer does. */
  forwardToRelease(
    port: number,
    viewerProtocol: "http" | "https",
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  stop(): void;
};

type Upstream = {
  readonly address: ReturnType<typeof originAddressOf>;
  readonly agent: HttpAgent | false;
  readonly hostHeader: string;
  readonly viewerProtocol: "http" | "https";
  /** Why an address of the host is refused; null if it is allowed. */
  readonly refusalOf: (address: string) => string | null;
};

export function createProxy(options: {
  /** Our own name in `Via`. */
  readonly name: string;
  /** Addresses of a name that are used instead of the system's; empty: it is looked up there. */
  readonly lookUpFirst: (name: string) => readonly LookupAddress[];
  /** Hosts and networks that are not public, but may still be origins. */
  readonly allowed: AllowedHosts;
}): Proxy {
  const { allowed } = options;
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  function resolve(
    name: string,
    lookupOptions: LookupOptions,
    done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
  ): void {
    const addresses = options.lookUpFirst(name);
    if (addresses.length > 0) done(null, addresses);
    else lookUpSystemName(name, { ...lookupOptions, all: true }, done);
  }
  async function send(to: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { protocol, host, port } = to.address;
    // If the host is an address, there is no lookup.
    const refused = isIP(host) === 0 ? null : to.refusalOf(host);
    if (refused !== null) return sendText(response, 502, forbidden(refused));
    const isPlain = protocol === "http:";
    const viewer = request.socket.remoteAddress ?? "";
    const seenFor = request.headers["x-forwarded-for"];
    const upstream = (isPlain ? requestHttp : requestHttps)({
      host,
      port,
      method: request.method,
      path: request.url,
      agent: to.agent,
      timeout: ORIGIN_TIMEOUT_MS,
      lookup: (name, lookupOptions, done) =>
        resolve(name, lookupOptions, (error, addresses) => {
          const found = addresses.find(({ address }) => to.refusalOf(address) !== null);
          if (error !== null) done(error, []);
          else if (found !== undefined) done(new OriginRefused(to.refusalOf(found.address) ?? ""), []);
          else if (lookupOptions.all === true) done(null, [...addresses]);
          else done(null, addresses[0]?.address ?? "", addresses[0]?.family);
        }),
      headers: {
        ...endToEndHeaders(request),
        // A body of unknown length needs its own framing on the next connection.
        ...(request.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" }),
        host: to.hostHeader,
        "x-forwarded-host": request.headers.host ?? "",
        "x-forwarded-proto": to.viewerProtocol,
        "x-forwarded-for": seenFor === undefined ? viewer : `${String(seenFor)}, ${viewer}`,
        via: `1.1 ${options.name}`,
      },
    });
    let hasTimedOut = false;
    upstream.on("timeout", () => {
      hasTimedOut = true;
      upstream.destroy();
    });
    response.on("close", () => upstream.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once("response", resolve);
      upstream.on("error", reject);
    });
    // An origin may answer before it has read the whole body. Only the answer matters then.
    request.on("error", () => upstream.destroy());
    request.pipe(upstream);
    let answer: IncomingMessage;
    try {
      answer = await answered;
    } catch (error) {
      // Whatever the cause, the visitor only learns that the origin could not be reached.
      if (response.destroyed) return;
      if (error instanceof OriginRefused) return sendText(response, 502, forbidden(error.message));
      if (hasTimedOut) return sendText(response, 504, "The origin of this site did not answer in time.");
      return sendText(response, 502, "The origin of this site cannot be reached.");
    }
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
    // If the origin closes the connection early, the answer must not look complete, so the visitor's breaks too.
    await pipeline(answer, response).catch(() => response.destroy());
  }
  return {
    forward(hostname, isOwnPort, request, response) {
      const address = originAddressOf(hostname);
      const isFree = allowed.allowsName(address.host.toLowerCase());
      const refusalOf = (at: string) => {
        if (isFree || allowed.allowsAddress(at)) return null;
        if (isLoopback(at) && isOwnPort(address.port)) return null;
        return addressRefusal(at);
      };
      const agent = address.protocol === "http:" ? agents.http : agents.https;
      return send(
        { address, agent, hostHeader: hostname, viewerProtocol: "https", refusalOf },
        request,
        response,
      );
    },
    forwardToRelease(port, viewerProtocol, request, response) {
      const address = { protocol: "http:", host: "127.0.0.1", port } as const;
      const hostHeader = request.headers.host ?? "";
      // The process may close a kept-alive connection just when a request is sent on it.
      return send(
        { address, agent: false, hostHeader, viewerProtocol, refusalOf: () => null },
        request,
        response,
      );
    },
    stop() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The host has an address that users must not reach through Slipway. */
class OriginRefused extends Error {
  override readonly name = "OriginRefused";
}

function forbidden(reason: string): string {
  return `The origin of this site is ${reason}, which the sandbox does not connect to. The operator can allow it with SLIPWAY_SANDBOX_ALLOWED_ORIGINS.`;
}
