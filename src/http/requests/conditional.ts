import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Changes, Subscription } from "../../db/changes.ts";
import type { Hold } from "../limits/holds.ts";
import { compressFor } from "../compressed.ts";
import { disconnectSignal } from "../streams.ts";
import { COMMON_FAULTS, invalidRequest } from "../../lib/errors.ts";

const LONGEST_WAIT_SECONDS = 60;
/** How long a lost message delays a waiting reader at most. */
const LOOK_AGAIN_MS = 5_000;

/** The current answer to a read, and the ids whose changes may change it (null: waiting is not possible). */
export type Rendering = {
  /** Encoded once, for the tag and for the connection. */
  readonly body: Buffer;
  readonly etag: string;
  /** Whether a waiting client gets no such answer; null: whether it has it already. */
  readonly isHeld: boolean | null;
  readonly watch: (() => Promise<readonly string[]>) | null;
};

/**
 * Answers a read with its ETag, or with 304 if the client has it already (RFC 9110, section 13). With `Prefer: wait=N`
 * (RFC 7240) it answers when the resource has changed, the time has passed, or the service is shutting down.
 */
export async function sendConditionally(options: {
  request: FastifyRequest;
  reply: FastifyReply;
  render: () => Promise<Rendering>;
  changes: Changes;
  draining: AbortSignal;
  /** Called before the request is held. */
  hold: () => Hold;
}): Promise<FastifyReply> {
  const { request, reply, render, changes, draining } = options;
  const known = request.headers["if-none-match"];
  const waitSeconds = readWaitSeconds(request.headers.prefer);
  const first = await render();
  const { watch } = first;
  let answer = first;

  if (waitSeconds > 0 && watch !== null) {
    reply.header("preference-applied", `wait=${waitSeconds}`);
    const hasAlready = known === undefined ? (etag: string) => etag === first.etag : isKnown(known);
    const hold = options.hold();
    try {
      answer = await waitForNews({
        deadline: Date.now() + waitSeconds * 1_000,
        isOld: (now) => now.isHeld ?? hasAlready(now.etag),
        render,
        first,
        subscription: changes.subscribe(await watch()),
        signal: AbortSignal.any([draining, disconnectSignal(reply), hold.signal]),
      });
      hold.signal.throwIfAborted();
    } finally {
      hold.end();
    }
  }

  const { body, etag } = answer;
  reply.header("etag", etag).header("cache-control", "private, no-cache");
  if (known !== undefined && isKnown(known)(etag)) return reply.code(304).send();
  reply.code(200).type("application/json; charset=utf-8");
  const smaller = await compressFor(request, body);
  if (smaller === null) return reply.send(body);
  return reply.header("content-encoding", "gzip").header("vary", "accept-encoding").send(smaller);
}

/** The first answer that differs from the client's, or the last one read. */
async function waitForNews(options: {
  deadline: number;
  isOld: (rendering: Rendering) => boolean;
  render: () => Promise<Rendering>;
  first: Rendering;
  subscription: Subscription;
  signal: AbortSignal;
}): Promise<Rendering> {
  const { deadline, isOld, render, subscription, signal } = options;
  let now = options.first;
  try {
    // A change between the first read and the subscription caused no notification, so read again.
    if (isOld(now)) now = await render();
    for (;;) {
      const leftMs = deadline - Date.now();
      if (!isOld(now) || leftMs <= 0 || signal.aborted) return now;
      await subscription.next(Math.min(leftMs, LOOK_AGAIN_MS), signal);
      if (!signal.aborted) now = await render();
    }
  } finally {
    subscription.close();
  }
}

/** @param guarded what If-Match is compared with; null: the whole body */
export function etagOf(body: Buffer, guarded: string | null): string {
  const whole = hash("sha1", body, "base64url");
  return guarded === null ? `"${whole}"` : `"${hash("sha1", guarded, "base64url")}.${whole}"`;
}

/** The part of an ETag that If-Match is compared with. */
const guardOf = (etag: string): string => etag.replace(/[.].*(?=")/, "");

/**
 * The tags of an If-Match, for strong comparison (RFC 9110, section 13.1.1): a weak one matches nothing. Null without
 * one. @throws AppError `INVALID_REQUEST`
 */
export function readIfMatch(header: string | undefined): ((etag: string) => boolean) | null {
  if (header === undefined) return null;
  if (header.trim() === "*") return () => true;
  const parts = [...header.matchAll(/\s*(?:(?:W\/)?"[!#-~\u0080-\u00ff]*"\s*)?(?:,|$)/gy)].map(
    ([part]) => part,
  );
  const tags = parts.map((part) => part.replace(/,$/, "").trim()).filter((tag) => tag !== "");
  if (parts.join("") === header && tags.length > 0)
    return (etag) => tags.some((tag) => guardOf(tag) === guardOf(etag));
  const message = 'must be "*", or a comma-separated list of quoted ETags as GET returns them';
  throw invalidRequest([{ path: "headers/if-match", code: COMMON_FAULTS.WRONG_FORM.code, message }]);
}

/** Weak comparison with the tags of an If-None-Match, as for GET (RFC 9110, section 8.8.3.2). */
function isKnown(header: string): (etag: string) => boolean {
  const tags = new Set(header.split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  return (etag) => tags.has("*") || tags.has(etag);
}

/** `wait` of a Prefer header, at most a minute; 0 without one. */
function readWaitSeconds(header: string | readonly string[] | undefined): number {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,5})"?(?:$|[,;\s])/i.exec(text);
  return Math.min(LONGEST_WAIT_SECONDS, Number(match?.[1] ?? 0));
}
