/** Answers of any length, sent in parts: server-sent events, JSON objects one on each line, and files. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { problemOf, toAppError } from "./problems/error-response.ts";
import type { Hold } from "./limits/holds.ts";

/** One server-sent event; `data` is sent as JSON. */
export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: unknown };

/** Proxies close a connection that is silent for a minute. */
const KEEP_ALIVE_MS = 15_000;
const CUT_AFTER_MS = 5_000;
const EVENTS = "text/event-stream";
const LINES_TYPE = "application/x-ndjson";

/** Whether the `Accept` of a request names a media type. A wildcard asks for JSON. */
export function accepts(request: FastifyRequest, mediaType: string): boolean {
  const accepted = (request.headers.accept ?? "").toLowerCase().split(",");
  return accepted.some((type) => type.split(";", 1)[0]?.trim() === mediaType);
}

export const wantsEvents = (request: FastifyRequest): boolean => accepts(request, EVENTS);
export const wantsLines = (request: FastifyRequest): boolean => accepts(request, LINES_TYPE);

/**
 * Sends events (HTML Living Standard, section 9.2) until they end, the client disconnects, or `signal` fires. After an
 * error the connection just ends, and the client reconnects with the id of the last event. If the client has lost its
 * access, the last event is `refused`, and its data is the problem document that a new request would get.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Sending<ServerEvent>,
): Promise<FastifyReply> {
  const { raw } = reply;
  const { signal: refused } = options.hold;
  return await stream(
    request,
    reply,
    { ...options, type: `${EVENTS}; charset=utf-8` },
    async (events, first, ending) => {
      const over = new Promise<IteratorReturnResult<undefined>>((resolve) => {
        ending.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
      });
      raw.flushHeaders();
      const keepAlive = setInterval(() => raw.write(": still here\n\n"), KEEP_ALIVE_MS);
      try {
        for (let next = first; next.done !== true && !ending.aborted;) {
          await write(raw, format(next.value), ending);
          // The read in progress may take long; the end does not wait for it.
          next = await Promise.race([events.next(), over]);
        }
      } finally {
        clearInterval(keepAlive);
        if (refused.aborted) {
          const data = problemOf(toAppError(refused.reason), request);
          raw.write(format({ event: "refused", id: null, data }));
        }
        raw.end();
        // Stopping does not wait for a client that no longer reads.
        const cut = setTimeout(() => raw.destroy(), CUT_AFTER_MS).unref();
        raw.once("close", () => clearTimeout(cut));
      }
    },
  );
}

/** Sends JSON objects, one on each line. */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, ...options }: Sending<readonly unknown[]>,
): Promise<FastifyReply> {
  return await sendParts(request, reply, {
    ...options,
    type: LINES_TYPE,
    open: async function* (signal) {
      for await (const part of open(signal)) yield part.map((one) => `${JSON.stringify(one)}\n`).join("");
    },
  });
}

/**
 * Sends parts of a text until they end. If an error occurs, `signal` fires, or the client has lost its access, the
 * connection is broken off, so that the client does not take a part for the whole.
 */
export async function sendParts(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Sending<string> & { readonly type: string },
): Promise<FastifyReply> {
  const { raw } = reply;
  return await stream(request, reply, options, async (parts, first, ending) => {
    try {
      for (let next = first; next.done !== true && !ending.aborted; next = await parts.next())
        if (next.value !== "") await write(raw, next.value, ending);
      if (!ending.aborted) raw.end();
    } finally {
      if (!raw.writableEnded) raw.destroy();
    }
  });
}

type Sending<Part> = {
  /** Fires when the service stops. */
  readonly signal: AbortSignal;
  readonly hold: Hold;
  readonly open: (signal: AbortSignal) => AsyncIterable<Part>;
};

/**
 * Begins an answer with its first part. An error before that is answered like any other. No part is read after the
 * client disconnected, or faster than the client reads.
 * @param send gets what ends the answer
 */
async function stream<Part>(
  request: FastifyRequest,
  reply: FastifyReply,
  { signal, hold, open, type }: Sending<Part> & { readonly type: string },
  send: (parts: AsyncIterator<Part>, first: IteratorResult<Part>, ending: AbortSignal) => Promise<void>,
): Promise<FastifyReply> {
  const ending = AbortSignal.any([signal, disconnectSignal(reply), hold.signal]);
  const parts = open(ending)[Symbol.asyncIterator]();
  try {
    const first = await parts.next();
    hold.signal.throwIfAborted();
    reply.hijack();
    reply.raw.writeHead(200, {
      "content-type": type,
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-request-id": request.id,
    });
    await send(parts, first, ending).catch((error: unknown) => {
      // The client disconnected while we waited for it.
      if (!ending.aborted) request.log.warn({ err: error, requestId: request.id }, "A stream broke off");
    });
  } finally {
    hold.end();
    void Promise.resolve(parts.return?.()).catch((error: unknown) =>
      request.log.debug({ err: error, requestId: request.id }, "A stream ended with an error"),
    );
  }
  return reply;
}

/** Fires when the client disconnects. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

async function write(raw: ServerResponse, text: string, ending: AbortSignal): Promise<void> {
  if (!raw.write(text)) await once(raw, "drain", { signal: ending });
}

function format({ event, id, data }: ServerEvent): string {
  const lines = [`event: ${event}`, ...(id === null ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return `${lines.join("\n")}\n\n`;
}
