import { readdir, stat } from "node:fs/promises";
import path from "node:path";

export async function exists(at: string): Promise<boolean> {
  return await stat(at).then(
    () => true,
    () => false,
  );
}

/** Of all files in it, in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => stat(path.join(entry.parentPath, entry.name))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
