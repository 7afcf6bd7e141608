import type { IncomingMessage } from "node:http";
import { request, type Agent } from "node:https";
import type { SandboxServer } from "../../../sandbox/src/server.ts";

export type EdgeAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type EdgeAsk = {
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
};

/** Sends an HTTPS request to the edge for a server name, and checks its certificate against the sandbox's CA. */
export function getFromEdge(
  server: Pick<SandboxServer, "edgePort" | "caCertificatePem">,
  name: string,
  ask: EdgeAsk = {},
): Promise<EdgeAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: server.edgePort,
        servername: name,
        ca: server.caCertificatePem,
        agent: ask.agent ?? false,
        method: ask.method ?? "GET",
        path: ask.path ?? "/",
        headers: { ...ask.headers, host: ask.host ?? name },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(ask.body);
  });
}
