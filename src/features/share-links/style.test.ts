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
const COLOR = "#7a1fa2";

it("looks like the console, and has no colour but the operator's", async () => {
  const console = await readFile("console/app/ui/tokens.css", "utf8");
  const style = styleOf(COLOR);
  const toneOf = (css: string, name: string) => new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1];
  assert.equal(toneOf(style, "brand"), COLOR);
  assert.match(toneOf(style, "link") ?? "", /^light-dark\(#7a1fa2, #[0-9a-f]{6}\)$/);
  for (const [own, name] of Object.entries(TONES))
    assert.equal(toneOf(style, own), toneOf(console, name), own);
});
