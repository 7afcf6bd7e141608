import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isFileError, toFolderError } from "../../../src/lib/operator-error.ts";

/** Files that only their owner reads. What they have is sealed by the caller. */
export type SealedCopy = {
  readonly folder: string;
  /** The names of the files; empty if there are none. @throws FolderError */
  list(): Promise<readonly string[]>;
  /** Null if there is none. @throws FolderError */
  read(name: string): Promise<Buffer | null>;
  /** Replaces a file as a whole: after a crash, it is the one before or the one after. @throws FolderError */
  write(name: string, sealed: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
};

const SUFFIX = ".sealed";

export function openSealedCopy(folder: string): SealedCopy {
  const fileOf = (name: string) => path.join(folder, `${name}${SUFFIX}`);
  const fail = (error: unknown) =>
    isFileError(error) ? toFolderError("The edge's copy", folder, error) : error;
  async function unlessMissing<T>(read: () => Promise<T>, missing: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return missing;
      throw fail(error);
    }
  }
  return {
    folder,
    async list() {
      const files = await unlessMissing(() => readdir(folder), []);
      return files.flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));
    },
    read: (name) => unlessMissing(() => readFile(fileOf(name)), null),
    async write(name, sealed) {
      const next = path.join(folder, `${name}.${randomUUID()}`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await using handle = await open(next, "wx", 0o600);
        await handle.writeFile(sealed);
        await handle.sync();
        await rename(next, fileOf(name));
      } catch (error) {
        await rm(next, { force: true }).catch(() => {});
        throw fail(error);
      }
    },
    remove: (name) => rm(fileOf(name), { force: true }),
  };
}
