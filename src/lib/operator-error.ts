/** Failures that an operator can fix. Programs print their sentence, without a stack. */
import { toLines } from "./shown-text.ts";

/** Something is wrong with the installation or with a command. The message says what to do. */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
}

/**
 * What to print for an error that ends a program: a sentence if that is enough, else everything. Names in it may come
 * from files that others wrote, so it has nothing that changes a terminal.
 */
export function explainToOperator(error: unknown): string {
  if (!(error instanceof Error)) return toLines(String(error));
  return toLines(error instanceof OperatorError ? error.message : (error.stack ?? error.message));
}

/** A file or database in one of our folders cannot be opened. */
export class FolderError extends OperatorError {
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

/** Errors of SQLite and of writes to an open file, which have no path. */
const WITHOUT_PATH: readonly unknown[] = ["ERR_SQLITE_ERROR", "ENOSPC", "EDQUOT"];

/** Whether the file system, or SQLite on its behalf, refused something. */
export function isFileError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return "path" in error || WITHOUT_PATH.includes(error.code);
}

/** The server cannot listen at an address. */
class ListenError extends OperatorError {
  override readonly name = "ListenError";
}

/**
 * Turns a failure of `listen` into a ListenError. Errors that are not about the address are returned as they are.
 * @param portVariable the environment variable that sets the port
 */
export function toListenError(error: unknown, host: string, port: number, portVariable: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const sentence = explainListen(error.code, host, port, portVariable);
  return sentence === null ? error : new ListenError(sentence, { cause: error });
}

function explainListen(code: unknown, host: string, port: number, portVariable: string): string | null {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return `Another program listens on ${address}. Stop it, or set ${portVariable} to another port.`;
    case "EACCES":
      return `This user may not listen on ${address}. Set ${portVariable} to a port of 1024 or above, or lower the sysctl net.ipv4.ip_unprivileged_port_start.`;
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine cannot listen on ${address}: it has no such address. Set HOST to one of its addresses, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return null;
  }
}
