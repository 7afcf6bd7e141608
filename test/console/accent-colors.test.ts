/** The console previews the colours that the server chooses. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { accentColors } from "../../console/app/api/accent-colors.ts";
import { decideColors } from "../../src/features/branding/decide-colors.ts";

it("previews the colours of the share page", () => {
  const color = fc
    .integer({ min: 0, max: 0xff_ff_ff })
    .map((value) => `#${value.toString(16).padStart(6, "0")}`);
  fc.assert(
    fc.property(color, (accent) => {
      assert.deepEqual({ accent, ...accentColors(accent) }, decideColors(accent));
    }),
    { numRuns: 1_000 },
  );
});
