/**
 * The HTTPS edge: one TLS port. The server name (SNI, RFC 6066) selects the distribution of a connection. The edge
 * serves exactly the names that are attached and live. Any other name has no certificate here, so the handshake fails.
 *
 * Browsers know neither the sandbox's DNS nor its certificate authority. For them, the same port serves `NAME.localhost`
 * without TLS, which they resolve to this machine (RFC 6761, section 6.3), and to which they send no cookie of another
 * host, such as the console's.
 */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createServer as createListener, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { toListenError } from "../../../src/lib/listen-error.ts";
import type { KeyPair } from "../certificates/certificate-authority.ts";
import type { Certificates } from "../certificates/certificates.ts";
import { type Distributions, originOf } from "./distributions.ts";
import type { OriginServer } from "./edge-origins.ts";
import type { EdgeTraffic } from "./traffic.ts";
import { sendText } from "../serving/edge-text.ts";
import { CDN_ZONE, isAtOrBelow, normalizeName } from "../dns/names.ts";
import type { SandboxLog } from "../accounts/stacks.ts";

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

/** Port 0 picks a free one. @throws ListenError */
export async function startEdge(options: {
  host: string;
  port: number;
  distributions: Distributions;
  certificates: Certificates;
  /** For the provider's own host names, `*.cdn.sandbox.test`. */
  ownCertificate: KeyPair;
  origins: OriginServer;
  traffic: EdgeTraffic;
  log: SandboxLog;
}): Promise<Edge> {
  const { distributions, certificates, origins, traffic, log } = options;
  const ownContext = contextOf(options.ownCertificate);
  const contexts = new Map<string, SecureContext>();

  function contextFor(serverName: string): SecureContext | null {
    const live = distributions.findLive(normalizeName(serverName));
    if (live === null) return null;
    if (isAtOrBelow(normalizeName(serverName), CDN_ZONE)) return ownContext;
    const certificate = certificates.get(live.revision.certificateId ?? "");
    if (certificate === undefined || certificate.issued === null) return null;
    // A renewed certificate keeps its id.
    const key = `${certificate.id}/${certificate.issued.issuedAt}`;
    const context = contexts.get(key) ?? contextOf(certificate.issued);
    contexts.delete(key);
    contexts.set(key, context);
    const [oldest] = contexts.keys();
    if (contexts.size > MAX_CACHED_CONTEXTS && oldest !== undefined) contexts.delete(oldest);
    return context;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = normalizeName((request.headers.host ?? "").replace(/:\d+$/, ""));
    const live = distributions.findLive(host);
    if (live === null || !isSameDistribution(request, live.distribution.id)) {
      // RFC 9110, section 15.5.20: the connection has another name, or the name was detached meanwhile.
      return sendText(response, 421, `${host === "" ? "This name" : host} is not served on this connection.`);
    }
    await answer(live, host, (name) => `https://${name}`, request, response);
  }

  /** For browsers on this machine. */
  async function serveLocally(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = normalizeName((request.headers.host ?? "").replace(/:\d+$/, ""));
    const name = host.endsWith(LOCAL) ? host.slice(0, -LOCAL.length) : null;
    if (name === null) return sendText(response, 400, "This port speaks HTTPS.");
    const live = distributions.findLive(name);
    if (live === null) return sendText(response, 404, `${name} is not served.`);
    await answer(live, name, (target) => `http://${target}${LOCAL}`, request, response);
  }

  async function answer(
    { distribution, revision }: NonNullable<ReturnType<Distributions["findLive"]>>,
    name: string,
    originOfName: (name: string) => string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.once("close", () =>
      traffic.count(distribution.id, response.headersSent ? response.statusCode : null),
    );
    const redirects = revision.redirects ?? {};
    const target = Object.hasOwn(redirects, name) ? redirects[name] : undefined;
    if (target !== undefined) return redirect(request, response, target, originOfName(target));
    await origins.serve(distribution.accountId, originOf(distribution, revision), request, response);
  }

  const listenTo =
    (serving: typeof serve) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      serving(request, response).catch((error: unknown) => {
        log.warn({ err: error }, "The sandbox's edge could not serve a request.");
        if (response.headersSent) response.destroy();
        else sendText(response, 500, "The edge failed to serve this.");
      });
    };

  function isSameDistribution(request: IncomingMessage, distributionId: string): boolean {
    const serverName = "servername" in request.socket ? request.socket.servername : false;
    if (typeof serverName !== "string") return false;
    return distributions.findLive(normalizeName(serverName))?.distribution.id === distributionId;
  }

  const server = createServer(
    {
      minVersion: "TLSv1.2",
      // No default certificate: the handshake fails without a server name, or with an unknown one.
      SNICallback: (serverName, done) => {
        try {
          done(null, contextFor(serverName) ?? undefined);
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
  await once(listener, "listening").catch((error: unknown) => {
    throw toListenError(error, options.host, options.port, "SLIPWAY_SANDBOX_EDGE_PORT");
  });
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

function contextOf(pair: KeyPair): SecureContext {
  return createSecureContext({ cert: pair.certificatePem, key: pair.privateKeyPem });
}
