import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { it } from "node:test";
import { ERROR_CODES, FAULT_CODES } from "../../lib/errors.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { renderErrorsMarkdown } from "./error-pages.ts";
import { FAILED_VARIABLE_CODES } from "./fault-catalogue.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

it("docs/reference/errors.md is what `npm run docs:errors` writes", async () => {
  const written = await readFile(path.join(ROOT, "docs/reference/errors.md"), "utf8");
  assert.ok(written === renderErrorsMarkdown(), "docs/reference/errors.md is old; run `npm run docs:errors`");
});

it("every code is given by some refusal in the source", async () => {
  const declared = new Set([
    "src/lib/errors.ts",
    "src/http/problems/error-catalogue.ts",
    "src/http/problems/fault-catalogue.ts",
  ]);
  const texts: string[] = [];
  for await (const file of glob("src/**/*.ts", { cwd: ROOT })) {
    if (!declared.has(file) && !file.endsWith(".test.ts"))
      texts.push(await readFile(path.join(ROOT, file), "utf8"));
  }
  const source = `${texts.join("\n")} ${await readFile(path.join(ROOT, "src/lib/errors.ts"), "utf8").then(afterCodes)}`;
  const codes = [...ERROR_CODES, ...FAULT_CODES, ...Object.keys(FAILED_VARIABLE_CODES)];
  const dead = codes.filter((code) => !source.includes(`"${code}"`));
  assert.deepEqual(dead, []);
});

it("every code says what happened and what to do in whole sentences", () => {
  for (const [code, { status, title, cause, remedy }] of Object.entries(ERROR_CATALOGUE)) {
    assert.ok(status >= 400 && status <= 599, code);
    assert.match(title, /^[A-Z].*[^.]$/, code);
    for (const sentence of [cause, remedy]) assert.match(sentence, /^[A-Z].*\.$/s, code);
  }
});

/** `errors.ts` itself throws too (`notFound`); only its list of codes does not count. */
function afterCodes(text: string): string {
  return text.slice(text.indexOf("] as const"));
}
