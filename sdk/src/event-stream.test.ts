import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { createParser } from "./event-stream.ts";

/** The events of a text that arrives in these pieces. */
function parseAll(pieces: readonly string[]) {
  const parser = createParser();
  return pieces.flatMap((piece) => parser(piece));
}

it("reads events as the standard says", () => {
  const text = [
    ": still here",
    "",
    "event: line",
    "id: 7",
    'data: {"a":',
    "data: 1}",
    "",
    "data:no space",
    "",
    "event: nothing to say",
    "",
    "data",
    "",
    "data: never ended",
  ].join("\n");
  assert.deepEqual(parseAll([text]), [
    { event: "line", id: "7", data: '{"a":\n1}' },
    { event: "message", id: null, data: "no space" },
    { event: "message", id: null, data: "" },
  ]);
});

it("skips fields of any name that it does not know", () =>
  assert.deepEqual(parseAll(["constructor: a\n__proto__: b\ntoString\ndata: x\n\n"]), [
    { event: "message", id: null, data: "x" },
  ]));

it("does not depend on the line ends, or on how the text is cut", () => {
  const lines = ["event: a", "id: 1", "data: x", "", ": c", "data: y", "data: z", "", ""];
  const expected = parseAll([lines.join("\n")]);
  assert.equal(expected.length, 2);
  fc.assert(
    fc.property(
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
      (end, cuts) => {
        const text = lines.join(end);
        const at = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((to, index) => text.slice(at[index], to));
        // A last CR may be half of a line end, so the event it ends comes with the next piece.
        assert.deepEqual(parseAll([...pieces, ":\n"]), expected);
      },
    ),
  );
});
