import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isFileError, toFolderError } from "../../../src/lib/operator-error.ts";

export type SealedCopy = {
  /** Its path. */
  readonly file: string;
  /** Null if there is none. @throws FolderError */
  read(): Promise<Buffer | null>;
  /** Replaces it as a whole: after a crash, the file is the one before or the one after. @throws FolderError */
  write(sealed: Buffer): Promise<void>;
};

/** A file that only its owner reads. What it has is sealed by the caller. */
export function openSealedCopy(folder: string): SealedCopy {
  const file = path.join(folder, "edge-copy.sealed");
  const fail = (error: unknown) =>
    isFileError(error) ? toFolderError("The edge's copy", folder, error) : error;
  return {
    file,
    async read() {
      try {
        return await readFile(file);
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw fail(error);
      }
    },
    async write(sealed) {
      const next = `${file}.${randomUUID()}`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await using handle = await open(next, "wx", 0o600);
        await handle.writeFile(sealed);
        await handle.sync();
        await rename(next, file);
      } catch (error) {
        await rm(next, { force: true }).catch(() => {});
        throw fail(error);
      }
    },
  };
}
