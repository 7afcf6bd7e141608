/** What this program serves to a Caddy on the same machine: all requests that Caddy does not forward to origins. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerBadRequest } from "../bad-request.ts";
import { type EdgeOptions, http1Of, LIMITS, portOf, takeUpgrades } from "../edge.ts";
import { sendText } from "../edge-text.ts";
import { createExchanges } from "../exchanges.ts";
import { createRequests, plainName } from "../requests.ts";
import { isFromEdgeWith, isToken } from "../visitor.ts";

export type Behind = {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Caddy proves with it that a request is from Caddy, which has checked who the visitor is. Of this start only. */
  readonly token: string;
  readonly certificateUrl: string;
  /** Finishes requests for at most this time, and closes. */
  stop(drainMs: number): Promise<void>;
};

/** Caddy's `get_certificate http` asks here. */
const CERTIFICATE_PATH = "certificate";

export async function startBehind(
  options: Pick<
    EdgeOptions,
    "findSite" | "challenges" | "onAnswered" | "onAccess" | "trustedProxies" | "hstsSeconds" | "log"
  > & { readonly publicHttpsPort: number },
): Promise<Behind> {
  const { findSite } = options;
  const token = randomBytes(32).toString("base64url");
  const exchanges = createExchanges(LIMITS.stallMs);
  const requests = createRequests({
    ...options,
    exchanges,
    isFromEdge: (request) => isFromEdgeWith({ token }, request),
    httpsPort: () => options.publicHttpsPort,
  });

  /** Another program on this machine must not get keys, so the path has the token. */
  function answerCertificate(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://loopback");
    const [, given, path] = url.pathname.split("/");
    if (!isToken(given, token) || path !== CERTIFICATE_PATH) return sendText(response, 404, "Not found.");
    const pair = findSite(plainName(url.searchParams.get("server_name") ?? ""))?.certificate ?? null;
    // Caddy refuses the handshake.
    if (pair === null) return void response.writeHead(204).end();
    response.writeHead(200, { "content-type": "application/x-pem-file", "cache-control": "no-store" });
    response.end(`${pair.certificatePem}\n${pair.privateKeyPem}`);
  }

  const servers = {
    https: createServer(http1Of(LIMITS), requests.serve),
    http: createServer(http1Of(LIMITS), requests.servePlainly),
    certificates: createServer({ keepAliveTimeout: LIMITS.keepAliveMs }, answerCertificate),
  };
  takeUpgrades(servers.https, requests.serve);
  const all = Object.values(servers);
  for (const server of all) {
    server.on("clientError", answerBadRequest);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  return {
    httpPort: portOf(servers.http),
    httpsPort: portOf(servers.https),
    token,
    certificateUrl: `http://127.0.0.1:${portOf(servers.certificates)}/${token}/${CERTIFICATE_PATH}`,
    async stop(drainMs) {
      exchanges.startDrain();
      await Promise.all([exchanges.whenIdle(drainMs), exchanges.endTunnels(drainMs)]);
      for (const server of all) close(server);
      exchanges.stop();
    },
  };
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}
