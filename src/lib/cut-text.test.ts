import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, decodeCut, splitText } from "./cut-text.ts";

test("a text is cut between characters, and keeps half a character that was there before", () => {
  assert.equal(cutText("ab😀", 3), "ab");
  assert.equal(cutText("ab😀", 4), "ab😀");
  assert.equal(cutText("ab😀c", 4), "ab😀");
  assert.equal(cutText("ab", 5), "ab");
  assert.equal(cutText("a\ud83d", 2), "a\ud83d");
});

test("pieces of a text are whole characters, and give the text again", () => {
  const text = `${"x".repeat(4)}😀${"y".repeat(3)}😀`;
  const pieces = splitText(text, 5);
  assert.deepEqual(pieces, ["xxxx", "😀yyy", "😀"]);
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.every((piece) => piece.isWellFormed()));
  assert.deepEqual(splitText("", 5), [""]);
});

test("bytes are cut before a character that is not complete", () => {
  const bytes = Buffer.from("a😀");
  assert.deepEqual(
    [1, 2, 4, 5].map((length) => decodeCut(bytes.subarray(0, length))),
    ["a", "a", "a", "a😀"],
  );
});
