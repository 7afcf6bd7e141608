/**
 * `node test/load-tests.ts FILE …`: runs test files one after another in this process. `node --test --test-isolation=none`
 * does the same, but hides that a file throws after its first test.
 */
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(path.resolve(file)).href);
  } catch (error) {
    test(`${file} loads`, () => {
      throw error;
    });
  }
}
