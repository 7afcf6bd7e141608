/** A real receiver of webhooks on loopback. It verifies each delivery with an implementation that is not ours. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The envelope. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of every shape
  readonly event: any;
};

export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** Events, in the order of their arrival, repetitions included. */
  ids(): readonly string[];
  /** How it answers from now on; 204 by default. */
  answer: (received: Received, response: ServerResponse, count: number) => void;
  /** Throws what the independent verifier throws. */
  verify(received: Received, secret: string): void;
  close(): Promise<void>;
};

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const one = { headers: request.headers, text, event: JSON.parse(text) as unknown };
      received.push(one);
      receiver.answer(one, response, received.length);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    ids: () => received.map(({ event }) => (event as { id: string }).id),
    answer: (_received, response) => void response.writeHead(204).end(),
    verify({ headers, text }, secret) {
      new Webhook(secret).verify(text, {
        "webhook-id": String(headers["webhook-id"]),
        "webhook-timestamp": String(headers["webhook-timestamp"]),
        "webhook-signature": String(headers["webhook-signature"]),
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
