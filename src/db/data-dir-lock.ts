import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The folder is in use by another process. */
export class DataDirInUseError extends Error {
  override readonly name = "DataDirInUseError";
}

/**
 * Takes the data folder for this process alone. The lock is the operating system's, held through an
 * exclusive SQLite transaction: it ends with the process, however that ends, and leaves nothing stale
 * (a file with a process id would).
 * @throws DataDirInUseError
 */
export function lockDataDir(folder: string): { release(): void } {
  const lock = new DatabaseSync(path.join(folder, "lock"));
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) {
      throw new DataDirInUseError(
        `The data folder ${folder} is in use by another Slipway process. Stop that one, or set SLIPWAY_DATA_DIR to another folder.`,
        { cause: error },
      );
    }
    throw error;
  }
  return { release: () => lock.close() };
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
