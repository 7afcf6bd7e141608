import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A folder with programs that is kept between runs, and built again when other versions are pinned. It is built aside and
 * renamed, so that no second run uses one half built.
 * @param versions what it is built from
 * @returns its path
 */
export function openKeptFolder(name: string, versions: string, build: (folder: string) => void): string {
  const digest = createHash("sha256").update(versions).digest("hex").slice(0, 12);
  const folder = path.join(tmpdir(), `slipway-${name}-${process.getuid?.() ?? "user"}-${digest}`);
  if (existsSync(folder)) return folder;
  const building = mkdtempSync(`${folder}-`);
  build(building);
  try {
    renameSync(building, folder);
  } catch (error) {
    // Another run was first.
    if (!existsSync(folder)) throw error;
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}
