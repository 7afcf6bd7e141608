/** Files of a suite run one after another in one process (`test/run-tests.ts`). */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { it } from "node:test";

it("a hook stands in a describe: outside, it would be for the tests of all files", () => {
  const files = globSync("{cli,console,edge,sandbox,sdk,src,test}/**/*.{test,browser,check}.ts", {
    exclude: ["**/node_modules"],
  });
  assert.ok(files.length > 300);
  const found = files.filter((file) => /^(?:before|after)(?:Each)?\(/m.test(readFileSync(file, "utf8")));
  assert.deepEqual(found, []);
});
