import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { choicesOf, readHeaders, tellTypes, typesOf } from "./event-words.ts";
import { InputError } from "./problem.ts";

describe("the events of a webhook", () => {
  it("are said in words", () => {
    assert.equal(tellTypes(["*"]), "All events");
    assert.equal(tellTypes(["domain.*", "deployment.failed"]), "Domains, deployment.failed");
  });

  it("are chosen by group and singly, and nothing chosen means all", () => {
    assert.deepEqual(typesOf([], []), ["*"]);
    const types = ["domain.*", "deployment.failed", "user.created"];
    assert.deepEqual(typesOf(["domain.*"], ["deployment.failed", "user.created", "user.created"]), types);
    assert.deepEqual(choicesOf(types), {
      groups: ["domain.*"],
      single: ["deployment.failed", "user.created"],
    });
    assert.deepEqual(choicesOf(["*"]), { groups: [], single: [] });
  });

  it("have headers, one a line", () => {
    assert.deepEqual(readHeaders("Authorization: Bearer a:b\n\nX-Of: shop "), {
      Authorization: "Bearer a:b",
      "X-Of": "shop",
    });
    assert.deepEqual(Object.entries(readHeaders("__proto__: a\nconstructor: b")), [
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
    assert.throws(() => readHeaders("no header"), InputError);
  });
});
