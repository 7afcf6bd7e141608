import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { decidePreviewLabel, keyOfPreview, labelOf } from "./preview-host.ts";

const NONE: ReadonlySet<string> = new Set();

describe("the label of a preview's service", () => {
  const cases: readonly (readonly [service: string, key: string, label: RegExp])[] = [
    ["site", "pr-12", /^site-pr-12$/],
    ["Site", "pr-12", /^site-pr-12$/],
    ["api_v2", "pr-3", /^api-v2-pr-3$/],
    ["api-", "pr-3", /^api-pr-3$/],
    ["site", "change-4711", /^site-change-4711$/],
    ["1", "2", /^1-2$/],
    // Exactly 63 characters, and one more.
    ["s".repeat(57), "pr-12", /^s{57}-pr-12$/],
    ["s".repeat(58), "pr-12", /^s{48}-pr-12-[0-9a-f]{8}$/],
    ["a".repeat(60), "k".repeat(40), /^a{13}-k{40}-[0-9a-f]{8}$/],
    // Reserved labels.
    ["xn--caf-dma", "pr-1", /^xn-caf-dma-pr-1-[0-9a-f]{8}$/],
    ["ab__c", "pr-1", /^ab-c-pr-1-[0-9a-f]{8}$/],
  ];
  for (const [service, key, label] of cases)
    it(`of ${service.slice(0, 20)} and ${key.slice(0, 20)} matches ${label}`, () =>
      assert.match(decidePreviewLabel(service, key, NONE), label));

  it("differs if the readable one is taken", () => {
    const first = decidePreviewLabel("a-b", "c", NONE);
    assert.equal(first, "a-b-c");
    assert.match(decidePreviewLabel("a", "b-c", new Set([first])), /^a-b-c-[0-9a-f]{8}$/);
    assert.match(decidePreviewLabel("WEB", "pr-1", new Set(["web-pr-1"])), /^web-pr-1-[0-9a-f]{8}$/);
  });

  it("is valid and unlike all others, whatever the ids", () => {
    const id = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,59}$/);
    const key = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(id, key), { selector: String, maxLength: 30 }), (pairs) => {
        const taken = new Set<string>();
        for (const [service, of] of pairs) {
          const label = decidePreviewLabel(service, of, taken);
          assert.match(label, /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
          assert.doesNotMatch(label, /^..--/);
          assert.ok(!taken.has(label), label);
          taken.add(label);
        }
      }),
    );
  });
});

describe("a preview's key", () => {
  it("is what follows the id of its template", () => {
    assert.equal(keyOfPreview("preview.pr-12"), "pr-12");
    assert.equal(labelOf("site-pr-12.preview.example.com"), "site-pr-12");
  });
});
