/**
 * The edge: one port for HTTPS, by HTTP/1.1 and HTTP/2, and optionally one for HTTP. The server name (SNI, RFC 6066)
 * selects the site of a connection. The edge serves exactly the names for which `findSite` has a site. Any other name has
 * no certificate here, so the handshake fails.
 *
 * Browsers may know neither the DNS of these names nor the certificates' authority. For them, the HTTPS port can serve
 * `NAME.localhost` without TLS, which they resolve to this machine (RFC 6761, section 6.3), and to which they send no
 * cookie of another host, such as the console's.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createSecureServer, type ServerHttp2Session } from "node:http2";
import type { Server as NetServer, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { toListenError } from "../../src/lib/operator-error.ts";
import { ACME_TLS, offersAcmeTls } from "./answer-challenges.ts";
import { answerBadRequest } from "./bad-request.ts";
import { createContexts } from "./contexts.ts";
import { sendText } from "./edge-text.ts";
import { createExchanges } from "./exchanges.ts";
import { listenForRecords } from "./first-record.ts";
import { createRequests, type RequestOptions } from "./requests.ts";
import { UpgradeResponse } from "./upgrade.ts";

export type Edge = {
  readonly port: number;
  readonly httpPort: number | null;
  /** Takes no new connection, finishes requests for at most `drainMs`, and closes all connections. */
  stop(): Promise<void>;
};

export type EdgeOptions = RequestOptions & {
  readonly host: string;
  /** Of both ports: 0 picks a free one. */
  readonly httpsPort: number;
  /** Null: only HTTPS. */
  readonly httpPort: number | null;
  /** The environment variables that set the ports. */
  readonly portVariables: { readonly https: string; readonly http: string };
  /** Called after each answer; `status` is null if the visitor left before it. Caddy's own answers have no response. */
  readonly onAnswered: (siteId: string, status: number | null, response: ServerResponse | null) => void;
  /** Whether `NAME.localhost` is served without TLS; false by default. */
  readonly isLocal?: boolean;
  /** How long requests and WebSockets may take to end when the edge stops; 0 by default. */
  readonly drainMs?: number;
  /** Others than the usual ones. */
  readonly limits?: Partial<typeof LIMITS>;
};

export const LIMITS = {
  /** Larger ones are answered with 431 (RFC 6585, section 5). */
  headersBytes: 64 * 1024,
  /** For the first bytes of a connection, and for the rest of its handshake. */
  handshakeMs: 10_000,
  /** For all headers of a request. */
  headersMs: 20_000,
  /** Between two requests. */
  keepAliveMs: 75_000,
  /** How long a visitor may take nothing of an answer. */
  stallMs: 60_000,
};
/** How a server of Node keeps these limits. */
export function http1Of(limits: typeof LIMITS) {
  return {
    maxHeaderSize: limits.headersBytes,
    headersTimeout: limits.headersMs,
    // The body of a request may take as long as it moves on; the origin's time-out ends others.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.headersMs / 4,
    noDelay: true,
  };
}

/** A request may be on its way on a connection that is idle here. */
const LINGER_MS = 1_000;

