import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { isIPv6, Server as TcpServer, type Socket } from "node:net";
import { toListenError } from "../../lib/operator-error.ts";
import type { TlsMaterial } from "./tls-files.ts";
import { spreadOverTurns } from "../../lib/pace/turns.ts";
import { answerClientError } from "../problems/client-error.ts";
import { type Connections, createConnections } from "../limits/connections.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Listener = {
  readonly url: string;
  /** The wildcard address and port, when it listens on every address of the machine. */
  readonly everywhere: string | null;
  /** Whether requests can be read on a network. */
  readonly isInClear: boolean;
  /** Serves new connections with another certificate. */
  renew(material: Pick<TlsMaterial, "cert" | "key">): void;
  /** Fires when draining begins, so that a request which only waits ends at once. */
  readonly draining: AbortSignal;
  /** Call it when a valid key was sent on a request's connection. */
  know(request: IncomingMessage): void;
  /** Passes every request to `handler`, including requests that came before this call. */
  serve(handler: Handler): void;
  /**
   * Takes no new connections, answers every request that came, and asks clients with `Connection: close` not to send
   * another. Resolves when the last connection is closed. Safe to call twice.
   */
  drain(): Promise<void>;
};

/** OWASP's slow-request limits, tighter than Node's own 60 s and 300 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_CONNECTIONS_MS = 5_000;
/** Longer than a load balancer's usual 60 s, so that we are never the side that closes a connection in use. */
const KEEP_ALIVE_MS = 65_000;
/** Beyond this, slow sockets would exhaust the file descriptors that the database needs too. */
const MAX_CONNECTIONS = 10_000;
/**
 * Limits of connections without a valid key. A connection that sends its headers slowly holds 33 KiB. `pipelined` is
 * low, because usual clients send the next request after the answer to the one before.
 */
const CONNECTION_LIMITS = { strangers: 300, waitingStrangers: 1_200, pipelined: 16 };

/**
 * Listens before there is anything to serve: a port in use is reported at once, and with port 0 the address is known to
 * the parts that need it. Requests that come early wait until `serve`. A drain keeps idle connections for
 * `idleGraceMs`, so that a request that a client is just sending is still answered, even if a busy machine delays it.
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
    // Node's own answer has no body, so `server.ts` refuses a missing Host with a problem document.
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
    // The client has disconnected.
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
  // An unknown expectation is ignored, as RFC 9110 (10.1.1) allows; Node would send a bare 417.
  server.on("checkExpectation", onRequest);
  server.on("clientError", answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(error, host, port, "PORT")));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const twin = await listenAtTwin(server, host);
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  const name = WILDCARDS[host] ?? host;

  const drain = async (): Promise<void> => {
    // Connections in the accept queue would be reset when the listening socket is closed. So they are accepted first.
    // Requests are handled afterwards, so that hardly any connection can come in between. Only then are clients asked
    // to reconnect.
    const whenClosed = handler;
    handler = postpone;
    for (let turn = 0; turn < TURNS_TO_ACCEPT; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    draining.abort();
    for (const response of connections.unanswered()) response.shouldKeepAlive = false;
    // Not the HTTP server's `close`: it cuts idle connections at once, and with them a request that a client is just
    // sending.
    const closed = new Promise<void>((resolve) => {
      TcpServer.prototype.close.call(server, () => resolve());
      twin?.close();
    });
    serve(whenClosed);
    const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    let idle: NodeJS.Timeout | null = null;
    // Timers run before sockets are read, and a busy machine wakes us late: first read what has come by now.
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

/** The other address of `localhost`, which these do not hold. */
const TWINS: Readonly<Record<string, string>> = { "127.0.0.1": "::1", "0.0.0.0": "::1", "::1": "127.0.0.1" };

/**
 * Listens at the same port of the other loopback address. Browsers try both for `localhost`: a process of this machine
 * that held the other one would be `http://localhost:PORT` for them, with all that pages of Slipway have stored there.
 * @returns null where the machine has no such address, or another program was first
 */
async function listenAtTwin(server: TcpServer, host: string): Promise<TcpServer | null> {
  const other = TWINS[host];
  const address = server.address();
  if (other === undefined || address === null || typeof address === "string") return null;
  const twin = new TcpServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit("connection", socket),
  );
  return await new Promise((resolve) => {
    twin.once("error", () => resolve(null));
    twin.listen({ port: address.port, host: other, ipv6Only: true }, () => resolve(twin));
  });
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

/** Counts a connection from its first byte. After the TLS handshake, another socket represents it. */
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
 * Makes a request beyond the connection's limit look like an upgrade. Node stops parsing at an upgrade, and closes the
 * connection if no listener handles it. Any other hook runs only after all remaining bytes were parsed, at a request
 * object for every 18 of them.
 */
function limitPipelining({ isFull }: Pick<Connections, "isFull">): typeof IncomingMessage {
  return class extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      if (isFull(socket)) Object.defineProperty(this, "upgrade", { get: () => true, set() {} });
    }
  };
}

/** The first turn finishes what was under way; in the second there is little left to do but accept. */
const TURNS_TO_ACCEPT = 3;
const LOOK_FOR_IDLE_MS = 50;
const DRAIN_MS = 20_000;
