/** A site on another host, to which the edge forwards requests. */
import { lookup as lookUpSystemName, type LookupAddress, type LookupOptions } from "node:dns";
import {
  Agent as HttpAgent,
  type ClientRequest,
  request as requestHttp,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { isIP, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { addressRefusal, type AllowedHosts, isLoopback } from "../../src/egress/address-rules.ts";
import { withoutOwnCookies } from "../../src/lib/own-cookies.ts";
import { BYPASS_HEADER, SET_COOKIE_HEADER } from "../../src/lib/preview-gate.ts";
import { ROBOTS, sendText } from "./edge-text.ts";
import { openTunnel, TUNNEL_EVENT, upgradeOf } from "./upgrade.ts";
import { FROM_EDGE, forwardedHeaders, isAboutVisitor, type Visitor } from "./visitor.ts";

const ORIGIN_TIMEOUT_MS = 30_000;
/** Between two parts of an answer, such as events (SSE), and of a WebSocket. */
const STREAM_IDLE_MS = 600_000;

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

/** What visitors send to the edge itself. */
const ABOUT_GATE: ReadonlySet<string> = new Set([BYPASS_HEADER, SET_COOKIE_HEADER]);

/** @param isOwn whether the other side is Slipway, which gets its own cookies; code of repositories must not get them */
function endToEndHeaders(message: IncomingMessage, isOwn = false): Record<string, string | string[]> {
  const named = (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string | string[]> = {};
  const { cookie } = message.headers;
  const all = { ...message.headers, cookie: isOwn ? cookie : withoutOwnCookies(cookie) };
  for (const [name, value] of Object.entries(all)) {
    if (!isOwn && ABOUT_GATE.has(name)) continue;
    if (value === undefined || HOP_BY_HOP.has(name) || named.includes(name) || isAboutVisitor(name)) continue;
    // HTTP/2 has what begins with a colon.
    if (!name.startsWith(":")) kept[name] = value;
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

/**
 * Why the edge does not connect to an address of an origin's host, as a noun phrase; null if it does. Users choose
 * origins, so addresses that are not public are refused, unless the operator allows them or the host.
 */
export function originRefusal(allowed: AllowedHosts, host: string): (address: string) => string | null {
  const isFree = allowed.allowsName(host.toLowerCase());
  return (address) => (isFree || allowed.allowsAddress(address) ? null : addressRefusal(address));
}

export type Proxy = {
  /**
   * Forwards to an outside host, with its own name as `Host`. Refuses addresses as `originRefusal` does, except the
   * caller's own ports on this machine.
   */
  forward(
    hostname: string,
    isOwnPort: (port: number) => boolean,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Forwards to another edge of this installation, which knows the visitor then. */
  forwardToEdge(
    edge: {
      readonly host: string;
      readonly port: number;
      /** The certificate of the visitor's host. The other edge has it too, or its successor by the same authority. */
      readonly certificatePem: string;
      readonly token: string;
    },
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Forwards to a process of the platform, with the visitor's `Host`, as a load balancer does. */
  forwardToRelease(
    port: number,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Forwards to Slipway's own API and console on this machine. */
  forwardToSlipway(
    port: number,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  stop(): void;
};

type Upstream = {
  readonly address: ReturnType<typeof originAddressOf>;
  readonly agent: HttpAgent | false;
  readonly hostHeader: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: ConnectionOptions;
  readonly visitor: Visitor;
  /** Whether it is Slipway itself, or another edge. */
  readonly isOwn?: boolean;
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
  async function forwardTo(to: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { protocol, host, port } = to.address;
    // If the host is an address, there is no lookup.
    const refused = isIP(host) === 0 ? null : to.refusalOf(host);
    if (refused !== null) return sendText(response, 502, forbidden(refused));
    const isPlain = protocol === "http:";
    const upgrade = upgradeOf(request, response);
    const body = upgrade === null ? bodyOf(request) : "none";
    const isRepeatable = body === "none" && /^(?:GET|HEAD|OPTIONS)$/.test(request.method ?? "");
    const ask = (agent: HttpAgent | false): ClientRequest =>
      (isPlain ? requestHttp : requestHttps)({
        host,
        port,
        method: upgrade === null ? request.method : "GET",
        path: request.url,
        agent,
        ...to.tls,
        // Slipway holds requests open with `Prefer: wait`.
        timeout: to.isOwn === true ? STREAM_IDLE_MS : ORIGIN_TIMEOUT_MS,
        lookup: (name, lookupOptions, done) =>
          resolve(name, lookupOptions, (error, addresses) => {
            const found = addresses.find(({ address }) => to.refusalOf(address) !== null);
            if (error !== null) done(error, []);
            else if (found !== undefined) done(new OriginRefused(to.refusalOf(found.address) ?? ""), []);
            else if (lookupOptions.all === true) done(null, [...addresses]);
            else done(null, addresses[0]?.address ?? "", addresses[0]?.family);
          }),
        headers: {
          ...endToEndHeaders(request, to.isOwn),
          // A body of unknown length needs its own framing on the next connection.
          ...(body === "chunked" ? { "transfer-encoding": "chunked" } : {}),
          ...upgrade?.headers,
          host: to.hostHeader,
          ...to.headers,
          ...forwardedHeaders(to.visitor),
          via: `1.1 ${options.name}`,
        },
      });
    const send = (agent: HttpAgent | false): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const upstream = ask(agent);
        let hasTimedOut = false;
        upstream.on("timeout", () => {
          hasTimedOut = true;
          upstream.destroy();
        });
        response.once("close", () => upstream.destroy());
        upstream.once("response", (message) => resolve({ message, upstream, tunnel: null }));
        upstream.once("upgrade", (message, socket, head) => {
          if (head.length > 0) socket.unshift(head);
          resolve({ message, upstream, tunnel: socket });
        });
        upstream.on("error", (error: NodeJS.ErrnoException) => {
          // The origin closed a kept connection just then, and has not seen the request.
          if (isRepeatable && upstream.reusedSocket && error.code === "ECONNRESET" && !response.destroyed)
            resolve(send(false));
          else reject(hasTimedOut ? new OriginTimedOut() : error);
        });
        if (body === "none") {
          upstream.end();
          return;
        }
        // An origin may answer before it has read the whole body. Only the answer matters then.
        request.on("error", () => upstream.destroy());
        request.once("end", () => upstream.addTrailers(request.trailers));
        request.pipe(upstream);
      });
    let answer: Answer;
    try {
      answer = await send(to.agent);
    } catch (error) {
      // Whatever the cause, the visitor only learns that the origin could not be reached.
      if (response.destroyed) return;
      if (error instanceof OriginRefused) return sendText(response, 502, forbidden(error.message));
      if (error instanceof OriginTimedOut)
        return sendText(response, 504, "The origin of this site did not answer in time.");
      return sendText(response, 502, "The origin of this site cannot be reached, or closed the connection.");
    }
    const { message, upstream, tunnel } = answer;
    upstream.setTimeout(STREAM_IDLE_MS);
    const headers = endToEndHeaders(message);
    if (tunnel !== null) {
      // Without an upgrade, none was asked for, and Node ends such an answer.
      if (upgrade === null) return void tunnel.destroy();
      tunnel.setTimeout(STREAM_IDLE_MS, () => tunnel.destroy());
      response.emit(TUNNEL_EVENT, openTunnel(upgrade.accept(headers), tunnel));
      return;
    }
    if (response.hasHeader(ROBOTS)) delete headers[ROBOTS];
    response.writeHead(message.statusCode ?? 502, headers);
    // What comes bit by bit, such as events, must not wait for its first bit.
    if (message.headers["content-length"] === undefined) response.flushHeaders();
    message.once("end", () => {
      const { trailers } = message;
      if (Object.keys(trailers).length > 0) response.addTrailers(trailers);
    });
    // If the origin closes the connection early, the answer must not look complete, so the visitor's breaks too.
    message.on("error", () => response.destroy());
    message.once("close", () => {
      if (!message.complete) response.destroy();
    });
    message.pipe(response);
  }
  return {
    forward(hostname, isOwnPort, visitor, request, response) {
      const address = originAddressOf(hostname);
      const refusal = originRefusal(allowed, address.host);
      const refusalOf = (at: string) => (isLoopback(at) && isOwnPort(address.port) ? null : refusal(at));
      const agent = address.protocol === "http:" ? agents.http : agents.https;
      return forwardTo({ address, agent, hostHeader: hostname, visitor, refusalOf }, request, response);
    },
    forwardToEdge({ host, port, certificatePem, token }, visitor, request, response) {
      return forwardTo(
        {
          address: { protocol: "https:", host, port },
          agent: agents.https,
          hostHeader: visitor.host,
          headers: { [FROM_EDGE]: token },
          tls: {
            servername: visitor.host.replace(/:\d+$/, ""),
            ca: certificatePem,
            allowPartialTrustChain: true,
          },
          visitor,
          // It may serve Slipway itself, and passes Slipway's cookies to nothing else.
          isOwn: true,
          refusalOf: () => null,
        },
        request,
        response,
      );
    },
    forwardToRelease(port, visitor, request, response) {
      const address = { protocol: "http:", host: "127.0.0.1", port } as const;
      const hostHeader = visitor.host;
      // The process may close a kept-alive connection just when a request is sent on it.
      return forwardTo(
        { address, agent: false, hostHeader, visitor, refusalOf: () => null },
        request,
        response,
      );
    },
    forwardToSlipway(port, visitor, request, response) {
      const address = { protocol: "http:", host: "127.0.0.1", port } as const;
      const { host: hostHeader } = visitor;
      const to = { address, agent: agents.http, hostHeader, visitor, isOwn: true, refusalOf: () => null };
      return forwardTo(to, request, response);
    },
    stop() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Answer = {
  readonly message: IncomingMessage;
  readonly upstream: ClientRequest;
  /** The connection, if the origin accepted another protocol on it. */
  readonly tunnel: Socket | null;
};

/** How the body of a request is framed for the origin. */
function bodyOf(request: IncomingMessage): "none" | "sized" | "chunked" {
  const length = request.headers["content-length"];
  if (length !== undefined) return length === "0" ? "none" : "sized";
  if (request.headers["transfer-encoding"] !== undefined) return "chunked";
  const isEnded = !("stream" in request) || (request as unknown as Http2ServerRequest).stream.endAfterHeaders;
  return isEnded ? "none" : "chunked";
}

class OriginTimedOut extends Error {
  override readonly name = "OriginTimedOut";
}

/** The host has an address that users must not reach through Slipway. */
class OriginRefused extends Error {
  override readonly name = "OriginRefused";
}

function forbidden(reason: string): string {
  return `The origin of this site is ${reason}, which the edge does not connect to. The operator can allow it with SLIPWAY_SANDBOX_ALLOWED_ORIGINS.`;
}
