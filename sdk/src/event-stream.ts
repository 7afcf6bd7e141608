/** Server-sent events (HTML Living Standard, section 9.2), resumed after the last one when the connection breaks. */
import { ApiError, ConnectionError } from "./errors.ts";
import { backoffMs, isPassing } from "./retry.ts";
import type { Call, CallOptions, Transport } from "./transport.ts";

/** The server sends a comment every 15 seconds, so a silent connection is a broken one. */
const SILENCE_MS = 45_000;

export type StreamOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Continues after the event with this id. */
  readonly lastEventId?: string | undefined;
};

/** One event, with `data` as text. */
export type Block = { readonly event: string; readonly id: string | null; readonly data: string };

/**
 * Yields live events until the server sends `end` or the caller stops. If the connection breaks, it is opened again and
 * continues after the last event, so each event is yielded once. Ends with an error if the key may no longer read them.
 * @param batched kinds of which several are sent with one id, that of the last. They are given when it has come, since a
 *   new connection begins with the first of them.
 */
export async function* stream<E extends { readonly event: string }>(
  transport: Transport,
  call: Call,
  options: StreamOptions,
  batched: ReadonlySet<string>,
): AsyncGenerator<E, void> {
  const { signal } = options;
  let lastId = options.lastEventId ?? null;
  let hasBegun = false;
  for (let failures = 0; ; failures += 1) {
    try {
      const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
      const blocks = readBlocks(transport, call, { signal, headers }, () => (hasBegun = true));
      let batch: E[] = [];
      for await (const { event, id, data } of blocks) {
        failures = 0;
        const made = { event, ...(id === null ? {} : { id }), data: parse(data) };
        if (event === "refused") throw refusal(made.data);
        batch.push(made as object as E);
        if (batched.has(event) && id === null) continue;
        lastId = id ?? lastId;
        yield* batch;
        batch = [];
        if (event === "end") return;
      }
    } catch (error) {
      if (!hasBegun || !isPassing(error)) throw error;
    }
    await transport.pause(backoffMs(failures, Math.random()), signal);
  }
}

/** The events of one connection, as text. @param onOpen called when the server has begun to answer */
export async function* readBlocks(
  transport: Transport,
  call: Call,
  options: CallOptions,
  onOpen?: () => void,
): AsyncGenerator<Block, void> {
  const headers = { ...options.headers, accept: "text/event-stream" };
  const { response, limit } = await transport.open(call, { ...options, headers });
  onOpen?.();
  const type = response.headers.get("content-type") ?? "";
  const reader = response.body?.getReader();
  const parser = createParser();
  const decoder = new TextDecoder();
  try {
    if (reader === undefined || !type.startsWith("text/event-stream"))
      throw new ConnectionError(
        `The answer is not a stream of events, but ${type}. Is url the address of Slipway?`,
      );
    for (;;) {
      limit.arm(SILENCE_MS);
      const { value, done } = await reader.read();
      if (done) return;
      yield* parser(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    throw transport.errorOf(error, limit);
  } finally {
    // Also when the caller stops in the middle: the connection must not stay open.
    limit.abort();
  }
}

/** A function that gets text in pieces, and gives the events that have come whole. */
export function createParser(): (text: string) => readonly Block[] {
  let rest = "";
  let fields = new Map<string, string[]>();
  return (text) => {
    const blocks: Block[] = [];
    // A line may end with CR, and its LF may come with the next piece.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        const [, name = "", value = ""] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
        fields.set(name, [...(fields.get(name) ?? []), value]);
        continue;
      }
      const [event, id, data] = ["event", "id", "data"].map((one) => fields.get(one));
      fields = new Map();
      if (data === undefined) continue;
      blocks.push({ event: event?.at(-1) ?? "message", id: id?.at(-1) ?? null, data: data.join("\n") });
    }
    return blocks;
  };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ConnectionError("An event of the stream is not JSON.", { cause });
  }
}

function refusal(problem: unknown): ApiError {
  const said = problem as Readonly<Record<string, unknown>>;
  return new ApiError(Number(said["status"]), said, { requestId: null, retryAfter: null });
}
