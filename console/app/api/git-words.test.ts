import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTokenStatus } from "./git-words.ts";

const errorOf = (code: string) => ({ code, message: "What.", action: "Do." });

describe("the health of a git token", () => {
  const rows = [
    ["WORKING", null, "Token works", "good"],
    ["WORKING", "GIT_HOST_UNAVAILABLE", "Git host not reached", "todo"],
    ["WORKING", "GIT_HOST_REFUSED", "Git host not reached", "todo"],
    ["REFUSED", "GIT_TOKEN_REFUSED", "Token refused", "bad"],
    ["REFUSED", "GIT_HOST_UNAVAILABLE", "Token refused, host unavailable", "bad"],
  ] as const;
  for (const [tokenStatus, code, words, tone] of rows) {
    it(`is "${words}" for ${tokenStatus} with ${code ?? "no error"}`, () => {
      const told = formatTokenStatus({ tokenStatus, lastCheckError: code === null ? null : errorOf(code) });
      assert.deepEqual([told.words, told.tone, told.next === null], [words, tone, code === null]);
    });
  }
});
