import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { CONTRAST_MIN, contrastOf, decideColors } from "./accent-colors.ts";

const COLOR = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

it("makes text readable with every accent, in both themes", () => {
  fc.assert(
    fc.property(COLOR, (color) => {
      const { accent, onAccent, linkLight, linkDark } = decideColors(color);
      for (const [text, ground] of [
        [onAccent, accent],
        [linkLight, "#ffffff"],
        [linkLight, "#f6f8fa"],
        [linkDark, "#10161c"],
        [linkDark, "#0b1015"],
      ] as const)
        assert.ok(contrastOf(text, ground) >= CONTRAST_MIN, `${text} on ${ground} of ${color}`);
    }),
    { numRuns: 5_000 },
  );
});

it("keeps an accent that can be read, and its white text", () => {
  const { accent, onAccent, linkLight } = decideColors("#0a5c36");
  assert.deepEqual([accent, onAccent, linkLight], ["#0a5c36", "#ffffff", "#0a5c36"]);
  assert.equal(decideColors("#ffe14d").onAccent, "#000000");
  assert.equal(contrastOf("#000000", "#ffffff"), 21);
});
