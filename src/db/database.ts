import { OperatorError } from "../lib/operator-error.ts";

/**
 * The database as features see it: named statements and transactions. There are two drivers,
 * `postgres.ts` and `pglite.ts`; only this folder knows which one runs.
 */

/** A named SQL statement: PostgreSQL plans it once for each connection. */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** Whether it changes nothing and waits for no lock. */
  readonly isRead: boolean;
  /** Whether `readAsOwner` made it. */
  readonly runsAsOwner: boolean;
  /** Never set; carries the type of the rows. */
  readonly row?: Row;
};

/**
 * Names a statement that changes nothing and waits for no lock. It shares a connection with others, is ended when it
 * takes long, and may be run again (docs/decisions/0013-reads-share-connections.md). `Row` is the type of its rows,
 * with columns aliased to their names in the code.
 */
export function readStatement<Row>(name: string, text: string): Statement<Row> {
  return { name, text, isRead: true, runsAsOwner: false };
}

/**
 * Names a read that runs as the owner of the tables, whichever organization its caller works for: of rows of several
 * organizations, or of none, such as the catalogue. Or of ids that an index finds by an expression: PostgreSQL uses such
 * an index under no policy, unless the functions of the expression are leakproof (PostgreSQL, 41.5).
 */
export function readAsOwner<Row>(name: string, text: string): Statement<Row> {
  return { name, text, isRead: true, runsAsOwner: true };
}

/** Names a statement that changes something or waits for a lock: it has a connection to itself. */
export function writeStatement<Row = never>(name: string, text: string): Statement<Row> {
  return { name, text, isRead: false, runsAsOwner: false };
}

export type SqlValue =
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly (string | number | Date | boolean | null)[];

export interface Sql {
  /** Runs a statement and returns its rows. @throws DatabaseError, DatabaseUnavailableError */
  query<Row>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
}

/** Handles the result of a statement that was sent. */
export type Then<Row> = {
  /** Gets the rows when they arrive, at the latest before the transaction ends. It may `notify`, but run no statement. */
  readonly onRows?: ((rows: Row[]) => void) | undefined;
  /** Throws the error of the transaction if the statement failed. */
  readonly onFailure?: ((error: unknown) => never) | undefined;
};

/** An open transaction. */
export interface Transaction extends Sql {
  /**
   * Sends a statement without waiting for its result, and without its own round trip: it travels with the next statement,
   * or with the commit. If it fails, the transaction fails.
   */
  send<Row>(statement: Statement<Row>, values?: readonly SqlValue[], then?: Then<Row>): void;
  /**
   * Notifies the listeners of a channel soon after the commit. The message is lost if the process dies in between.
   */
  notify(channel: string, payload: string): void;
  /** Runs a statement without a name: what has no parameters, such as GRANT. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface Database extends Sql {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs `work` in a transaction. Runs it again when PostgreSQL ended it to break a deadlock, so `work` must do nothing
   * but SQL. A throw rolls back. If the answer to its commit is lost, it fails with `outcome unknown`.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T>;
  /**
   * Runs `work` for one organization: row-level security keeps its statements from the rows of others, whatever their
   * text says.
   */
  within<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** Runs `work` that goes over the rows of all organizations, as sweeps do. */
  acrossOrganizations<T>(work: () => Promise<T>): Promise<T>;
  /**
   * From now on, each transaction and each statement must be inside `within` or `acrossOrganizations`, unless
   * `readAsOwner` named it. Inside `within` it runs under this role (`tenant-role.ts`).
   */
  restrict(tenant: { readonly role: string; readonly isDistributed: boolean }): void;
  /** Like a transaction's `notify`, for changes that are already committed. */
  notify(channel: string, payload: string): void;
  /**
   * Receives every NOTIFY of a channel. Reconnects when the connection is lost; messages sent in between are lost, and
   * `onReconnect` says so.
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onReconnect?: () => void,
  ): Promise<{ close(): Promise<void> }>;
  /** Runs several statements without parameters at once, for migrations. */
  execute(text: string): Promise<void>;
  /** How many connections are open and idle, and how many callers wait for one. */
  pool(): { readonly open: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** A statement that PostgreSQL refused. Contains what a program may decide on, but never the values of a row. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** SQLSTATE */
  readonly code: string;
  /** The name of the violated constraint; of a missing value, its column. */
  readonly constraint: string | null;
  constructor(code: string, constraint: string | null, statementName: string, message: string) {
    super(`${statementName}: ${message}`);
    this.code = code;
    this.constraint = constraint;
  }
}

/**
 * Why the database cannot be used now. `outcome unknown`: a write was sent and its answer was lost, so it may have been
 * done. After the other two it was not.
 */
export type Unavailability = "no answer" | "no space" | "outcome unknown";

/** The database could not be reached, is shutting down, takes no writes or has no space left; the caller may retry. */
export class DatabaseUnavailableError extends OperatorError {
  override readonly name = "DatabaseUnavailableError";
  readonly reason: Unavailability;
  constructor(message: string, reason: Unavailability = "no answer") {
    super(message);
    this.reason = reason;
  }
}

const UNIQUE_VIOLATION = "23505";
const NOT_NULL_VIOLATION = "23502";
const FOREIGN_KEY_VIOLATION = "23503";

/** Whether a row with this key already exists. With `constraint`, only violations of that constraint count. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, UNIQUE_VIOLATION, constraint);
}

/** Whether a row is still referred to, or refers to a missing row. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, FOREIGN_KEY_VIOLATION, constraint);
}

/** Whether the value of a column that requires one is missing. */
export function isNotNullViolation(error: unknown, column: string): boolean {
  return isViolation(error, NOT_NULL_VIOLATION, column);
}

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  return (
    error instanceof DatabaseError &&
    error.code === code &&
    (constraint === undefined || error.constraint === constraint)
  );
}
