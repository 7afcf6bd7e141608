import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCommitTexts } from "./commit-texts.ts";

describe("the texts of a commit", () => {
  for (const [title, message, author, expected] of [
    ["are kept as they are", "Fix it\n\nBecause.", "Ada Lovelace", ["Fix it\n\nBecause.", "Ada Lovelace"]],
    [
      "have no addresses of people",
      "Fix it\n\nCo-authored-by: Bob <bob@example.com>",
      "Ada <ada@example.com>",
      ["Fix it\n\nCo-authored-by: Bob", "Ada"],
    ],
    ["have no author whose name is an address", "x", "ada@example.com", ["x", null]],
    ["keep a mention in the message", "Thank @ada for a@b", "Ada", ["Thank @ada for a@b", "Ada"]],
    ["are null where there is nothing", "\n \n", "", [null, null]],
    ["are null if the host answers something else", { text: "x" }, 7, [null, null]],
    ["have no control characters", "a\u0000b\u001b[31m\r\nc\td", "A\u0000da\nL", ["ab[31m\nc\td", "Ada L"]],
    ["have no halves of characters", "a\ud800b", "\udc00", ["ab", null]],
  ] as const)
    it(title, () => {
      const read = readCommitTexts(message, author);
      assert.deepEqual([read.message, read.author], expected);
    });

  it("are cut, but not within a character", () => {
    const { message, author } = readCommitTexts("😀".repeat(1_001), "n".repeat(201));
    assert.equal(message?.length, 1_999);
    assert.ok(message?.endsWith("😀…") && message.isWellFormed());
    assert.equal(author, `${"n".repeat(199)}…`);
  });
});

describe("a long text of a commit", () => {
  for (const [what, message, author] of [
    ["spaces", " ".repeat(1_000_000), "Ada"],
    ["half an address", `x${"<a@".repeat(300_000)}`, "a".repeat(1_000_000)],
    ["addresses in one", "a@".repeat(500_000), "a@".repeat(500_000)],
  ] as const)
    it(`of ${what} is read in little time`, () => {
      const before = process.cpuUsage();
      readCommitTexts(message, author);
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < 300_000, `${(user + system) / 1_000} ms`);
    });
});

it("has no marks that change the direction of a text", () => {
  const read = readCommitTexts("fix \u202Egpj.exe\u2069", "Ada\u200F \u001B[31m");
  assert.deepEqual(read, { message: "fix gpj.exe", author: "Ada [31m" });
});
