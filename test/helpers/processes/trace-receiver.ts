/** A collector that keeps what it gets: OTLP over HTTP as JSON. https://opentelemetry.io/docs/specs/otlp/#otlphttp */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
};

export type TraceReceiver = {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** Everything received, as it came. */
  readonly bytes: () => Buffer;
  readonly spans: () => readonly ReceivedSpan[];
  stop(): Promise<void>;
};

type Payload = { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] };

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces") received.push(Buffer.concat(chunks));
      response.setHeader("content-type", "application/json").end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => Buffer.concat(received),
    spans: () =>
      received.flatMap((body) =>
        (JSON.parse(body.toString()) as Payload).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
