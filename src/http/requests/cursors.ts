import type { FastifyRequest } from "fastify";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import type { Fingerprint, TakenFingerprint } from "../../sealing/fingerprint.ts";

/** What a cursor belongs to: an organization, a list, its order and its filters. */
export type CursorScope = readonly string[];

export interface Cursors {
  /** The text that a client gets for a place in a list. */
  make(scope: CursorScope, place: string): string;
  /** The place. @param where the client put it @throws AppError `INVALID_CURSOR` when `make` did not make it for this scope */
  open(scope: CursorScope, cursor: string, where: string): Promise<string>;
}

/** Half of an HMAC-SHA-256, in base64url. */
const TAG_CHARACTERS = 22;

/**
 * Cursors carry the place where a page ended, and a tag by one of the installation's keys that binds it to its list: every
 * process knows its own cursors, whoever made them, and nobody else makes any.
 */
export function createCursors(fingerprint: Fingerprint): Cursors {
  const write = (tag: string, place: string): string =>
    tag.slice(0, TAG_CHARACTERS) + Buffer.from(place).toString("base64url");
  const taken = (scope: CursorScope, place: string): TakenFingerprint =>
    fingerprint(["cursor", place, ...scope]);
  return {
    make: (scope, place) => write(taken(scope, place).current(), place),
    async open(scope, cursor, where) {
      const place = Buffer.from(cursor.slice(TAG_CHARACTERS), "base64url").toString();
      // No time is compared that could tell a secret: the tag of a place is shown to whoever reads the list.
      if (await taken(scope, place).matches((tag) => cursor === write(tag, place))) return place;
      const message =
        "is no cursor of this list with this order and these filters; leave it out to begin again";
      throw new AppError("INVALID_CURSOR", `${where}: ${message}.`, {
        faults: [{ path: where, code: "INVALID", message }],
      });
    },
  };
}

/** What a read's cursors belong to: whose list it is, which one, and what narrows or orders it. */
export function cursorScopeOf({ organizationId }: Actor, path: string, request: FastifyRequest): CursorScope {
  const params = Object.entries(request.params as object);
  const filters = Object.entries(request.query as object).filter(
    ([name]) => name !== "limit" && name !== "cursor",
  );
  const named = [...params, ...filters].map(([name, value]) => `${name}=${String(value)}`);
  return [organizationId, path, ...named.toSorted()];
}

/** The same, with the cursor that is in a field of it, if there is one, in another form. */
export function withCursor<T>(value: T, field: string, convert: (cursor: string) => string): T {
  const cursor: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : null;
  return typeof cursor === "string" ? { ...value, [field]: convert(cursor) } : value;
}
