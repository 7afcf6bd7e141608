import { readStatement, type Statement } from "./database.ts";

export const ORDERS = ["asc", "desc"] as const;
type Order = (typeof ORDERS)[number];

/** What a store needs for one page: rows after this key, one more than asked, to know whether more follow. */
export type Page = { readonly limit: number; readonly after: string | null; readonly order: Order };

/** All rows at once, oldest first, for who pages through nothing. */
export function firstRows(limit: number): Page {
  return { limit, after: null, order: "asc" };
}

/**
 * One list in both orders. `text` gets the comparison with the key of the page before, and the direction; each order
 * has a statement of its own, for an index serves one direction of a plan.
 */
export function pagedStatement<Row>(
  name: string,
  text: (after: ">" | "<", direction: "ASC" | "DESC") => string,
): Readonly<Record<Order, Statement<Row>>> {
  return {
    asc: readStatement<Row>(name, text(">", "ASC")),
    desc: readStatement<Row>(`${name}_desc`, text("<", "DESC")),
  };
}

/** The id that a page begins after; without a cursor one that every id comes after, in the page's order. */
export function idBefore({ after, order }: Page): string {
  return after ?? (order === "asc" ? "" : "zzzz");
}
