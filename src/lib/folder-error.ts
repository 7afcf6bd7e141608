/** A file or database in one of our folders cannot be opened. The message says what an operator has to change. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/**
 * Turns the failure to open something in a folder into a sentence.
 * @param what begins the sentence
 */
export function toFolderError(what: string, folder: string, cause: unknown): FolderError {
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new FolderError(
    `${what} cannot be opened in ${folder}${reason}. Check that the user who runs Slipway owns this folder and everything in it and that its disk is not full, or set SLIPWAY_DATA_DIR to another folder.`,
    { cause },
  );
}

/** Whether the file system, or SQLite on its behalf, refused something. */
export function isFileError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return "path" in error || error.code === "ERR_SQLITE_ERROR";
}
