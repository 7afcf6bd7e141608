import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SIGN_IN_ERRORS } from "../../../src/features/sign-in/errors.ts";
import { describeSignInError } from "./sign-in-words.ts";

describe("the words of a sign-in that did not work", () => {
  it("are there for each of the server's errors, and for one of a later release", () => {
    const titles = Object.keys(SIGN_IN_ERRORS).map((code) => describeSignInError(code).title);
    assert.equal(new Set([...titles, describeSignInError("SIGN_IN_LATER").title]).size, titles.length + 1);
  });
});
