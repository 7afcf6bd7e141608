import { type Static, type TArray, type TObject, type TSchema, type TUnsafe, Type } from "typebox";
import { ORDERS, type Page } from "../../db/page.ts";
import { Defaulted, Words } from "../schemas.ts";

export const PAGE_QUERY = {
  limit: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 25,
      description: "The maximum number of items to return.",
    }),
  ),
  order: Defaulted(
    Words(ORDERS, {
      title: "ListOrder",
      default: "asc",
      description: "`asc`: in order of creation. `desc`: newest first.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 400,
      description: "The `nextCursor` of the previous page. Keep all other parameters except `limit`.",
    }),
  ),
};

/** The envelope of a list: `{<plural>: […], nextCursor}`. */
export function ListOf<const K extends string, T extends TSchema>(plural: K, item: T) {
  const nextCursor: TUnsafe<string | null> = Type.Unsafe({
    type: ["string", "null"],
    description: "Pass it as `cursor` to get the next page. Null on the last page.",
    examples: [null],
  });
  const items = Type.Array(item, { description: "At most `limit` items, in the order of the list." });
  const properties = { [plural]: items, nextCursor };
  const { title } = item as { title?: string };
  return Type.Object(
    properties as Record<K, TArray<T>> & { nextCursor: TUnsafe<string | null> },
    title === undefined ? {} : { title: `${title}List`, description: "One page of the list." },
  );
}

/** Reads what `PAGE_QUERY` describes; `http.read` has opened the cursor. */
export function readPage({ limit, order, cursor }: Static<TObject<typeof PAGE_QUERY>>): Page {
  return { limit, order, after: cursor ?? null };
}

/**
 * Cuts off the extra row and names the next page. `keyOf` gives the value that the store orders by: an id, or a name.
 * `http.read` makes a cursor of it.
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
    nextCursor: rows.length > page.limit && last !== undefined ? keyOf(last) : null,
  };
}
