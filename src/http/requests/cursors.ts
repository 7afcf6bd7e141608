import type { Actor } from "../../lib/actor.ts";
import { AppError, COMMON_FAULTS } from "../../lib/errors.ts";
import { member } from "../../lib/json/is-object.ts";
import { HTTP_ERRORS } from "../errors.ts";
import type { Fingerprint, TakenFingerprint } from "../../sealing/fingerprint.ts";

/** What a cursor belongs to: an organization, a list, its order and its filters. */
export type CursorScope = readonly string[];

export interface Cursors {
  /** The cursor for a place in a list. */
  make(scope: CursorScope, place: string): string;
  /**
   * The place that a cursor names. @param where the field of the request that holds it @throws AppError
   * `INVALID_CURSOR` when `make` did not make it for this scope
   */
  open(scope: CursorScope, cursor: string, where: string): Promise<string>;
}

/** Half of an HMAC-SHA-256, in base64url. */
const TAG_CHARACTERS = 22;

/**
 * A cursor holds the place where a page ended, and a tag that binds it to its list. The tag is made with a key of the
 * installation, so its processes accept each other's cursors, and only they can make cursors.
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
      // Not a constant-time comparison: the tag is not a secret, because every reader of the list sees it.
      if (await taken(scope, place).matches((tag) => cursor === write(tag, place))) return place;
      const message =
        "is not a cursor of this list with this order and these filters; omit it to start again";
      throw new AppError(HTTP_ERRORS.INVALID_CURSOR, `${where}: ${message}.`, {
        faults: [{ path: where, code: COMMON_FAULTS.INVALID.code, message }],
      });
    },
  };
}

/** The scope of a read's cursors: the organization, the list, and its filters and order. */
export function cursorScopeOf(
  { organizationId }: Actor,
  path: string,
  request: { readonly params: unknown; readonly query: unknown },
): CursorScope {
  const params = Object.entries(request.params as object);
  const filters = Object.entries(request.query as object).filter(
    ([name]) => name !== "limit" && name !== "cursor",
  );
  const named = [...params, ...filters].map(([name, value]) => `${name}=${String(value)}`);
  return [organizationId, path, ...named.toSorted()];
}

/** The value with the cursor in this field converted, if there is one. */
export function withCursor<T>(value: T, field: string, convert: (cursor: string) => string): T {
  const cursor = member(value, field);
  return typeof cursor === "string" ? { ...value, [field]: convert(cursor) } : value;
}
