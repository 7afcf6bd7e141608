/** What lies in a folder of ours cannot be opened. The message tells an operator what to change. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/**
 * What opening something in a folder failed with, as a sentence.
 * @param what begins the sentence
 */
export function toFolderError(what: string, folder: string, cause: unknown): FolderError {
  // PGlite throws the numbers of its own file system, which say nothing to anybody.
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new FolderError(
    `${what} cannot be opened in ${folder}${reason}. See that the user who runs Slipway owns that folder and all that is in it, and that its disk is not full, or set SLIPWAY_DATA_DIR to another folder.`,
    { cause },
  );
}

/** Whether the file system refused something, or SQLite on its behalf. */
export function isFileError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return "path" in error || error.code === "ERR_SQLITE_ERROR";
}
