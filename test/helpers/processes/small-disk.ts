/** A separate file system that can be filled, for tests without free space. */
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export type SmallDisk = {
  readonly folder: string;
  /** Fills the free space. @param blocksLeft of 4 KiB that stay free */
  fill(blocksLeft?: number): void;
  /** Gives it back. */
  clear(): void;
  dispose(): void;
};

const BLOCK_OCTETS = 4_096;

/** @returns null where this user may not mount one */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.getuid?.() !== 0) return null;
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-disk-"));
  const ballast = path.join(folder, "ballast");
  try {
    const mount = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "slipway-test", folder];
    execFileSync("mount", mount, { stdio: "ignore" });
  } catch {
    // Root without the right to mount, as in most containers.
    rmSync(folder, { recursive: true });
    return null;
  }
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  return {
    folder,
    fill(blocksLeft = 0) {
      const file = openSync(ballast, "a");
      const block = Buffer.alloc(BLOCK_OCTETS);
      try {
        const { bavail } = statfsSync(folder);
        for (let left = blocksLeft === 0 ? Infinity : bavail - blocksLeft; left > 0; left--) {
          writeSync(file, block);
        }
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(ballast, { force: true }),
    dispose() {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
