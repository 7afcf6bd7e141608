import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainOf, readAnsi } from "./ansi.ts";

describe("the colours of a log", () => {
  it("reads colours, bold and their end", () => {
    assert.deepEqual(readAnsi("a \u001B[1;31mfailed\u001B[0m b"), [
      { text: "a ", look: "" },
      { text: "failed", look: "red bold" },
      { text: " b", look: "" },
    ]);
    assert.deepEqual(readAnsi("\u001B[38;5;196mx\u001B[22;92my"), [
      { text: "x", look: "red" },
      { text: "y", look: "green" },
    ]);
    assert.deepEqual(readAnsi("\u001B[3;4;38;2;90;160;255mx\u001B[23;24;39my\u001B[38;5;250mz"), [
      { text: "x", look: "blue italic underline" },
      { text: "y", look: "" },
      { text: "z", look: "" },
    ]);
  });

  it("leaves out what moves the cursor, names the window or rings", () => {
    assert.equal(plainOf("\u001B[2K\u001B]0;title\u0007done\u0007\r"), "done");
    assert.equal(plainOf("cut \u001B["), "cut ");
  });

  it("keeps markup as text", () => {
    assert.equal(plainOf("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>");
  });
});
