import assert from "node:assert/strict";
import { test } from "node:test";
import { findJsonFault } from "./json-fault.ts";

for (const [text, line, column, found] of [
  ['{\n  "a": 1,\n}', 3, 1, "}"],
  ["[1, 2,]", 1, 7, "]"],
  ['{"a": tru}', 1, 10, "}"],
  ['{"a": "b" "c": 1}', 1, 11, '"'],
  ["{'a': 1}", 1, 2, "'"],
  ['{"a": true\n  // why\n}', 2, 3, "/"],
  ['{"a": 1', 1, 8, ""],
  ['{"a": [1, {"b": true, "c": null}]} x', 1, 36, "x"],
  ["", 1, 1, ""],
] as const)
  test(`the fault of ${JSON.stringify(text)} is at line ${line}, column ${column}`, () =>
    assert.deepEqual(findJsonFault(text), { line, column, found }));

test("JSON has no fault", () => {
  for (const text of ['{"a": [true, null, -1.5e3, "\\u00e9"]}', "1", '"x"'])
    assert.equal(findJsonFault(text), null, text);
});
