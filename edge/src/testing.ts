/** An edge with sites that forward to origins, for tests and measurements. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { TestContext } from "node:test";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import {
  createCertificateAuthority,
  createRoot,
} from "../../sandbox/src/certificates/certificate-authority.ts";
import { type Edge, type EdgeOptions, startEdge } from "./edge.ts";
import { createProxy } from "./origin-proxy.ts";
import { type RemoteEdge, type RemoteEdgeOptions, startRemoteEdge } from "./remote/remote-edge.ts";
import type { Site } from "./requests.ts";

const DAY_MS = 86_400_000;

export const authority = createCertificateAuthority(createRoot(new Date()));

export const issue = (...names: readonly string[]) =>
  authority.issue(names, new Date(), new Date(Date.now() + DAY_MS));

/** Sites by name, each with a certificate of its own. @param origins `host:port` of each name */
export function forwardingSites(origins: Readonly<Record<string, string>>): {
  readonly sites: Map<string, Site>;
  readonly stop: () => void;
} {
  const proxy = createProxy({
    name: "test",
    lookUpFirst: () => [],
    allowed: parseAllowedHosts(["127.0.0.1"]),
  });
  const sites = new Map<string, Site>();
  for (const [name, origin] of Object.entries(origins))
    sites.set(name, {
      id: `site of ${name}`,
      certificate: issue(name),
      redirectTo: null,
      serve: (request, response, visitor) => proxy.forward(origin, () => false, visitor, request, response),
    });
  return { sites, stop: () => proxy.stop() };
}

/** Ports that are free, no challenges, and no log. */
export async function startTestEdge(
  t: TestContext,
  sites: ReadonlyMap<string, Site>,
  more: Partial<EdgeOptions> = {},
): Promise<Edge> {
  const edge = await startEdge({
    host: "127.0.0.1",
    httpsPort: 0,
    httpPort: 0,
    portVariables: { https: "HTTPS", http: "HTTP" },
    findSite: (name) => sites.get(name) ?? null,
    challenges: null,
    onAnswered: () => {},
    log: { warn: () => {} },
    ...more,
  });
  t.after(() => edge.stop());
  return edge;
}

/** An edge on another machine. Ports that are free, origins on this machine, reports every 50 ms, and no log. */
export async function startTestRemoteEdge(
  options: Pick<RemoteEdgeOptions, "controlUrl" | "secret" | "folder"> & Partial<RemoteEdgeOptions>,
): Promise<RemoteEdge> {
  return await startRemoteEdge({
    id: "far",
    addresses: ["192.0.2.7"],
    version: "1.2.3",
    host: "127.0.0.1",
    httpsPort: 0,
    httpPort: 0,
    portVariables: { https: "HTTPS", http: "HTTP" },
    allowedOrigins: ["127.0.0.1"],
    reportMs: 50,
    log: { info: () => {}, warn: () => {} },
    ...options,
  });
}

/** Returns `host:port`. */
export async function startTestOrigin(t: TestContext, server: Server = createServer()): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** A TLS connection to an edge. Rejects if the handshake fails. */
export async function dial(t: TestContext, port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", ca: authority.certificatePem, ...options });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}
