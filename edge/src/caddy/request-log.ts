/** What Caddy says about each request that it forwarded to an origin: a line of JSON, on a connection of loopback. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { AccessEntry } from "../access-log.ts";
import { portOf } from "../edge.ts";

export type RequestLog = { readonly port: number; stop(): void };

type Line = {
  readonly status?: number;
  readonly duration?: number;
  readonly request?: Partial<Readonly<Record<"host" | "remote_ip" | "method" | "uri" | "proto", string>>>;
};

export async function startRequestLog(onRequest: (entry: AccessEntry) => void): Promise<RequestLog> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket }).on("line", (text) => {
      const entry = entryOf(text);
      if (entry !== null) onRequest(entry);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server),
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Null for other lines: another program on this machine can connect too. */
function entryOf(text: string): AccessEntry | null {
  try {
    const { request, status = 0, duration = 0 } = JSON.parse(text) as Line;
    if (typeof request?.host !== "string") return null;
    return {
      host: request.host,
      client: request.remote_ip ?? "",
      method: request.method ?? "",
      // Values of a query may be secrets, such as the code of a sign-in.
      path: (request.uri ?? "").split("?", 1)[0] ?? "",
      protocol: request.proto ?? "",
      // The visitor left before the answer.
      status: status === 0 ? null : status,
      durationMs: Math.round(duration * 1_000),
    };
  } catch {
    return null;
  }
}
