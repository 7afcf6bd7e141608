import { accessSync, constants } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError, toFolderError } from "../../lib/operator-error.ts";

/** The folder is in use by another process. */
export class DataDirInUseError extends OperatorError {
  override readonly name = "DataDirInUseError";
}

/**
 * Locks the data folder for this process.
 * @throws DataDirInUseError, FolderError
 */
export function lockDataDir(folder: string): { release(): void } {
  try {
    const held = takeLock(path.join(folder, "lock"), 0);
    return { release: () => held.close() };
  } catch (error) {
    if (isBusy(error)) {
      throw new DataDirInUseError(
        `The data folder ${folder} is in use by another Slipway process. Stop that process, or set SLIPWAY_DATA_DIR to another folder.`,
        { cause: error },
      );
    }
    throw toFolderError("The lock", folder, error);
  }
}

/**
 * Locks the files of the embedded database for this process. A process that loses its Slipway still has
 * them for a moment, so the next one waits.
 * @throws Error
 */
export function lockDatabase(folder: string): { release(): void } {
  try {
    const held = takeLock(`${folder}.lock`, DYING_MS);
    return { release: () => held.close() };
  } catch (error) {
    throw isBusy(error) ? new Error("another process has it open", { cause: error }) : error;
  }
}

/** Such a process ends after the statement that it has. This is longer than any of ours takes. */
const DYING_MS = 30_000;
const SQLITE_BUSY = 5;

/**
 * The lock is the operating system's, held by an exclusive SQLite transaction: it ends with the process, however the
 * process ends, and leaves nothing stale (unlike a file with a process id).
 */
function takeLock(file: string, patienceMs: number): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: patienceMs });
  try {
    // SQLite opens a file without write permission as read-only, and its lock then excludes no other process.
    accessSync(file, constants.W_OK);
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
