import assert from "node:assert/strict";
import { it } from "node:test";
import { readFirstCells } from "./read-csv.ts";

for (const [about, text, cells] of [
  ["a plain list", "a.example\nb.example", ["a.example", "b.example"]],
  ["a final line break, and blank lines", "a.example\n\nb.example\n\n", ["a.example", "", "b.example"]],
  ["a heading", "Domain,Owner\na.example,x", ["", "a.example"]],
  ["a byte order mark", "\uFEFFhost\r\na.example", ["", "a.example"]],
  ["semicolons and tabs", "a.example;x\nb.example\ty", ["a.example", "b.example"]],
  ["quotes", '"a.example","x, ""y"""\n"b""c",1', ["a.example", 'b"c']],
  ["a cell of several lines", 'a.example,"1\n2"\nb.example', ["a.example", "", "b.example"]],
  ["a first cell of several lines", '"a\nb",1\nc.example', ["a", "", "c.example"]],
  ["nothing", "", []],
] as const) {
  it(`reads ${about}`, () => assert.deepEqual(readFirstCells(text), cells));
}
