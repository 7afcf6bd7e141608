/** Answers with text of any length, in parts: JSON objects, one on each line (`application/x-ndjson`), and files. */
import { once } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accepts } from "./event-stream.ts";
import type { Hold } from "./limits/holds.ts";

export const LINES_TYPE = "application/x-ndjson";

/** Whether a client asks for lines, by name (a wildcard asks for one JSON document). */
export function wantsLines(request: FastifyRequest): boolean {
  return accepts(request, LINES_TYPE);
}

/** Sends JSON objects, one on each line. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    open,
    ...options
  }: Sending & { readonly open: (signal: AbortSignal) => AsyncIterable<readonly unknown[]> },
): Promise<FastifyReply> {
  return await sendParts(request, reply, {
    ...options,
    type: LINES_TYPE,
    open: async function* (signal) {
      for await (const part of open(signal)) yield part.map((one) => `${JSON.stringify(one)}\n`).join("");
    },
  });
}

type Sending = { readonly signal: AbortSignal; readonly hold: Hold };

/**
 * Sends parts of a text until they end. An error before the first part is answered like any other. If a later error
 * occurs, `signal` fires, or the client has lost its access, the connection is broken off, so that the client does not
 * take a part for the whole. No part is read after the client disconnected, or faster than the client reads.
 */
export async function sendParts(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Sending & {
    /** The media type. */
    readonly type: string;
    readonly open: (signal: AbortSignal) => AsyncIterable<string>;
  },
): Promise<FastifyReply> {
  const { hold } = options;
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const ending = AbortSignal.any([options.signal, gone.signal, hold.signal]);
  const parts = options.open(ending)[Symbol.asyncIterator]();
  try {
    let next = await parts.next();
    hold.signal.throwIfAborted();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      "content-type": options.type,
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-request-id": request.id,
    });
    try {
      for (; next.done !== true && !ending.aborted; next = await parts.next()) {
        if (next.value !== "" && !raw.write(next.value)) await once(raw, "drain", { signal: ending });
      }
      if (ending.aborted) raw.destroy();
      else raw.end();
    } catch (error) {
      raw.destroy();
      // The client disconnected while we waited for it.
      if (!ending.aborted)
        request.log.warn({ err: error, requestId: request.id }, "A stream of text broke off");
    }
  } finally {
    hold.end();
    await parts.return?.();
  }
  return reply;
}
