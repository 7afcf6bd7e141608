import { createServer, type Server } from "node:http";

/** Somebody else listens there. */
export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
}

/** OWASP's slow-request limits, tighter than Node's own 60 s and 300 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_CONNECTIONS_MS = 5_000;
/** Longer than a load balancer's usual 60 s, so that it is never we who close a connection in use. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Listens before there is anything to serve: a port in use is told at once, and with port 0 the
 * address is known to the parts that need it. Requests that come early wait in their sockets.
 * @throws PortInUseError
 */
export async function listen(host: string, port: number): Promise<{ server: Server; url: string }> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE" ? new PortInUseError(portInUse(host, port), { cause: error }) : error,
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  const name = ["0.0.0.0", "::", ""].includes(host) ? "127.0.0.1" : host;
  return { server, url: `http://${name.includes(":") ? `[${name}]` : name}:${address.port}` };
}

function portInUse(host: string, port: number): string {
  return `Something else listens on ${host}:${port}. Stop it, or set PORT to another port.`;
}

const DRAIN_MS = 20_000;

/** Takes no new connection, lets what is in flight be answered, and closes connections as they fall idle. */
export async function closeGracefully(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}
