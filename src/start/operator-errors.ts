import { SandboxStartError } from "../sandbox/start-error.ts";
import { ConfigError } from "./config.ts";
import { DataDirInUseError } from "../db/drivers/data-dir-lock.ts";
import { DatabaseUnavailableError } from "../db/database.ts";
import { MigrationError } from "../db/migrate.ts";
import { DatabaseStartError } from "../db/drivers/postgres-server.ts";
import { FolderError } from "../lib/folder-error.ts";
import { ListenError } from "../lib/listen-error.ts";
import { SealingError } from "../sealing/sealing-error.ts";
import { TlsFilesError } from "../http/tls-files.ts";

/** A command that cannot be done as it was given. The message says what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** What an operator can fix; told in a sentence, without a stack. */
const OPERATOR_ERRORS = [
  ConfigError,
  ListenError,
  DataDirInUseError,
  DatabaseStartError,
  DatabaseUnavailableError,
  FolderError,
  MigrationError,
  OperatorError,
  SandboxStartError,
  SealingError,
  TlsFilesError,
];

/** What to print of an error that ends a program: a sentence where that is enough, else all there is. */
export function explainToOperator(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return OPERATOR_ERRORS.some((kind) => error instanceof kind)
    ? error.message
    : (error.stack ?? error.message);
}
