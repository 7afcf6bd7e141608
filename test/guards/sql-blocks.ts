/**
 * SQL as far as the guards have to understand it: the queries that a statement consists of, the tables that each names,
 * and whether it says on which node their rows are.
 */
import { TABLES } from "../../src/db/tables.ts";

/** One query: its own text, where each query inside it is `(?)`. */
export type Block = { readonly text: string };

/** The queries of a statement, each separately, and each part of a union. Texts in quotes are left out. */
export function blocksOf(statement: string): readonly Block[] {
  const found: Block[] = [];
  const text = statement.replaceAll(/--.*$/gm, "").replaceAll(/'(?:[^']|'')*'/g, "''");
  // From the innermost bracket outwards.
  const read = (from: number): { own: string; end: number } => {
    let own = "";
    let at = from;
    while (at < text.length && text[at] !== ")") {
      if (text[at] !== "(") {
        own += text[at];
        at += 1;
        continue;
      }
      const inner = read(at + 1);
      at = inner.end + 1;
      if (/^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(inner.own)) {
        add(inner.own);
        own += "(?)";
      } else own += `(${inner.own})`;
    }
    return { own, end: at };
  };
  const add = (own: string): void => {
    for (const part of own.split(/\bUNION(?: ALL)?\b/))
      found.push({ text: part.replaceAll(/\s+/g, " ").trim() });
  };
  add(read(0).own);
  return found;
}

export type TableOfBlock = { readonly table: string; readonly alias: string; readonly column: string };

const NO_ALIAS = new Set(
  "WHERE SET ON JOIN LEFT CROSS INNER ORDER USING FROM SELECT VALUES LIMIT GROUP RETURNING FOR AS".split(" "),
);

/** The distributed tables that a query names, each with its alias and the column that it is distributed by. */
export function tablesOf({ text }: Block): readonly TableOfBlock[] {
  const found: TableOfBlock[] = [];
  const note = (table: string, alias: string | undefined): void => {
    const column = TABLES[table] ?? null;
    if (column !== null)
      found.push({
        table,
        alias: alias === undefined || NO_ALIAS.has(alias.toUpperCase()) ? table : alias,
        column,
      });
  };
  for (const [, table = "", alias] of text.matchAll(
    /\b(?:FROM|JOIN|UPDATE|USING|INTO) (\w+)(?: (?:AS )?(\w+))?/g,
  ))
    note(table, alias);
  for (const [, list = ""] of text.matchAll(/\bFROM (.*?)(?:\bWHERE\b|\bORDER\b|\bGROUP\b|\bRETURNING\b|$)/g))
    for (const [, table = "", alias] of list.matchAll(/, (\w+)(?: (?:AS )?(\w+))?/g)) note(table, alias);
  return found;
}

/** Those tables of a query whose rows may be on any node: nothing in the query itself says which. */
export function spreadTablesOf(block: Block): readonly string[] {
  const { text } = block;
  const tables = tablesOf(block);
  const isNamed = ({ table, alias, column }: TableOfBlock): boolean =>
    new RegExp(`(?:\\b${alias}\\.|(?<![.\\w]))${column} = \\$\\d`).test(text) ||
    new RegExp(`INSERT INTO ${table}(?: AS \\w+)? \\([^)]*\\b${column}\\b`).test(text);
  const named = tables.filter(isNamed);
  const isJoined = ({ alias, column }: TableOfBlock): boolean =>
    named.some(
      (other) =>
        text.includes(`${alias}.${column} = ${other.alias}.${other.column}`) ||
        text.includes(`${other.alias}.${other.column} = ${alias}.${column}`),
    );
  return tables.filter((one) => !named.includes(one) && !isJoined(one)).map(({ table }) => table);
}
