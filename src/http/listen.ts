import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server as TcpServer } from "node:net";
import { toListenError } from "../listen-error.ts";
import { answerClientError } from "./client-error.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Listener = {
  readonly url: string;
  /** Fires when draining begins, so that a request which only waits ends at once. */
  readonly draining: AbortSignal;
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
 * Listens before there is anything to serve: a port in use is told at once, and with port 0 the
 * address is known to the parts that need it. Requests that come early wait until `serve`. A drain keeps
 * a connection without a request for `idleGraceMs`, so that the one which a client sends on it in this
 * very moment is answered, also where a busy machine lets that client wait.
 * @throws ListenError
 */
export async function listen(host: string, port: number, idleGraceMs = 1_000): Promise<Listener> {
  const draining = new AbortController();
  const open = new Set<ServerResponse>();
  const early: [IncomingMessage, ServerResponse][] = [];
  const postpone: Handler = (request, response) => void early.push([request, response]);
  let handler = postpone;
  const serve = (next: Handler): void => {
    handler = next;
    for (const [request, response] of early.splice(0)) handler(request, response);
  };

  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own answer has no body; `server.ts` refuses a missing Host with a problem document.
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const onRequest: Handler = (request, response) => {
    if (draining.signal.aborted) response.shouldKeepAlive = false;
    open.add(response);
    response.once("close", () => open.delete(response));
    handler(request, response);
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
  const name = ["0.0.0.0", "::", ""].includes(host) ? "127.0.0.1" : host;

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
    for (const response of open) response.shouldKeepAlive = false;
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
    url: `http://${name.includes(":") ? `[${name}]` : name}:${address.port}`,
    draining: draining.signal,
    serve,
    drain: () => (drained ??= drain()),
  };
}

/** The first ends what was under way, in the second there is little else to do than to accept. */
const TURNS_TO_ACCEPT = 3;
const LOOK_FOR_IDLE_MS = 50;
const DRAIN_MS = 20_000;
