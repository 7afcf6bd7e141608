/**
 * The HTTPS edge: one TLS port. The server name (SNI, RFC 6066) selects the distribution of a connection. The edge
 * serves exactly the names that are attached and live. Any other name has no certificate here, so the handshake fails.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import { toListenError } from "../../lib/listen-error.ts";
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
    const { distribution, revision } = live;
    response.once("close", () =>
      traffic.count(distribution.id, response.headersSent ? response.statusCode : null),
    );
    const redirects = revision.redirects ?? {};
    if (Object.hasOwn(redirects, host)) return redirect(request, response, redirects[host] ?? "");
    await origins.serve(distribution.accountId, originOf(distribution, revision), request, response);
  }

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
    (request, response) => {
      serve(request, response).catch((error: unknown) => {
        log.warn({ err: error }, "The sandbox's edge could not serve a request.");
        if (response.headersSent) response.destroy();
        else sendText(response, 500, "The edge failed to serve this.");
      });
    },
  );
  // Refused handshakes and broken connections need no handling; they concern only their client.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.listen(options.port, options.host);
  await once(server, "listening").catch((error: unknown) => {
    throw toListenError(error, options.host, options.port, "SLIPWAY_SANDBOX_EDGE_PORT");
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The edge listens on no port.");
  return {
    port: address.port,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Path and query as they came, and the port of this edge, which is another than 443. */
function redirect(request: IncomingMessage, response: ServerResponse, name: string): void {
  const [port = ""] = /:\d+$/.exec(request.headers.host ?? "") ?? [];
  const path = (request.url ?? "").startsWith("/") ? request.url : "/";
  response.setHeader("location", `https://${name}${port}${path}`);
  sendText(response, 308, `This is at ${name}.`);
}

function contextOf(pair: KeyPair): SecureContext {
  return createSecureContext({ cert: pair.certificatePem, key: pair.privateKeyPem });
}
