import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  countBroken,
  EVERYTHING,
  filterLines,
  findLines,
  levelOf,
  lineAt,
  type LogRow,
  placeLines,
} from "./log-lines.ts";

const AT = Date.parse("2026-11-20T09:30:00.000Z");
const row = (text: string, seconds = 0, isError = false): LogRow => ({
  key: `${text} ${seconds}`,
  at: new Date(AT + seconds * 1_000).toISOString(),
  of: "",
  isError,
  text,
});

describe("the lines of a log", () => {
  const levels: readonly (readonly [string, boolean, string])[] = [
    ["\u001B[31mERROR\u001B[0m no such module", false, "error"],
    ["npm warn deprecated left-pad", true, "warning"],
    ["listening on 3000", false, "normal"],
    ["cannot find the harbour", true, "error"],
    ['{"level":"error","msg":"x"}', false, "error"],
    ["[debug] cache hit", false, "debug"],
    ["terrors of the sea", false, "normal"],
  ];
  for (const [text, isError, level] of levels)
    it(`are of the level ${level}: ${JSON.stringify(text)}`, () =>
      assert.equal(levelOf(row(text, 0, isError)), level));

  const rows = [row("one"), row("warning: two", 10), row("ERROR three", 20), row("debug one", 30)];

  it("are all shown without a filter", () => assert.equal(filterLines(rows, EVERYTHING), null));

  it("are filtered by text, level and time", () => {
    assert.deepEqual(filterLines(rows, { ...EVERYTHING, text: " ONE " }), [0, 3]);
    assert.deepEqual(filterLines(rows, { ...EVERYTHING, level: "warning" }), [1, 2]);
    assert.deepEqual(filterLines(rows, { ...EVERYTHING, level: "normal" }), [0, 1, 2]);
    assert.deepEqual(filterLines(rows, { ...EVERYTHING, from: AT + 10_000, to: AT + 20_000 }), [1, 2]);
    assert.deepEqual(findLines(rows, "three"), [2]);
    assert.deepEqual(findLines(rows, " "), []);
  });

  it("take as many lines of the window as their letters need", () => {
    assert.equal(countBroken("", 10), 1);
    assert.equal(countBroken("a".repeat(21), 10), 3);
    assert.equal(countBroken("港".repeat(6), 10), 2);
    const places = placeLines([row("a".repeat(25)), row("b"), row("c")], null, 10);
    assert.deepEqual([...places], [0, 3, 4, 5]);
    assert.deepEqual(
      [0, 2.9, 3, 4.5].map((place) => lineAt(places, place)),
      [0, 0, 1, 2],
    );
  });
});
