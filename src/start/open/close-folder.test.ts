import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { closeFolder } from "./close-folder.ts";
import { FolderError } from "../../lib/operator-error.ts";

const isRoot = process.getuid?.() === 0;

describe("S2: a folder of ours", { skip: process.platform === "win32" && "Windows has other rights" }, () => {
  let root: string;
  before(() => {
    root = mkdtempSync(path.join(tmpdir(), "slipway-close-"));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const modeOf = (at: string) => (lstatSync(at).mode & 0o7777).toString(8);
  function plant(name: string, mode: number): string {
    const folder = path.join(root, name);
    mkdirSync(path.join(folder, "database", "base"), { recursive: true });
    writeFileSync(path.join(folder, "database", "base", "1"), "rows");
    writeFileSync(path.join(folder, "lock"), "");
    for (const [at, bits] of [
      ["database/base/1", 0o666],
      ["database/base", 0o777],
      ["database", 0o755],
      ["lock", 0o644],
      [".", mode],
    ] as const) {
      chmodSync(path.join(folder, at), bits);
    }
    return folder;
  }

  for (const mode of [0o755, 0o777, 0o750, 0o700]) {
    it(`is closed with all that is in it, whether it is 0${mode.toString(8)} or not`, () => {
      const folder = plant(`closed-${mode}`, mode);
      symlinkSync(root, path.join(folder, "link"));
      chmodSync(root, 0o755);
      closeFolder(folder, "SLIPWAY_DATA_DIR");
      assert.deepEqual(
        [".", "database", "database/base", "database/base/1", "lock"].map((at) =>
          modeOf(path.join(folder, at)),
        ),
        ["700", "700", "700", "600", "600"],
      );
      assert.equal(modeOf(root), "755", "the target of a link is not changed");
      chmodSync(root, 0o700);
    });
  }

  it("is finished by the next start after an interruption, and may be missing", () => {
    const folder = plant("broken-off", 0o700);
    chmodSync(path.join(folder, "lock"), 0o600);
    closeFolder(folder, "SLIPWAY_DATA_DIR");
    assert.equal(modeOf(path.join(folder, "database/base/1")), "600");
    closeFolder(path.join(root, "missing"), "SLIPWAY_DATA_DIR");
  });

  it(
    "that is open and belongs to another user is refused, with what to do",
    { skip: !isRoot && "needs root" },
    () => {
      const folder = plant("foreign", 0o777);
      chownSync(folder, 12345, 12345);
      chmodSync(root, 0o711);
      // As a plain user, in this very process, for root may close everything.
      process.seteuid?.(54321);
      try {
        assert.throws(
          () => closeFolder(folder, "SLIPWAY_DATA_DIR"),
          (error) =>
            error instanceof FolderError && /another user owns it.*SLIPWAY_DATA_DIR/s.test(error.message),
        );
      } finally {
        process.seteuid?.(0);
      }
    },
  );
});
