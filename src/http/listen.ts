import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { isIPv6, Server as TcpServer, type Socket } from "node:net";
import { toListenError } from "../lib/listen-error.ts";
import type { TlsMaterial } from "./tls-files.ts";
import { spreadOverTurns } from "../lib/turns.ts";
import { answerClientError } from "./problems/client-error.ts";
import { type Connections, createConnections } from "./limits/connections.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Listener = {
  readonly url: string;
  /** The wildcard address and port, where it listens on every address of the machine. */
  readonly everywhere: string | null;
  /** Whether what is sent can be read on a network. */
  readonly isInClear: boolean;
  /** Has new connections served with another certificate. */
  renew(material: Pick<TlsMaterial, "cert" | "key">): void;
  /** Fires when draining begins, so that a request which only waits ends at once. */
  readonly draining: AbortSignal;
  /** To be told when a key was shown on a request's connection. */
  know(request: IncomingMessage): void;
  /** Hands every request to `handler`, those that came early included. */
  serve(handler: Handler): void;
  /**
   * Takes no new connection, has every request answered, and asks clients with `Connection: close` not
   * to send another. Resolves when the last connection is closed. Safe to call twice.
   */
  drain(): Promise<void>;
};

/** OWASP's slow-request limits, tighter than Node's own 60 s and 300 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_CONNECTIONS_MS = 5_000;
/** Longer than a load balancer's usual 60 s, so that it is never we who close a connection in use. */
const KEEP_ALIVE_MS = 65_000;
/** Beyond this, slow sockets would exhaust the file descriptors that the database needs too. */
const MAX_CONNECTIONS = 10_000;
/**
 * Of these, connections on which no key was shown; one that sends its headers slowly holds 33 KiB. Clients send the next
 * request after the answer to the one before.
 */
const CONNECTION_LIMITS = { strangers: 300, waitingStrangers: 1_200, pipelined: 16 };

/**
 * Listens before there is anything to serve: a port in use is told at once, and with port 0 the
 * address is known to the parts that need it. Requests that come early wait until `serve`. A drain keeps
 * a connection without a request for `idleGraceMs`, so that the one which a client sends on it in this
 * very moment is answered, also where a busy machine lets that client wait.
 * @throws ListenError
 */
export async function listen(options: {
  readonly host: string;
  readonly port: number;
  /** Serves HTTPS. */
  readonly tls?: Pick<TlsMaterial, "cert" | "key"> | null;
  readonly idleGraceMs?: number | undefined;
}): Promise<Listener> {
  const { host, port, tls = null, idleGraceMs = 1_000 } = options;
  const draining = new AbortController();
  const connections = createConnections(CONNECTION_LIMITS);
  const early: [IncomingMessage, ServerResponse][] = [];
  const postpone: Handler = (request, response) => void early.push([request, response]);
  let handler = postpone;
  const serve = (next: Handler): void => {
    handler = next;
    for (const [request, response] of early.splice(0)) handler(request, response);
  };

  const settings = {
    IncomingMessage: limitPipelining(connections),
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own answer has no body; `server.ts` refuses a missing Host with a problem document.
    requireHostHeader: false,
  };
  const secure =
    tls === null
      ? null
      : createSecureServer({ ...settings, ...pick(tls), handshakeTimeout: HEADERS_TIMEOUT_MS });
  const server = secure ?? createServer(settings);
  server.maxConnections = MAX_CONNECTIONS;
  if (secure === null) server.on("connection", (socket) => connections.open(socket));
  else openSecurely(secure, connections);
  const begin = spreadOverTurns<Parameters<Handler>>((request, response) => {
    // Nobody waits for its answer any more.
    if (response.destroyed) return;
    handler(request, response);
    if (!request.complete) setImmediate(() => connections.readOn(request, response));
  });
  const onRequest: Handler = (request, response) => {
    if (draining.signal.aborted) response.shouldKeepAlive = false;
    connections.begin(request, response);
    begin(request, response);
  };
  server.on("request", onRequest);
  // An expectation that nobody knows is ignored, as RFC 9110 (10.1.1) allows; Node would send a bare 417.
  server.on("checkExpectation", onRequest);
  server.on("clientError", answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(error, host, port, "PORT")));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  const name = WILDCARDS[host] ?? host;

  const drain = async (): Promise<void> => {
    // Connections that still wait to be accepted would be reset together with the socket that listens. They are
    // accepted first, and requests are done afterwards, so that hardly any can come in between; nor is a client told
    // before to connect anew.
    const whenClosed = handler;
    handler = postpone;
    for (let turn = 0; turn < TURNS_TO_ACCEPT; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    draining.abort();
    for (const response of connections.unanswered()) response.shouldKeepAlive = false;
    // Not the HTTP server's `close`: it cuts idle connections at once, and with them the request that a
    // client is sending on one in this very moment.
    const closed = new Promise<void>((resolve) => {
      TcpServer.prototype.close.call(server, () => resolve());
    });
    serve(whenClosed);
    const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    let idle: NodeJS.Timeout | null = null;
    // Timers run before sockets are read, and a busy machine wakes us late: what came by now is read first.
    const closeIdle = (): void => void setImmediate(() => server.closeIdleConnections());
    const grace = setTimeout(() => {
      closeIdle();
      idle = setInterval(closeIdle, LOOK_FOR_IDLE_MS);
    }, idleGraceMs);
    await closed;
    clearTimeout(force);
    clearTimeout(grace);
    if (idle !== null) clearInterval(idle);
  };
  let drained: Promise<void> | null = null;

  return {
    url: `${secure === null ? "http" : "https"}://${bracket(name)}:${address.port}`,
    everywhere: name === host ? null : `${bracket(host)}:${address.port}`,
    isInClear: secure === null && !isLoopback(address.address),
    renew: (material) => secure?.setSecureContext(pick(material)),
    draining: draining.signal,
    know: ({ socket }) => connections.know(socket),
    serve,
    drain: () => (drained ??= drain()),
  };
}

const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

function bracket(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\./.test(address) || address === "::1";
}

function pick({ cert, key }: Pick<TlsMaterial, "cert" | "key">) {
  return { cert, key, ALPNProtocols: ["http/1.1"] };
}

/** A connection counts from its first byte, and is another socket once it is secure. */
function openSecurely(server: SecureServer, connections: Connections): void {
  const handshaking = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on("connection", (duplex) => {
    const socket = duplex as Socket;
    const name = nameOf(socket);
    handshaking.set(name, socket);
    socket.once("close", () => {
      if (handshaking.get(name) === socket) handshaking.delete(name);
    });
    connections.open(socket);
  });
  server.on("secureConnection", (socket) => {
    const name = nameOf(socket);
    const raw = handshaking.get(name);
    handshaking.delete(name);
    if (raw !== undefined) connections.forget(raw);
    connections.open(socket);
  });
}

/**
 * What would be one request too many on its connection is made to look like an upgrade. Node stops to parse at one, and
 * closes the connection where nobody takes it up; all else that can be done comes when the rest of the bytes has been
 * parsed, a request object for every 18 of them.
 */
function limitPipelining({ isFull }: Pick<Connections, "isFull">): typeof IncomingMessage {
  return class extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      if (isFull(socket)) Object.defineProperty(this, "upgrade", { get: () => true, set() {} });
    }
  };
}

/** The first ends what was under way, in the second there is little else to do than to accept. */
const TURNS_TO_ACCEPT = 3;
const LOOK_FOR_IDLE_MS = 50;
const DRAIN_MS = 20_000;
