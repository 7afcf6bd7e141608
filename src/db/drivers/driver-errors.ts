import { DatabaseError, DatabaseUnavailableError } from "../database.ts";

/**
 * SQLSTATE classes and codes that mean "not now": connection (08), resources (53), operator (57P0), and a
 * transaction that the server ended because its process stood still (25P03).
 */
const UNAVAILABLE = /^(08|53|57P0|25P03)/;
const DISK_FULL = "53100";
/** Each contains a digit, unlike the operating system's `EPIPE`. */
const SQLSTATE = /^(?=.*[0-9])[0-9A-Z]{5}$/;

/**
 * Turns what a driver throws into our two errors. The driver's `detail`, `query` and `params` quote
 * values of rows, so they are dropped here and not kept as a cause.
 */
export function translateDriverError(error: unknown, statementName: string): Error {
  if (!(error instanceof Error)) return new Error(`${statementName}: the driver threw no error`);
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailableError) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (SQLSTATE.test(code) && !UNAVAILABLE.test(code)) {
    const constraint =
      "constraint" in error && typeof error.constraint === "string" ? error.constraint : null;
    return new DatabaseError(code, constraint, statementName, error.message);
  }
  if (code === DISK_FULL) return new DatabaseUnavailableError("The database has no space left.", "no space");
  if (isConnectionLoss(error, code)) {
    return new DatabaseUnavailableError(`The database does not answer (${code || error.message}).`);
  }
  return error;
}

function isConnectionLoss(error: Error, code: string): boolean {
  if (UNAVAILABLE.test(code)) return true;
  if (/^E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_)/.test(code)) return true;
  // Written to a connection that the other side had already closed.
  if (code.startsWith("ERR_STREAM_")) return true;
  // Errors that `pg` reports only as text.
  return /connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable|connection ended|cannot use a pool after/i.test(
    error.message,
  );
}

/** PostgreSQL resolved a deadlock (40P01), or a serialization failed (40001). */
function isWorthRepeating(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40P01" || error.code === "40001");
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
