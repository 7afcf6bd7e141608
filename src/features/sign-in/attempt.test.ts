import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localPath } from "./attempt.ts";

describe("where a sign-in returns to", () => {
  const ours = "https://slipway.example";
  it("is a path of ours", () => {
    assert.equal(localPath("/projects/proj_1?tab=domains#a", ours), "/projects/proj_1?tab=domains#a");
    assert.equal(localPath("/a/../b", ours), "/b");
  });
  for (const wanted of [
    undefined,
    "",
    "projects",
    "https://evil.example/",
    "//evil.example/",
    String.raw`/\evil.example/`,
    String.raw`\\evil.example`,
    "/\t/evil.example/",
    "/.//evil.example/phish",
    "/..//evil.example/phish",
    "/a/..//evil.example/phish",
    "/%2e//evil.example",
    String.raw`/.\/evil.example`,
    String.raw`/./\evil.example`,
    "/.///evil.example",
    "/\n.//evil.example",
    "/.//evil.example:99999",
    "javascript:alert(1)",
    "https://slipway.example/projects",
  ]) {
    it(`is the beginning instead of ${JSON.stringify(wanted)}`, () =>
      assert.equal(localPath(wanted, ours), "/"));
  }
});
