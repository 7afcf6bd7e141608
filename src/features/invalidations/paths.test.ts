import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodePath, findPathFaults } from "./paths.ts";

const faultsOf = (...paths: unknown[]) =>
  findPathFaults({ paths }).map(({ path, code }) => [path, code.toString()].join(" "));

describe("paths of an invalidation", () => {
  it("begin with / and have a wildcard only at the end", () => {
    assert.deepEqual(faultsOf("/", "/*", "/images/*", "/a.html?lang=de", "/a%20b*", "/%2A/x"), []);
    assert.deepEqual(faultsOf("images/*", "/a*b", "/**", "*", "", "/50%", "/%zz"), [
      "/paths/0 WRONG_FORM",
      "/paths/1 WRONG_FORM",
      "/paths/2 WRONG_FORM",
      "/paths/3 WRONG_FORM",
      "/paths/4 WRONG_FORM",
      "/paths/5 WRONG_FORM",
      "/paths/6 WRONG_FORM",
    ]);
    assert.deepEqual(faultsOf("/ok", `/${"a".repeat(4_000)}`, `/${"é".repeat(700)}`), [
      "/paths/1 WRONG_FORM",
      "/paths/2 WRONG_FORM",
    ]);
    assert.deepEqual(faultsOf("/\ud800"), ["/paths/0 WRONG_FORM"]);
  });

  it("have at most 15 wildcards together", () => {
    const wildcards = Array.from({ length: 16 }, (_, index) => `/${index}/*`);
    assert.deepEqual(faultsOf(...wildcards.slice(1)), []);
    assert.deepEqual(faultsOf(...wildcards), ["/paths TOO_LARGE"]);
  });

  it("of another type are left to the schema", () => {
    assert.deepEqual(findPathFaults(null), []);
    assert.deepEqual(findPathFaults({ paths: "/*" }), []);
    assert.deepEqual(faultsOf(1, null), []);
  });

  it("are encoded, except for what is encoded already", () => {
    assert.equal(encodePath("/a b/ü.html"), "/a%20b/%C3%BC.html");
    assert.equal(encodePath("/a%20b/*"), "/a%20b/*");
    assert.equal(encodePath("/😀"), "/%F0%9F%98%80");
    assert.equal(encodePath("/~me/a-b_c.d?x=1&y=(2)"), "/~me/a-b_c.d?x=1&y=(2)");
    assert.equal(encodePath("/[id]/{x}"), "/%5Bid%5D/%7Bx%7D");
  });
});
