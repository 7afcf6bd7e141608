import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const DEMO = fileURLToPath(new URL("../../src/cli/demo/demo.ts", import.meta.url));

test("the demo plays the whole story to an HTTPS page, and leaves nothing behind", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-demo-test-"));
  try {
    const { code, output } = await run(folder);
    assert.equal(code, 0, output);
    assert.match(output, /Open it over HTTPS +200 /);
    // Colours are for terminals.
    assert.ok(!output.includes("\u001B"), output);
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function run(temporaryFolder: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [DEMO],
      { env: { TMPDIR: temporaryFolder, TEMP: temporaryFolder }, timeout: 90_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
