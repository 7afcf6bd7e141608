import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderTable } from "./text-table.ts";

type Row = { readonly id: string; readonly says: string };
const COLUMNS = [
  { title: "id", of: ({ id }: Row) => id },
  { title: "last error", of: ({ says }: Row) => says, isProse: true as const },
];
const ROWS = [
  { id: "dom_01kahxv3n8r5m2t9x7c4p6a1je", says: "There is no CNAME record at www.example.com." },
  { id: "dom_2", says: "" },
];

describe("a table", () => {
  it("is cut in its prose to fit a terminal", () => {
    for (const line of renderTable(ROWS, COLUMNS, 60).split("\n")) assert.ok(line.length <= 60, line);
    assert.match(renderTable(ROWS, COLUMNS, 60), /There is no CNAME record.*…$/m);
  });

  it("never cuts an id, however narrow the terminal", () => {
    assert.match(renderTable(ROWS, COLUMNS, 10), /^dom_01kahxv3n8r5m2t9x7c4p6a1je {2}There is no…$/m);
  });

  it("is whole where it is not shown in a terminal", () => {
    assert.match(renderTable(ROWS, COLUMNS, null), /There is no CNAME record at www[.]example[.]com[.]$/m);
  });

  it("has its cells below each other, of wide letters too", () => {
    const table = renderTable([{ id: "äöü", says: "x" }, ...ROWS], COLUMNS, null);
    const columns = table
      .trimEnd()
      .split("\n")
      .map((line) => line.search(/(?<= {2})\S/));
    assert.deepEqual(new Set(columns).size, 1, table);
  });
});
