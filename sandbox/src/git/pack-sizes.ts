/** In a file of its own, so that the process of a checkout, which needs only this, loads no library of git. */
import * as fs from "node:fs";
import path from "node:path";

/** Bytes of all packs of a repository. */
export async function sizeOfPacks(gitdir: string): Promise<number> {
  const folder = path.join(gitdir, "objects", "pack");
  if (!fs.existsSync(folder)) return 0;
  const names = await fs.promises.readdir(folder);
  const sizes = await Promise.all(
    names.map(async (name) => {
      // Git renames its packs when they are complete, and removes old ones.
      const stat = await fs.promises.stat(path.join(folder, name)).catch(nullIfMissing);
      return stat?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}
