import { once } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";

/** One server-sent event; `data` is sent as JSON. */
export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: unknown };

/** Proxies close a connection on which nothing is said for a minute. */
const KEEP_ALIVE_MS = 15_000;

/** Whether a client asks for server-sent events, by name (a wildcard asks for JSON). */
export function wantsEvents(request: FastifyRequest): boolean {
  const accepted = (request.headers.accept ?? "").toLowerCase().split(",");
  return accepted.some((type) => type.split(";", 1)[0]?.trim() === "text/event-stream");
}

/**
 * Sends events (HTML Living Standard, section 9.2) until they end, the client goes, or `signal` fires. What
 * is thrown before the first event is refused like with any other answer; later the connection just ends,
 * and a client takes it up again after the last event's id.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<ServerEvent>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const ending = AbortSignal.any([signal, gone.signal]);
  const events = open(ending)[Symbol.asyncIterator]();
  let next = await events.next();
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
    for (; next.done !== true && !ending.aborted; next = await events.next()) {
      if (!raw.write(format(next.value))) await once(raw, "drain", { signal: ending });
    }
  } catch (error) {
    // The client went while it was waited for.
    if (!ending.aborted)
      request.log.warn({ err: error, requestId: request.id }, "A stream of events broke off");
  } finally {
    clearInterval(keepAlive);
    await events.return?.();
    raw.end();
  }
  return reply;
}

function format({ event, id, data }: ServerEvent): string {
  const lines = [`event: ${event}`, ...(id === null ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return `${lines.join("\n")}\n\n`;
}
