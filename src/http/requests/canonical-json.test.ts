import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";

/** The same value with its members in the reverse order, at every depth. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("canonical JSON", () => {
  it("is the same for every order of members, and contains the whole value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        assert.equal(canonicalJson(reversed(value)), text);
        assert.equal(canonicalJson(JSON.parse(text)), text);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("sorts by UTF-16 code units and keeps the order of items (RFC 8785, section 3.2.3)", () => {
    const value = { "\u20ac": 1, "\r": 2, "1": 3, "\u{1f600}": 4, "\u0080": 5, "\ufb33": [2, 1] };
    const names = ["\r", "1", "\u0080", "\u20ac", "\u{1f600}", "\ufb33"];
    assert.deepEqual(Object.keys(JSON.parse(canonicalJson(value))).toSorted(), names.toSorted());
    assert.equal(canonicalJson(value), '{"\\r":2,"1":3,"\u0080":5,"\u20ac":1,"\u{1f600}":4,"\ufb33":[2,1]}');
  });
});
