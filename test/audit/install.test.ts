/** What `npm ci` prints under a Node that is older than what Slipway and its packages run on. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeTempDir } from "../helpers/template.ts";

const ROOT = path.join(import.meta.dirname, "../..");

describe("D5: npm ci under an older Node", () => {
  let folder: string;
  before(async () => {
    folder = await makeTempDir("install");
    await copyFile(path.join(ROOT, "package-lock.json"), path.join(folder, "package-lock.json"));
    // No Node fits, so that the warning comes under any.
    const manifest = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    await writeFile(
      path.join(folder, "package.json"),
      JSON.stringify({ ...manifest, engines: { node: ">=999" } }),
    );
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const install = async () => {
    const args = ["ci", "--dry-run", "--ignore-scripts", "--offline"];
    // An npm that runs the tests hands its own settings on, and they would stand in for the file.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_config_")),
    );
    const { stdout, stderr } = await promisify(execFile)("npm", args, { cwd: folder, env });
    return `${stdout}${stderr}`;
  };

  it("D5: prints what it added, without EBADENGINE", async () => {
    assert.match(await install(), /EBADENGINE/, "without the project's settings it does");
    await copyFile(path.join(ROOT, ".npmrc"), path.join(folder, ".npmrc"));
    const said = await install();
    assert.doesNotMatch(said, /EBADENGINE|npm warn/);
    assert.match(said, /added \d+ packages/);
  });
});
