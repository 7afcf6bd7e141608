import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTypes, readHeaders } from "./event-words.ts";
import { InputError } from "./problem.ts";

describe("the events of a webhook", () => {
  it("are in words, and counted if they are many", () => {
    assert.equal(formatTypes(["*"]), "All events");
    assert.equal(formatTypes(["domain.*", "deployment.failed"]), "Domains, deployment.failed");
    const types = ["domain.*", "deployment.failed", "user.*", "service.*", "session.*"];
    assert.equal(formatTypes(types), "Domains, deployment.failed, Users and 2 more");
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
