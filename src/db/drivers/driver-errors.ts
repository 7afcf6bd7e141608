import { DatabaseError, DatabaseUnavailableError } from "../database.ts";

/**
 * SQLSTATE classes and codes that mean "not now": connection (08), resources (53), operator (57P0), a transaction that
 * the server ended because its process stood still (25P03, 25P04), and a server that takes no writes, for another is
 * the primary now (25006).
 */
const UNAVAILABLE = /^(08|53|57P0|25P0[34]|25006)/;
const DISK_FULL = "53100";
const INTERNAL = "XX000";
const READ_ONLY = "25006";
const PROTOCOL_VIOLATION = "08P01";
/** What Citus says of most of them (`isMovedAway`). */
const MOVED_AWAY = "CIINF";
const SERIALIZATION_FAILURE = "40001";
/** How a session ends that had heard a COMMIT: after it (57P0), or without an answer from the server (08). */
const ENDED_SESSION = /^(08|57P0)/;
/** Each contains a digit, unlike the operating system's `EPIPE`. */
const SQLSTATE = /^(?=.*[0-9])[0-9A-Z]{5}$/;

/**
 * Turns what a driver throws into our two errors. The driver's `detail`, `query` and `params` quote
 * values of rows, so they are dropped here and not kept as a cause.
 */
export function translateDriverError(error: unknown, statementName: string): Error {
  if (!(error instanceof Error)) return new Error(`${statementName}: the driver threw no error`);
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailableError) return error;
  const code = codeOf(error);
  if (isMovedAway(code, error)) {
    return new DatabaseError(SERIALIZATION_FAILURE, null, statementName, error.message);
  }
  if (SQLSTATE.test(code) && !UNAVAILABLE.test(code)) {
    return new DatabaseError(violationOf(code, error), constraintOf(error), statementName, error.message);
  }
  if (code === DISK_FULL) return new DatabaseUnavailableError("The database has no space left.", "no space");
  if (code === READ_ONLY) {
    return new DatabaseUnavailableError(`The database takes no writes at the moment (${code}).`);
  }
  if (isConnectionLoss(error)) {
    // A pooler says in words what it does not take.
    const what = code === PROTOCOL_VIOLATION ? `${code}: ${error.message}` : code || error.message;
    return new DatabaseUnavailableError(`The database does not answer (${what}).`);
  }
  return error;
}

/** Citus split or moved the part of a table for which a statement waited. The statement has done nothing. */
function isMovedAway(code: string, { message }: Error): boolean {
  return (
    code === MOVED_AWAY || (code === INTERNAL && /^could not find valid entry for shard \d/.test(message))
  );
}

/**
 * The column, if a value is missing. Citus names a constraint only in its message, with the number of the part of the
 * table that has it.
 */
function constraintOf(error: Error): string | null {
  if ("constraint" in error && typeof error.constraint === "string") return error.constraint;
  if ("column" in error && typeof error.column === "string") return error.column;
  return / violates .* constraint "(\w+?)(?:_\d{6,})?"/.exec(error.message)?.[1] ?? null;
}

/** Citus loses the code of a violation when it copies rows to a node. */
function violationOf(code: string, { message }: Error): string {
  if (code !== INTERNAL) return code;
  if (/ violates unique constraint /.test(message)) return "23505";
  return / violates foreign key constraint /.test(message) ? "23503" : code;
}

/** Whether a write that failed with this error of the driver may have been done nevertheless. */
export function mayHaveBeenDone(error: unknown): boolean {
  if (!(error instanceof Error) || !isConnectionLoss(error)) return false;
  // It was never sent.
  if (/not queryable/.test(error.message)) return false;
  const code = codeOf(error);
  return !SQLSTATE.test(code) || ENDED_SESSION.test(code);
}

/** What a server says beside its answers: the SQLSTATE, and the function of its program that says it. */
export type Notice = { readonly code?: string | undefined; readonly routine?: string | undefined };

/** SQLSTATE of a warning of no other class. */
const WARNING = "01000";
/** Citus has no process left for its upkeep (`max_worker_processes`). Writes are as safe as before. */
const NO_UPKEEP = "WarnMaintenanceDaemonNotStarted";

/**
 * Whether a notice is the warning with which PostgreSQL ends a commit's wait for its standbys (SyncRepWaitForLSN in
 * syncrep.c). It answers as if all were well, but the commit is on no other server yet and may be lost with this one.
 * Citus repeats that of its nodes, and has some of its own.
 */
export function isDoubt({ code, routine }: Notice): boolean {
  return code === WARNING && routine !== NO_UPKEEP;
}

export function outcomeUnknown(): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    "The database did not confirm a write, which may have been done. Look before you repeat it.",
    "outcome unknown",
  );
}

/** Whether its connection must not be used again after this error. */
export function isBreaking(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.reason !== "no space";
}

/** Whether an error of the driver means that the server does not answer, or not now. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (UNAVAILABLE.test(code)) return true;
  if (/^E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_)/.test(code)) return true;
  // Written to a connection that the other side had already closed.
  if (code.startsWith("ERR_STREAM_")) return true;
  // Errors that `pg` reports only as text.
  return /connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable|connection ended|cannot use a pool after/i.test(
    error.message,
  );
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** PostgreSQL resolved a deadlock (40P01), or a serialization failed (40001). */
function isWorthRepeating(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40P01" || error.code === SERIALIZATION_FAILURE);
}

const ATTEMPTS = 4;

/** Runs one whole transaction, and repeats it if it lost a deadlock. */
export async function repeatOnDeadlock<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= ATTEMPTS || !isWorthRepeating(error)) throw error;
    }
  }
}
