import { accessSync, constants } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toFolderError } from "../../lib/folder-error.ts";

/** The folder is in use by another process. */
export class DataDirInUseError extends Error {
  override readonly name = "DataDirInUseError";
}

/**
 * Locks the data folder for this process. The lock is the operating system's, held by an
 * exclusive SQLite transaction: it ends with the process, however the process ends, and leaves nothing stale
 * (unlike a file with a process id).
 * @throws DataDirInUseError, FolderError
 */
export function lockDataDir(folder: string): { release(): void } {
  const file = path.join(folder, "lock");
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file);
    // SQLite opens a file without write permission as read-only, and then locks nobody out.
    accessSync(file, constants.W_OK);
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    if (isBusy(error)) {
      throw new DataDirInUseError(
        `The data folder ${folder} is in use by another Slipway process. Stop that process, or set SLIPWAY_DATA_DIR to another folder.`,
        { cause: error },
      );
    }
    throw toFolderError("The lock", folder, error);
  }
  const held = lock;
  return { release: () => held.close() };
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
