/**
 * The database as features see it: named statements and transactions. Two drivers stand behind it,
 * `postgres.ts` and `pglite.ts`; nothing else knows which one runs.
 */

/** One SQL statement with a name of its own, so that PostgreSQL plans it once for each connection. */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** As `readStatement` or `writeStatement` says. */
  readonly isRead: boolean;
  /** Never set; carries the type of the rows. */
  readonly row?: Row;
};

/**
 * Names a statement that changes nothing and waits for no lock: it shares a connection with others, is ended when it
 * takes long, and may be run again (`decisions/reads-share-connections.md`). `Row` is what it returns, columns aliased
 * to their names in the code.
 */
export function readStatement<Row>(name: string, text: string): Statement<Row> {
  return { name, text, isRead: true };
}

/** Names a statement that changes something or waits for a lock: it has a connection to itself. */
export function writeStatement<Row = never>(name: string, text: string): Statement<Row> {
  return { name, text, isRead: false };
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

/** An open transaction. `executeSql` is what pg-boss needs to enqueue a job inside it. */
export interface Transaction extends Sql {
  /**
   * Runs a statement whose rows nobody needs, without a round trip of its own: it travels with the next one,
   * or with the commit. Its failure fails the transaction.
   */
  send(statement: Statement<unknown>, values?: readonly SqlValue[]): void;
  /** Has whoever listens to the channel told, soon after the commit; a process that dies just then tells nobody. */
  notify(channel: string, payload: string): void;
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface Database extends Sql {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs `work` in a transaction, and again when PostgreSQL broke a deadlock by ending it: `work` must
   * do nothing but SQL. A throw rolls back.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` for one organization: its transactions, and its statements that write, reach no row of another,
   * whatever they say. (Row-level security; what only reads, outside of a transaction, is not held to it.)
   */
  within<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** Runs `work` that goes over the rows of all organizations, as sweeps do. */
  acrossOrganizations<T>(work: () => Promise<T>): Promise<T>;
  /**
   * From now on, each transaction and each write has to be in one of these two, and runs under this role
   * (`tenant-role.ts`).
   */
  restrictWrites(role: string): void;
  /** The same as a transaction's, for what has been committed already. */
  notify(channel: string, payload: string): void;
  /** Hears every NOTIFY of a channel; on a lost connection it reconnects by itself, and messages between are lost. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<{ close(): Promise<void> }>;
  /** Several statements without parameters at once, for migrations. */
  execute(text: string): Promise<void>;
  /** How the connections are used at the moment, and how many wait for one. */
  pool(): { readonly open: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** A statement that PostgreSQL refused. Holds what a program may decide on, never the values of a row. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** SQLSTATE */
  readonly code: string;
  readonly constraint: string | null;
  constructor(code: string, constraint: string | null, statementName: string, message: string) {
    super(`${statementName}: ${message}`);
    this.code = code;
    this.constraint = constraint;
  }
}

/** The database could not be reached or is going down; what was asked may be asked again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";

/** True when a row of this key exists already (of this constraint, where one is named). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, UNIQUE_VIOLATION, constraint);
}

/** True when a row is still referred to, or refers to what is not there. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, FOREIGN_KEY_VIOLATION, constraint);
}

function isViolation(error: unknown, code: string, constraint: string | undefined): boolean {
  return (
    error instanceof DatabaseError &&
    error.code === code &&
    (constraint === undefined || error.constraint === constraint)
  );
}
