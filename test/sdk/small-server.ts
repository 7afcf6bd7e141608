/** A small HTTP server that answers as a test says, and remembers what it was sent. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Slipway } from "../../sdk/src/index.ts";
import type { ClientOptions } from "../../sdk/src/index.ts";

export const TOKEN = "slipway_secret-token-0123456789";

export type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type SmallServer = {
  readonly url: string;
  readonly sent: Sent[];
  /** What answers: the last one given, with the number of requests before. */
  answer: (response: ServerResponse, sent: Sent, before: number) => void;
  client(options?: Partial<ClientOptions>): Slipway;
  close(): Promise<void>;
};

export async function startSmallServer(): Promise<SmallServer> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => void take(request, response));
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    sent.push(one);
    small.answer(response, one, sent.length - 1);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const small: SmallServer = {
    url,
    sent,
    answer: (response) => json(response, 200, {}),
    client: (options) => new Slipway({ url, token: TOKEN, ...options }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return small;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A problem document, with the headers of a refusal. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  const problem = { type: "", title: code, status, detail: `It is ${code}.`, code, requestId: "req-1" };
  json(response, status, problem, { "x-request-id": "req-1", ...headers });
}
