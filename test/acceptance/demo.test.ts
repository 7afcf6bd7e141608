import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const DEMO = fileURLToPath(new URL("../../src/cli/demo/demo.ts", import.meta.url));

test("the demo plays the whole story to releases on an HTTPS page, and leaves nothing behind", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-demo-test-"));
  try {
    const { code, output } = await run(folder);
    assert.equal(code, 0, output);
    assert.match(output, /Open it over HTTPS +200 "The first commit, without a greeting"/);
    assert.match(output, /no record set by hand +"The first commit, without a greeting", with _/);
    assert.match(output, /Delete it, and its records with it +the zone is as it was/);
    assert.match(output, /GREETING of the environment.+"The first commit, greeting of the environment"/);
    assert.match(output, /GREETING of the service.+"The first commit, greeting of the service"/);
    assert.match(output, /under load +[1-9]\d* requests, 0 failed; "The second commit, /);
    assert.match(output, /Roll back to the first deployment .+"The first commit, greeting of the service"/);
    assert.match(output, /Open a pull request +https:\/\/\S+: "With a cart, without a greeting"/);
    assert.match(output, /Push to it +[0-9a-f]{7} at the same address: "With a better cart, /);
    assert.match(output, /Open it without the secret +401: "This preview is protected/);
    assert.match(output, /Merge it +nothing of the preview is left in the account; /);
    // Colours are for terminals.
    assert.ok(!output.includes("\u001B"), output);
    assert.deepEqual(await readdir(folder), []);
    if (process.platform === "linux") assert.deepEqual(await processesIn(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function run(temporaryFolder: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [DEMO],
      { env: { TMPDIR: temporaryFolder, TEMP: temporaryFolder }, timeout: 200_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

/** The processes that work in a folder, removed or not, as those of the demo's services do. */
async function processesIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const pid of pids) {
    // A process that has just ended, or belongs to another user, shows neither.
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    // One with a file system of its own sees its folder at another path, but its mounts name it.
    const mounts = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
    if (cwd.startsWith(folder) || mounts.includes(path.basename(folder))) found.push(`${pid} in ${cwd}`);
  }
  return found;
}
