import { once } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import { problemOf, toAppError } from "./problems/error-response.ts";
import type { Hold } from "./limits/holds.ts";

/** One server-sent event; `data` is sent as JSON. */
export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: unknown };

/** Proxies close a connection that is silent for a minute. */
const KEEP_ALIVE_MS = 15_000;
const CUT_AFTER_MS = 5_000;

/** Whether a client asks for server-sent events, by name (a wildcard asks for JSON). */
export function wantsEvents(request: FastifyRequest): boolean {
  return accepts(request, "text/event-stream");
}

/** Whether the `Accept` of a request names a media type. */
export function accepts(request: FastifyRequest, mediaType: string): boolean {
  const accepted = (request.headers.accept ?? "").toLowerCase().split(",");
  return accepted.some((type) => type.split(";", 1)[0]?.trim() === mediaType);
}

/**
 * Sends events (HTML Living Standard, section 9.2) until they end, the client disconnects, or `signal` fires. An error
 * before the first event is answered like any other. After that, the connection just ends, and the client reconnects
 * with the id of the last event. If the client has lost its access, the last event is `refused`, and its data is the
 * problem document that a new request would get.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  options: {
    readonly signal: AbortSignal;
    readonly hold: Hold;
    readonly open: (signal: AbortSignal) => AsyncIterable<ServerEvent>;
  },
): Promise<FastifyReply> {
  const { hold } = options;
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const ending = AbortSignal.any([options.signal, gone.signal, hold.signal]);
  const over = new Promise<IteratorReturnResult<undefined>>((resolve) => {
    ending.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
  });
  const events = options.open(ending)[Symbol.asyncIterator]();
  try {
    // An error before the first event is answered with a status.
    let next = await events.next();
    hold.signal.throwIfAborted();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-request-id": request.id,
    });
    raw.flushHeaders();
    const keepAlive = setInterval(() => raw.write(": still here\n\n"), KEEP_ALIVE_MS);
    try {
      while (next.done !== true && !ending.aborted) {
        if (!raw.write(format(next.value))) await once(raw, "drain", { signal: ending });
        // The read in progress may take long; the end does not wait for it.
        next = await Promise.race([events.next(), over]);
      }
    } catch (error) {
      // The client disconnected while we waited for it.
      if (!ending.aborted)
        request.log.warn({ err: error, requestId: request.id }, "A stream of events broke off");
    } finally {
      clearInterval(keepAlive);
      if (hold.signal.aborted)
        raw.write(
          format({ event: "refused", id: null, data: problemOf(toAppError(hold.signal.reason), request) }),
        );
      raw.end();
      // Stopping does not wait for a client that no longer reads.
      const cut = setTimeout(() => raw.destroy(), CUT_AFTER_MS).unref();
      raw.once("close", () => clearTimeout(cut));
    }
  } finally {
    hold.end();
    void Promise.resolve(events.return?.()).catch((error: unknown) =>
      request.log.debug({ err: error, requestId: request.id }, "A stream of events ended with an error"),
    );
  }
  return reply;
}

function format({ event, id, data }: ServerEvent): string {
  const lines = [`event: ${event}`, ...(id === null ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return `${lines.join("\n")}\n\n`;
}
