import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { createTextScan } from "./scan-texts.ts";

const WANTED = ["ref", "after", "repository/url", "repository/clone_url"];

function scan(document: string | Uint8Array, pieceBytes = 65_536): Record<string, string> {
  const bytes = Buffer.from(document);
  const texts = createTextScan(new Set(WANTED));
  for (let at = 0; at < bytes.length; at += pieceBytes) texts.push(bytes.subarray(at, at + pieceBytes));
  return Object.fromEntries(texts.found);
}

/** What a parser finds at the places. */
function parse(document: unknown): Record<string, string> {
  const memberOf = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  const found = WANTED.flatMap((place) => {
    const value = place.split("/").reduce(memberOf, document);
    return typeof value === "string" ? [[place, value] as const] : [];
  });
  return Object.fromEntries(found);
}

describe("texts of a document", () => {
  const rows: readonly [string, string, Record<string, string>][] = [
    ["at the top", '{"ref":"refs/heads/main","after":"a"}', { ref: "refs/heads/main", after: "a" }],
    ["in an object", '{"repository": { "id": 1, "url": "u" }}', { "repository/url": "u" }],
    [
      "not deeper",
      '{"x":{"ref":"no"},"repository":{"owner":{"url":"no"},"url":"u"}}',
      { "repository/url": "u" },
    ],
    ["not in arrays", '[{"ref":"no"}]', {}],
    ["not in arrays of an object", '{"repository":["url","no"],"ref":["no"]}', {}],
    ["not as other things than text", '{"ref":1,"after":null,"repository":"no"}', {}],
    ["after what lies deeper", '{"commits":[{"a":[{}]},{}],"ref":"r"}', { ref: "r" }],
    ["beside texts that look like it", String.raw`{"a":"\",\"ref\":\"no","ref":"r\\"}`, { ref: "r\\" }],
    ["with names that are escaped", String.raw`{"r\u0065f":"caf\u00e9"}`, { ref: "café" }],
    ["of which the last counts", '{"ref":"one","ref":"two"}', { ref: "two" }],
    ["that are short", `{"ref":"${"x".repeat(5_000)}","after":"a"}`, { after: "a" }],
    ["and none where an escape is none", String.raw`{"ref":"\x","after":"a"}`, { after: "a" }],
    ["and nothing of a text that is not JSON", '}}}]]]::,,"', {}],
  ];
  for (const [what, document, expected] of rows) {
    it(`are found ${what}`, () => {
      for (const pieceBytes of [1, 2, 7, 65_536]) assert.deepEqual(scan(document, pieceBytes), expected);
    });
  }

  it("are the texts that a parser finds, in any document and in any pieces", () => {
    const name = fc.oneof(fc.constantFrom("ref", "after", "repository", "url", "clone_url"), fc.string());
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(name, tie("value"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 40 }), fc.boolean(), (document, pieceBytes, spaced) => {
        const text = JSON.stringify(document, null, spaced ? 2 : undefined);
        assert.deepEqual(scan(text, pieceBytes), parse(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });
});
