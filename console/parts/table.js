/** @import { Child } from "../dom.js" */
/** @import { Page } from "../api-types.ts" */
import { h } from "../dom.js";
import { button } from "./page.js";
import { problemBox, toProblem } from "./problem.js";

/**
 * @template T
 * @typedef {{ readonly label: string, readonly cell: (row: T) => Child | readonly Child[] }} Column
 */

/**
 * A table whose rows become cards on a narrow screen, where each cell is labelled with its column.
 * @template T
 * @param {string} caption For screen readers.
 * @param {readonly Column<T>[]} columns
 * @param {readonly T[]} rows
 * @param {(row: T) => Child} [note] Shown below a row, across its whole width.
 */
export function makeTable(caption, columns, rows, note = () => null) {
  const body = h("tbody", {});
  for (const row of rows) {
    const below = note(row);
    body.append(makeTableRow(columns, row));
    if (below) body.append(h("tr", { class: "note-row" }, h("td", { colspan: columns.length }, below)));
  }
  const head = columns.map(({ label }) => h("th", { scope: "col" }, label));
  const table = h(
    "table",
    {},
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, head)),
    body,
  );
  return { table, body };
}

/**
 * @template T
 * @param {readonly Column<T>[]} columns
 * @param {T} row
 */
function makeTableRow(columns, row) {
  return h(
    "tr",
    {},
    columns.map(({ label, cell }) => h("td", { "data-label": label }, cell(row))),
  );
}

/**
 * A list of the API, loaded page by page.
 * @template T
 * @param {{
 *   caption: string, columns: readonly Column<T>[],
 *   load: (cursor: string | null) => Promise<Page<T>>,
 *   first: Page<T>, empty: Child,
 * }} options
 */
export function pagedTable({ caption, columns, load, first, empty }) {
  if (first.items.length === 0) return h("div", {}, empty);
  const { table, body } = makeTable(caption, columns, first.items);
  const foot = h("div", { class: "more" });
  let { nextCursor } = first;
  const showFoot = () => {
    foot.replaceChildren();
    if (nextCursor !== null) foot.append(button("Show more", more));
  };
  const more = async () => {
    try {
      const page = await load(nextCursor);
      nextCursor = page.nextCursor;
      body.append(...page.items.map((row) => makeTableRow(columns, row)));
      showFoot();
    } catch (error) {
      foot.append(problemBox(toProblem(error)));
    }
  };
  showFoot();
  return h("div", { class: "table" }, table, foot);
}
