import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { contrastOf } from "../../../src/lib/accent-colors.ts";

const CSS = readFileSync(path.join(import.meta.dirname, "tokens.css"), "utf8");
const COLOURS = new Map(
  [...CSS.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }] as const,
  ),
);

const GROUNDS = ["paper", "card", "raised", "soft"];
/** Each text, with its grounds. */
const TEXTS: readonly (readonly [text: string, grounds: readonly string[]])[] = [
  ["ink", [...GROUNDS, "accent-soft", "good-soft", "busy-soft", "todo-soft", "bad-soft"]],
  ["quiet", [...GROUNDS, "todo-soft", "bad-soft"]],
  ["accent", [...GROUNDS, "accent-soft"]],
  ["on-accent", ["accent"]],
  ["good", ["card", "raised", "good-soft"]],
  ["busy", ["card", "raised", "busy-soft"]],
  ["todo", ["card", "raised", "todo-soft"]],
  ["cyan", ["card", "accent-soft"]],
  ["magenta", ["card", "accent-soft"]],
  ["bad", ["card", "raised", "soft", "bad-soft"]],
];
/** WCAG 2.2, 1.4.3 and 1.4.11. */
const OF_TEXT = 4.5;
const OF_A_CONTROL = 3;

describe("the colours of the console", () => {
  for (const theme of ["light", "dark"] as const) {
    it(`can be read in the ${theme} theme`, () => {
      for (const [text, grounds] of TEXTS)
        for (const ground of grounds) assertContrast(text, ground, theme, OF_TEXT);
    });

    it(`show the edges of controls in the ${theme} theme`, () => {
      for (const ground of ["paper", "card", "raised"]) assertContrast("edge", ground, theme, OF_A_CONTROL);
    });
  }

  it("have a contrast of 21 between black and white", () => {
    assert.equal(contrastOf("#000000", "#ffffff"), 21);
  });
});

function assertContrast(one: string, other: string, theme: "light" | "dark", least: number): void {
  const [first, second] = [COLOURS.get(one), COLOURS.get(other)];
  assert.ok(first !== undefined && second !== undefined, `${one} and ${other} are tokens`);
  const found = contrastOf(first[theme], second[theme]);
  assert.ok(found >= least, `${one} on ${other}: ${found.toFixed(2)}`);
}
