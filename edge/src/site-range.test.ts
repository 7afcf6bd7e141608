import assert from "node:assert/strict";
import { test } from "node:test";
import { rangeOf } from "./site-range.ts";

const rows: readonly (readonly [range: string, expected: ReturnType<typeof rangeOf>])[] = [
  ["bytes=0-3", { start: 0, end: 3 }],
  ["bytes=9-9", { start: 9, end: 9 }],
  ["bytes=4-", { start: 4, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-30", { start: 0, end: 9 }],
  ["bytes=5-99", { start: 5, end: 9 }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=3-2", null],
  ["bytes=-", null],
  ["bytes=0-1,3-4", null],
  ["bytes=1e3-", null],
  ["items=0-1", null],
];
for (const [range, expected] of rows) {
  test(`${range} of ten bytes`, () => {
    assert.deepEqual(rangeOf({ method: "GET", headers: { range } }, '"a"', 10), expected);
  });
}

test("a part is only given of the content that the request knows, and of no answer to HEAD", () => {
  const of = (method: string, ifRange: string) =>
    rangeOf({ method, headers: { range: "bytes=0-1", "if-range": ifRange } }, '"a"', 10);
  assert.deepEqual(of("GET", '"a"'), { start: 0, end: 1 });
  for (const other of ['"b"', 'W/"a"', "Thu, 26 Nov 2026 10:00:00 GMT"]) assert.equal(of("GET", other), null);
  assert.equal(of("HEAD", '"a"'), null);
  assert.equal(rangeOf({ method: "GET", headers: { range: "bytes=0-0" } }, '"a"', 0), "unsatisfiable");
});
