/** A real HTTPS or HTTP server on loopback that plays a git host. */
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from "./certificate.ts";

export type LocalServer = {
  readonly url: string;
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly port: number;
  /** Connections so far, whether or not a request came over them. */
  connections(): number;
  close(): Promise<void>;
};

export async function startLocalServer(
  scheme: "http" | "https",
  listener: RequestListener,
  at: { address?: string; port?: number } = {},
): Promise<LocalServer> {
  const server =
    scheme === "http"
      ? createHttpServer(listener)
      : createHttpsServer({ cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY }, listener);
  let connections = 0;
  server.on("connection", () => (connections += 1));
  const address = at.address ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(at.port ?? 0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return {
    url: `${scheme}://${host}`,
    host,
    port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
