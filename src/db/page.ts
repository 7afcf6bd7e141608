import { readStatement, type Statement } from "./database.ts";

export const ORDERS = ["asc", "desc"] as const;
type Order = (typeof ORDERS)[number];

/**
 * What a store needs to read one page: the rows after this key, and one more than asked, to see whether more follow.
 */
export type Page = { readonly limit: number; readonly after: string | null; readonly order: Order };

/** All rows at once, oldest first, for callers that do not page. */
export function firstRows(limit: number): Page {
  return { limit, after: null, order: "asc" };
}

/**
 * One list in both orders. `text` gets the comparison with the previous page's key, and the direction. Each order has
 * its own statement, because an index serves one direction of a plan.
 */
export function pagedStatement<Row>(
  name: string,
  text: (after: ">" | "<", direction: "ASC" | "DESC") => string,
  make: typeof readStatement = readStatement,
): Readonly<Record<Order, Statement<Row>>> {
  return {
    asc: make<Row>(name, text(">", "ASC")),
    desc: make<Row>(`${name}_desc`, text("<", "DESC")),
  };
}

/** The id after which a page begins. Without a cursor, an id that precedes all others in the page's order. */
export function idBefore({ after, order }: Page): string {
  return after ?? (order === "asc" ? "" : "zzzz");
}
