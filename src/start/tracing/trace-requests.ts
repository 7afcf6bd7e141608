import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import type { OpenTracing, RootOfRequest } from "./open-tracing.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export type TracedRequests = {
  readonly around: (handle: Handle) => Handle;
  /** Ends a request's span. Call it when the request has been answered. */
  readonly onServed: (request: FastifyRequest, status: number) => void;
};

/** A span for each request, by its route's pattern: its address, headers and body are in none. */
export function traceRequests(
  tracing: OpenTracing,
  /** Whether the sender's `traceparent` counts; it decides whether the request is sampled. */
  isTrusted: (address: string | undefined) => boolean,
): TracedRequests {
  const open = new WeakMap<IncomingMessage, RootOfRequest>();
  return {
    around: (handle) => (request, response) => {
      const { traceparent } = request.headers;
      const trace =
        typeof traceparent === "string" && isTrusted(request.socket.remoteAddress) ? traceparent : null;
      const span = tracing.beginRoot({ name: "request", kind: "server", trace, facts: {} });
      if (span === null) {
        handle(request, response);
        return;
      }
      open.set(request, span);
      span.run(() => handle(request, response));
    },
    onServed(request, status) {
      const span = open.get(request.raw);
      if (span === undefined) return;
      open.delete(request.raw);
      const route = request.routeOptions.url ?? "unknown";
      const { method, id, actor } = request;
      const facts = {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        "slipway.request.id": id,
        ...(actor === null ? {} : { "slipway.organization.id": actor.organizationId }),
      };
      span.end(`${method} ${route}`, facts, status >= 500);
    },
  };
}
