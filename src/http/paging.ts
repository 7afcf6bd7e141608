import { type TArray, type TSchema, type TUnsafe, Type } from "typebox";
import type { Page } from "../db/page.ts";
import { Defaulted } from "./schemas.ts";
import { invalidRequest } from "./validation.ts";

export const PAGE_QUERY = {
  limit: Defaulted(
    Type.Integer({ minimum: 1, maximum: 100, default: 25, description: "How many to return." }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 400, description: "The `nextCursor` of the page before." }),
  ),
};

/** The envelope of a list: `{<plural>: […], nextCursor}`. */
export function ListOf<const K extends string, T extends TSchema>(plural: K, item: T) {
  const nextCursor: TUnsafe<string | null> = Type.Unsafe({
    type: ["string", "null"],
    description: "Give it as `cursor` to get the next page; null on the last.",
  });
  const properties = { [plural]: Type.Array(item), nextCursor };
  return Type.Object(properties as Record<K, TArray<T>> & { nextCursor: TUnsafe<string | null> });
}

/** Reads `limit` and `cursor`. @throws AppError `INVALID_REQUEST` for a cursor that is not one of ours */
export function readPage(query: { limit: number; cursor?: string }): Page {
  return { limit: query.limit, after: query.cursor === undefined ? null : decodeCursor(query.cursor) };
}

/**
 * Cuts the extra row off and names the next page. `keyOf` gives what the store orders by: an id, or a
 * name for lists that are ordered by it.
 */
export function makePage<T>(
  rows: readonly T[],
  page: Page,
  keyOf: (row: T) => string,
): { items: readonly T[]; nextCursor: string | null } {
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > page.limit && last !== undefined ? encodeCursor(keyOf(last)) : null,
  };
}

function encodeCursor(key: string): string {
  return Buffer.from(key).toString("base64url");
}

function decodeCursor(cursor: string): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (/^[\x21-\x7e]+$/.test(key) && encodeCursor(key) === cursor) return key;
  throw invalidRequest([
    { path: "query/cursor", code: "INVALID", message: "is not a nextCursor of this list" },
  ]);
}
