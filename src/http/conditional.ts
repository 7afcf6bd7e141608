import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Changes } from "../db/changes.ts";

const LONGEST_WAIT_SECONDS = 60;
/** A lost message delays a waiting reader by so much at most. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Answers a read with its ETag: 304 where the client has it already (RFC 9110, section 13), and with
 * `Prefer: wait=N` (RFC 7240) only when it has changed or the time is over.
 */
export async function sendConditionally(options: {
  request: FastifyRequest;
  reply: FastifyReply;
  render: () => Promise<string>;
  /** Ids to wait for; null where the route has none. */
  watched: readonly string[] | null;
  changes: Changes;
}): Promise<FastifyReply> {
  const { request, reply, render, watched, changes } = options;
  const known = request.headers["if-none-match"];
  const waitMs = watched === null ? 0 : readWaitSeconds(request.headers.prefer) * 1_000;
  let text = await render();
  let etag = etagOf(text);

  if (waitMs > 0) {
    reply.header("preference-applied", "wait");
    const isOld = known === undefined ? isSame(etag) : (now: string) => matches(known, now);
    const deadline = Date.now() + waitMs;
    const gone = new AbortController();
    request.raw.once("close", () => gone.abort());
    for (let left = waitMs; isOld(etag) && left > 0 && !gone.signal.aborted; left = deadline - Date.now()) {
      await changes.wait(watched ?? [], Math.min(left, LOOK_AGAIN_MS), gone.signal);
      text = await render();
      etag = etagOf(text);
    }
  }

  reply.header("etag", etag).header("cache-control", "private, no-cache");
  if (known !== undefined && matches(known, etag)) return reply.code(304).send();
  return reply.code(200).type("application/json; charset=utf-8").serializer(String).send(text);
}

function isSame(first: string): (now: string) => boolean {
  return (now) => now === first;
}

function etagOf(text: string): string {
  return `"${createHash("sha1").update(text).digest("base64url")}"`;
}

/** Weak comparison, as for GET (RFC 9110, section 8.8.3.2). */
function matches(header: string, etag: string): boolean {
  return header.split(",").some((candidate) => {
    const trimmed = candidate.trim();
    return trimmed === "*" || trimmed.replace(/^W\//, "") === etag;
  });
}

/** `wait` of a Prefer header, at most a minute; 0 without one. */
export function readWaitSeconds(header: string | readonly string[] | undefined): number {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,5})"?(?:$|[,;\s])/i.exec(text);
  return Math.min(LONGEST_WAIT_SECONDS, Number(match?.[1] ?? 0));
}