/** @throws ListenError */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { findSite, challenges, drainMs = 0 } = options;
  const limits = { ...LIMITS, ...options.limits };
  const exchanges = createExchanges(limits.stallMs);
  const requests = createRequests({
    ...options,
    exchanges,
    httpsPort: () => portOf(https.listener),
  });
  const contexts = createContexts();
  const http1 = http1Of(limits);

  const server = createSecureServer({
    ...http1,
    allowHTTP1: true,
    minVersion: "TLSv1.2",
    handshakeTimeout: limits.handshakeMs,
    settings: { enableConnectProtocol: true },
    // No default certificate: the handshake fails without a server name, or with an unknown one.
    SNICallback: contexts.callback((name) => findSite(name)?.certificate ?? null),
  });
  // The types of HTTP/2 requests and answers differ, but they behave as those of HTTP/1.1 do.
  const serve = requests.serve as (request: unknown, response: unknown) => void;
  server.on("request", serve);
  // An extended CONNECT of HTTP/2 has an answer; a CONNECT of HTTP/1.1 has a socket, and is not served.
  server.on("connect", (request: { destroy(): void; httpVersionMajor: number }, response: unknown) => {
    if (request.httpVersionMajor === 1) request.destroy();
    else serve(request, response);
  });
  takeUpgrades(server as unknown as Server, requests.serve);
  server.on("clientError", answerBadRequest);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => session.destroy());
    session.once("close", () => sessions.delete(session));
  });

  const acmeServer = createTlsServer(
    {
      ALPNProtocols: [ACME_TLS],
      handshakeTimeout: limits.handshakeMs,
      SNICallback: contexts.callback((name) => challenges?.alpnPair(name) ?? null),
    },
    // RFC 8737, section 3: the authority has seen the certificate, and no data follows.
    (socket) => socket.end(),
  );
  // Refused handshakes and broken connections need no handling; they concern only their client.
  for (const one of [server, acmeServer]) one.on("tlsClientError", (_error, socket) => socket.destroy());

  const plainServer = createServer(http1, options.isLocal === true ? requests.serveLocally : refusePlain);
  if (options.isLocal === true) takeUpgrades(plainServer, requests.serveLocally);
  const https = listenForRecords(limits.handshakeMs, (socket, first) => {
    if (first === null) plainServer.emit("connection", socket);
    else if (challenges !== null && offersAcmeTls(first)) acmeServer.emit("connection", socket);
    else server.emit("connection", socket);
  });
  // These servers do not listen themselves, and check the time of headers only after this event.
  for (const one of [server, plainServer]) one.emit("listening");
  const httpServer = options.httpPort === null ? null : createServer(http1, requests.servePlainly);
  httpServer?.on("clientError", answerBadRequest);
  const httpSockets = new Set<Socket>();
  httpServer?.on("connection", (socket: Socket) => {
    httpSockets.add(socket);
    socket.once("close", () => httpSockets.delete(socket));
  });

  const destroy = (): void => {
    for (const socket of [...https.sockets, ...httpSockets]) socket.destroy();
    exchanges.stop();
  };
  try {
    await listen(https.listener, options.host, options.httpsPort, options.portVariables.https);
    if (httpServer !== null)
      await listen(httpServer, options.host, options.httpPort ?? 0, options.portVariables.http);
  } catch (error) {
    https.listener.close();
    destroy();
    throw error;
  }

  async function drain(): Promise<void> {
    const until = performance.now() + drainMs;
    exchanges.startDrain();
    // RFC 9113, section 6.8: first a notice, so that requests that are on their way are still answered.
    for (const session of sessions) session.goaway(0, 2 ** 31 - 1);
    await sleep(Math.min(LINGER_MS, drainMs));
    for (const session of sessions) session.close();
    await Promise.all([
      exchanges.whenIdle(Math.max(0, until - performance.now())),
      exchanges.endTunnels(Math.max(0, until - performance.now())),
    ]);
  }

  return {
    port: portOf(https.listener),
    httpPort: httpServer === null ? null : portOf(httpServer),
    async stop() {
      const closed = [https.listener, httpServer].map(async (one) => {
        if (one?.listening !== true) return;
        one.close();
        await once(one, "close");
      });
      if (drainMs > 0) await drain();
      destroy();
      server.close();
      plainServer.close();
      await Promise.all(closed);
    },
  };
}

/** Answers requests for WebSockets like any other; a site may take over their connection. */
export function takeUpgrades(
  server: Server,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on("upgrade", (request, _socket, head) => serve(request, new UpgradeResponse(request, head)));
}

function refusePlain(_request: IncomingMessage, response: ServerResponse): void {
  sendText(response, 400, "This port speaks HTTPS.");
}

async function listen(server: NetServer, host: string, port: number, variable: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    throw toListenError(error, host, port, variable);
  });
}

export function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The edge listens on no port.");
  return address.port;
}
