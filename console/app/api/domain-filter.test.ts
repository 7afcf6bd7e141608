import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filterToQuery, readDomainFilter } from "./domain-filter.ts";

describe("the filter of domains", () => {
  it("takes from an address only what is known", () => {
    assert.deepEqual(readDomainFilter({ name: "shop.", status: "ATTACHED", warning: "ANY", page: "2" }), {
      name: "shop.",
      status: "ATTACHED",
      warning: "ANY",
    });
    assert.deepEqual(readDomainFilter({ name: 1, status: "nonsense", warning: null, projectId: "" }), {});
  });

  it("seeks a name by its beginning, and a pattern as it is", () => {
    assert.deepEqual(filterToQuery({ name: "Shop.", status: "ATTACHED" }), {
      namePrefix: "shop.",
      status: "ATTACHED",
    });
    assert.deepEqual(filterToQuery({ name: "*.example.com" }), { name: "*.example.com" });
    assert.deepEqual(filterToQuery({}), {});
  });
});
