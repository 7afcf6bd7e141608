import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../errors.ts";
import { parseJsonBody } from "./json-body.ts";

const refusalOf = (text: string): string => {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "INVALID_JSON");
    return error.message;
  }
  assert.fail(`${text} was accepted`);
};

describe("a body that does not parse", () => {
  it("is refused with the position of the error", () => {
    assert.equal(refusalOf('{"a" 1}'), "The body does not parse as JSON: look at line 1 column 6.");
    assert.equal(refusalOf('{\n  "a": 1,\n}'), "The body does not parse as JSON: look at line 3 column 1.");
  });

  it("is never quoted, because it may contain a secret", () => {
    for (const text of ["hunter2", '{"password": hunter2}', '{"a": "hunter2" "b"}', '{"a": "hunter2'])
      assert.doesNotMatch(refusalOf(text), /hunter2/);
  });

  it("that is empty is reported as empty", () => {
    assert.equal(refusalOf(" \n"), "The body is empty; send a JSON object.");
  });
});
