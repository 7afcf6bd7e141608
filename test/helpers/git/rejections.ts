import assert from "node:assert/strict";
import { inspect } from "node:util";
import { GitError, type GitErrorCode } from "../../../src/git/git.ts";

/** A token that must appear nowhere; it has no part that Base64 or an encoded URL would write as it is by chance. */
export const CANARY_TOKEN = "glpat-canary0123456789abcdefXYZ";

/** Whether a text contains the canary, plain or as in a Basic authorization. */
export function holdsToken(text: string): boolean {
  // Base64 of the middle of the token at each of the three places where it can begin in a group of three bytes.
  const encoded = [0, 1, 2].map((offset) =>
    Buffer.from(CANARY_TOKEN.slice(6 + offset, 6 + offset + 12)).toString("base64"),
  );
  return [CANARY_TOKEN, ...encoded].some((form) => text.includes(form));
}

/** For `assert.rejects`: a `GitError` of that code, with a whole sentence, and the token nowhere in it or its causes. */
export function rejectedWith(code: GitErrorCode, message?: RegExp): (error: unknown) => true {
  return (error) => {
    const seen = inspect(error, { depth: 20, showHidden: true, getters: true });
    assert.ok(error instanceof GitError, seen);
    assert.equal(error.code, code, seen);
    if (message !== undefined) assert.match(error.message, message);
    assert.match(error.message, /^\S.*\.$/);
    assert.ok(!holdsToken(seen), "the error holds the token");
    return true;
  };
}
