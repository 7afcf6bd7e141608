/** The units, as systemd's own program reads them, and how much each is closed. */
import assert from "node:assert/strict";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTempDir } from "../helpers/template.ts";
import { ROOT, runTool } from "./run-tool.ts";

const FOLDER = path.join(ROOT, "deploy/systemd");
/** Of 100; below 20 is what systemd calls OK. */
const EXPOSURE_MAX = "20";

describe("the units", async () => {
  const units = await readdir(FOLDER);
  const services = units.filter((unit) => unit.endsWith(".service"));
  let folder: string;
  before(async () => {
    folder = await makeTempDir("units");
    for (const unit of units) await copyFile(path.join(FOLDER, unit), path.join(folder, unit));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("are accepted by systemd", async () => {
    // It looks for the program that a unit starts.
    for (const unit of units) {
      const text = await readFile(path.join(FOLDER, unit), "utf8");
      await writeFile(path.join(folder, unit), text.replaceAll("/usr/bin/node", process.execPath));
    }
    const files = units.map((unit) => path.join(folder, unit.replace("@.", "@4001.")));
    await copyFile(
      path.join(folder, "slipway-worker@.service"),
      path.join(folder, "slipway-worker@4001.service"),
    );
    await runTool("systemd-analyze", ["verify", "--man=no", ...files]);
  });

  for (const unit of services) {
    it(`${unit} is closed`, async () => {
      const args = ["security", "--offline=true", "--no-pager", `--threshold=${EXPOSURE_MAX}`];
      await runTool("systemd-analyze", [...args, path.join(FOLDER, unit)]);
      const text = await readFile(path.join(FOLDER, unit), "utf8");
      assert.doesNotMatch(text, /^MemoryDenyWriteExecute=/m, "V8 compiles to machine code");
      assert.doesNotMatch(text, /^Environment=.*(?:DATABASE_URL|API_KEY)=/m, "secrets are credentials");
    });
  }

  it("are refused when they are open", async () => {
    const open = path.join(folder, "open.service");
    await writeFile(open, "[Service]\nExecStart=/bin/true\n");
    await assert.rejects(
      runTool("systemd-analyze", ["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, open]),
    );
  });
});
