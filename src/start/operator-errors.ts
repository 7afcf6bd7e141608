import { SandboxStartError } from "../../sandbox/src/start-error.ts";
import { ConfigError } from "./config/config.ts";
import { DataDirInUseError } from "../db/drivers/data-dir-lock.ts";
import { CopyError } from "../db/copy/write-rows.ts";
import { DatabaseUnavailableError } from "../db/database.ts";
import { DistributionError } from "../db/distribute.ts";
import { UnusableDatabaseError } from "../db/facts.ts";
import { MigrationError } from "../db/migrate.ts";
import { DatabaseStartError } from "../db/drivers/postgres-server.ts";
import { FolderError } from "../lib/folder-error.ts";
import { ListenError } from "../lib/listen-error.ts";
import { toLines } from "../lib/shown-text.ts";
import { SealingError } from "../sealing/sealing-error.ts";
import { TlsFilesError } from "../http/listen/tls-files.ts";

/** A command that cannot be carried out as given. The message says what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** Errors that an operator can fix; printed as a sentence, without a stack. */
const OPERATOR_ERRORS = [
  ConfigError,
  CopyError,
  ListenError,
  DataDirInUseError,
  DatabaseStartError,
  DatabaseUnavailableError,
  DistributionError,
  FolderError,
  MigrationError,
  OperatorError,
  SandboxStartError,
  SealingError,
  TlsFilesError,
  UnusableDatabaseError,
];

/**
 * What to print for an error that ends a program: a sentence if that is enough, else everything. Names in it may come
 * from files that others wrote, so it has nothing that changes a terminal.
 */
export function explainToOperator(error: unknown): string {
  if (!(error instanceof Error)) return toLines(String(error));
  const isExplained = OPERATOR_ERRORS.some((kind) => error instanceof kind);
  return toLines(isExplained ? error.message : (error.stack ?? error.message));
}
