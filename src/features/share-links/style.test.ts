import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { styleOf } from "./style.ts";

/** The console's tones, by their names on the share page. */
const TONES = {
  ink: "ink",
  quiet: "quiet",
  paper: "paper",
  card: "card",
  line: "line",
  right: "good",
  wrong: "bad",
};
const BRAND = { name: "Acme", color: "#7a1fa2", logoUrl: null, frameAncestors: [] };

it("looks like the console, and has no colour but the operator's", async () => {
  const console = await readFile("console/app/ui/base.css", "utf8");
  const style = styleOf(BRAND);
  const toneOf = (css: string, name: string) => new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1];
  assert.equal(toneOf(style, "brand"), BRAND.color);
  assert.match(toneOf(style, "link") ?? "", /^light-dark\(var\(--brand\), .*var\(--brand\)/);
  for (const [own, name] of Object.entries(TONES))
    assert.equal(toneOf(style, own), toneOf(console, name), own);
});
