import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesGlob } from "./matches-glob.ts";

const CASES: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] =
  [
    ["main", ["main"], ["mai", "main2", "a/main", "Main"]],
    ["feature/*", ["feature/a", "feature/.a", "feature/ü😀"], ["feature", "feature/a/b", "a/feature/b"]],
    ["web/**", ["web/a", "web/a/b", "web/.env", "web/a/.b/c"], ["web", "webs/a", "a/web/b"]],
    ["**", ["a", "a/b", ".github/workflows/ci.yml"], []],
    ["**/*.md", ["a.md", "a/b.md", ".a/.md"], ["a.mdx", "a.md/b"]],
    ["web/**/src/*.ts", ["web/src/a.ts", "web/a/b/src/c.ts"], ["web/src/a/b.ts", "src/a.ts"]],
    ["**/a/**/b", ["a/b", "x/a/a/y/b"], ["a/b/c", "b"]],
    ["a*b*c", ["abc", "aXbYc", "abcbc"], ["ab", "abcd", "a/bc"]],
    ["v?.?", ["v1.0", "v😀.0"], ["v10.0", "v/.0"]],
    ["app/[slug]/page.tsx", ["app/[slug]/page.tsx"], ["app/s/page.tsx"]],
    ["a{b,c}(d)!+\\.", ["a{b,c}(d)!+\\."], ["ab"]],
    ["", [""], ["a"]],
  ];

describe("a pattern", () => {
  for (const [pattern, matching, other] of CASES)
    it(`${JSON.stringify(pattern)} matches ${matching.join(" ")}`, () => {
      for (const text of matching) assert.ok(matchesGlob(text, pattern), text);
      for (const text of other) assert.ok(!matchesGlob(text, pattern), text);
    });

  it("takes no time worth noting, whatever name a stranger chose", () => {
    const began = performance.now();
    assert.ok(!matchesGlob(`${"-".repeat(4_000)}x`, `${"*-".repeat(100)}.md`));
    assert.ok(!matchesGlob(`${"a/".repeat(2_000)}x`, `${"**/a/".repeat(50)}y`));
    // A matcher that backtracks would take years.
    assert.ok(performance.now() - began < 5_000);
  });
});
