/**
 * The HTTPS edge: one TLS port. The server name (SNI, RFC 6066) selects the site of a connection. The edge serves exactly
 * the names for which `findSite` has a site. Any other name has no certificate here, so the handshake fails.
 *
 * Browsers may know neither the DNS of these names nor the certificates' authority. For them, the same port serves
 * `NAME.localhost` without TLS, which they resolve to this machine (RFC 6761, section 6.3), and to which they send no
 * cookie of another host, such as the console's.
 */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createServer as createListener, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { LRUCache } from "lru-cache";
import { sendText } from "./edge-text.ts";
import type { KeyPair } from "./key-pair.ts";

/** What the edge serves for a host name now. */
export type Site = {
  /** A connection for one name also serves the other names of a site with the same id. */
  readonly id: string;
  /** Null until there is one: the handshake fails. */
  readonly certificate: KeyPair | null;
  /** The name to which every request is redirected. */
  readonly redirectTo: string | null;
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

export type Edge = { readonly port: number; stop(): Promise<void> };

const MAX_CACHED_CONTEXTS = 1_000;
/** The first byte of a TLS connection: a handshake record (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;
const FIRST_BYTE_TIMEOUT_MS = 30_000;
const LOCAL = ".localhost";

/** Where a browser on this machine sees what the edge serves for a name. */
export function localUrlOf(name: string, port: number): string {
  return `http://${name}${LOCAL}:${port}/`;
}

/** Port 0 picks a free one. */
export async function startEdge(options: {
  readonly host: string;
  readonly port: number;
  /** @param hostName in lower case, without a final dot */
  readonly findSite: (hostName: string) => Site | null;
  /** Called after each answer; `status` is null if the visitor left before it. */
  readonly onAnswered: (siteId: string, status: number | null) => void;
  readonly log: { warn(fields: object, message: string): void };
}): Promise<Edge> {
  const { findSite, onAnswered, log } = options;
  /** By certificate. */
  const contexts = new LRUCache<string, SecureContext>({ max: MAX_CACHED_CONTEXTS });

  function contextFor(serverName: string): SecureContext | undefined {
    const pair = findSite(plain(serverName))?.certificate;
    if (pair === null || pair === undefined) return undefined;
    const key = pair.certificatePem;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const context = createSecureContext({ cert: key, key: pair.privateKeyPem });
    contexts.set(key, context);
    return context;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = hostOf(request);
    const site = findSite(host);
    const serverName = "servername" in request.socket ? request.socket.servername : false;
    const connected = typeof serverName === "string" ? findSite(plain(serverName)) : null;
    if (site === null || site.id !== connected?.id) {
      // RFC 9110, section 15.5.20: the connection has another name, or the name was detached meanwhile.
      return sendText(response, 421, `${host === "" ? "This name" : host} is not served on this connection.`);
    }
    await answer(site, (name) => `https://${name}`, request, response);
  }

  /** For browsers on this machine. */
  async function serveLocally(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = hostOf(request);
    const name = host.endsWith(LOCAL) ? host.slice(0, -LOCAL.length) : null;
    if (name === null) return sendText(response, 400, "This port speaks HTTPS.");
    const site = findSite(name);
    if (site === null) return sendText(response, 404, `${name} is not served.`);
    await answer(site, (target) => `http://${target}${LOCAL}`, request, response);
  }

  async function answer(
    site: Site,
    originOf: (name: string) => string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.once("close", () => onAnswered(site.id, response.headersSent ? response.statusCode : null));
    const { redirectTo } = site;
    if (redirectTo !== null) return redirect(request, response, redirectTo, originOf(redirectTo));
    await site.serve(request, response);
  }

  const listenTo =
    (serving: typeof serve) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      serving(request, response).catch((error: unknown) => {
        log.warn({ err: error }, "The edge could not serve a request");
        if (response.headersSent) response.destroy();
        else sendText(response, 500, "The edge failed to serve this.");
      });
    };

  const server = createServer(
    {
      minVersion: "TLSv1.2",
      // No default certificate: the handshake fails without a server name, or with an unknown one.
      SNICallback: (serverName, done) => {
        try {
          done(null, contextFor(serverName));
        } catch (error) {
          done(error instanceof Error ? error : new Error("The certificate could not be loaded."));
        }
      },
    },
    listenTo(serve),
  );
  // Refused handshakes and broken connections need no handling; they concern only their client.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const localServer = createHttpServer(listenTo(serveLocally));
  const sockets = new Set<Socket>();
  const listener = createListener((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(FIRST_BYTE_TIMEOUT_MS, () => socket.destroy());
    const handOver = (): void => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) {
        socket.once("readable", handOver);
        return;
      }
      socket.setTimeout(0).removeAllListeners("timeout");
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? server : localServer).emit("connection", socket);
    };
    handOver();
  });
  listener.listen(options.port, options.host);
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("The edge listens on no port.");
  return {
    port: address.port,
    async stop() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, "close");
    },
  };
}

/** Path and query as they came, and the port of this edge, which is another than 443. */
function redirect(request: IncomingMessage, response: ServerResponse, name: string, origin: string): void {
  const [port = ""] = /:\d+$/.exec(request.headers.host ?? "") ?? [];
  const path = (request.url ?? "").startsWith("/") ? request.url : "/";
  response.setHeader("location", `${origin}${port}${path}`);
  sendText(response, 308, `This is at ${name}.`);
}

function hostOf(request: IncomingMessage): string {
  return plain((request.headers.host ?? "").replace(/:\d+$/, ""));
}

/** In lower case, without the dot that ends a fully qualified name. */
function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
