import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { DataDirInUseError, lockDataDir } from "./data-dir-lock.ts";

const LOCK = path.join(import.meta.dirname, "data-dir-lock.ts");

describe("the lock of the data folder", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-lock-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("refuses a second process, with the folder's name and what to do", () => {
    const lock = lockDataDir(folder);
    try {
      assert.throws(
        () => lockDataDir(folder),
        (error) =>
          error instanceof DataDirInUseError &&
          error.message.includes(folder) &&
          error.message.includes("SLIPWAY_DATA_DIR"),
      );
    } finally {
      lock.release();
    }
  });

  it("can be taken again once it was released", () => {
    lockDataDir(folder).release();
    lockDataDir(folder).release();
  });

  it("is refused without write permission, with the folder's name", async () => {
    const own = mkdtempSync(path.join(tmpdir(), "slipway-lock-"));
    writeFileSync(path.join(own, "lock"), "");
    chmodSync(path.join(own, "lock"), 0o444);
    chmodSync(own, 0o755);
    // For root no permission counts, so that it becomes another user first.
    const script = `import(${JSON.stringify(LOCK)}).then((m) => { if (process.getuid() === 0) process.setuid(65534); m.lockDataDir(${JSON.stringify(own)}); })`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "pipe"] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    rmSync(own, { recursive: true });
    assert.equal(code, 1, said);
    assert.ok(said.includes(`FolderError: The lock cannot be opened in ${own} (EACCES`), said);
  });

  it("keeps other processes out, and ends even if its process is killed", async () => {
    const script = `import(${JSON.stringify(LOCK)}).then((m) => { globalThis.lock = m.lockDataDir(${JSON.stringify(folder)}); console.log("held"); setInterval(() => {}, 1e6); })`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(createInterface(child.stdout), "line");
      assert.throws(() => lockDataDir(folder), DataDirInUseError);
    } finally {
      child.kill("SIGKILL");
    }
    await once(child, "exit");
    lockDataDir(folder).release();
  });
});
