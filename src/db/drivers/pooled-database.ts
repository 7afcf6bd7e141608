/** What both drivers have in common: statements and transactions over a pool of connections. */
import type { Client, PoolClient, QueryResult } from "pg";
import {
  type Database,
  DatabaseError,
  type SqlValue,
  type Statement,
  type Transaction,
} from "../database.ts";
import { createNotifier, type Message, type Notifier } from "../notifier.ts";
import { createTenantScope, type Opening } from "../tenant-scope.ts";
import { ask, named } from "./ask.ts";
import {
  isBreaking,
  isDoubt,
  mayHaveBeenDone,
  type Notice,
  outcomeUnknown,
  repeatOnDeadlock,
  translateDriverError,
} from "./driver-errors.ts";
import { runInScope } from "./scoped-read.ts";
import { destroy } from "./servers.ts";

export type PooledDatabase = Omit<Database, "kind" | "listen" | "pool" | "close"> & {
  /** Resolves when every notification was sent, or could not be. */
  drained(): Promise<void>;
};

type OnError = (error: unknown) => void;

/** Where connections come from; each is given back with its `release`. */
export type Connections = { connect(): Promise<PoolClient> };

/** How long BEGIN and COMMIT are waited for, in ms; null: as long as it takes. */
export type TransactionLimits = { readonly beginMs: number; readonly commitMs: number } | null;

/** Runs a statement that only reads, in its scope; null: as the owner. */
type Read = <Row>(
  statement: Statement<Row>,
  values: readonly SqlValue[],
  scope: Opening | null,
) => Promise<Row[]>;

/** @param options.read by default, each read has a connection of its own */
export function createPooledDatabase(options: {
  pool: Connections;
  read?: Read;
  limits: TransactionLimits;
  onError: OnError;
}): PooledDatabase {
  const { pool, limits, onError } = options;
  const readAlone: Read = (statement, values, scope) => runAlone(pool, statement, values, onError, scope);
  const { read = readAlone } = options;
  const notifier = createNotifier({
    run: (statement, values) => runAlone(pool, statement, values, onError),
    onError,
  });
  const { opening, within, acrossOrganizations, restrict } = createTenantScope();
  const transaction = async <T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> => {
    const begin = opening()?.begin ?? null;
    return await repeatOnDeadlock(() => runTransaction(pool, begin, work, { notifier, limits, onError }));
  };
  const write = async <Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    if (opening() === null) return await repeatOnDeadlock(() => runAlone(pool, statement, values, onError));
    let rows: Row[] = [];
    const onRows = (found: Row[]): void => {
      rows = found;
    };
    await transaction((tx) => tx.send(statement, values, { onRows }));
    return rows;
  };
  return {
    async query<Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) {
      if (!statement.isRead) return await write(statement, values);
      return await read(statement, values, statement.runsAsOwner ? null : opening());
    },
    transaction,
    within,
    acrossOrganizations,
    restrict,
    notify: (channel, payload) => notifier.add([{ channel, payload }]),
    execute: (text) =>
      withClient(pool, onError, async (client) => {
        try {
          await ask(client, { text }, null);
        } catch (error) {
          throw translateDriverError(error, "execute");
        }
      }),
    drained: () => notifier.drained(),
  };
}

/**
 * Runs `work` on a connection of its own. After a statement that failed the connection is kept, unless it was lost or
 * its server cannot be used now.
 * @throws DatabaseUnavailableError
 */
export async function withClient<T>(
  pool: Connections,
  onError: OnError,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, onError);
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    isBroken = isBreaking(error);
    throw error;
  } finally {
    disconnect(client, onError, isBroken);
  }
}

/**
 * Runs one statement on a connection of its own.
 * @param scope of a statement that only reads; null: as the owner
 * @throws DatabaseError, DatabaseUnavailableError
 */
export async function runAlone<Row>(
  pool: Connections,
  statement: Statement<Row>,
  values: readonly SqlValue[],
  onError: OnError,
  scope: Opening | null = null,
): Promise<Row[]> {
  return await withClient(pool, onError, async (client) => {
    if (scope !== null) return await runInScope(client, statement, values, scope);
    if (statement.isRead) return await run(client, statement, values);
    const doubts = watchForDoubts(client);
    try {
      const result = await ask(client, named(statement, values));
      if (doubts.any()) throw outcomeUnknown();
      return result.rows as Row[];
    } catch (error) {
      throw mayHaveBeenDone(error) ? outcomeUnknown() : translateDriverError(error, statement.name);
    } finally {
      doubts.end();
    }
  });
}

/** @throws DatabaseError, DatabaseUnavailableError */
export async function run<Row>(
  client: Client,
  statement: Statement<Row>,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  try {
    return (await ask(client, named(statement, values))).rows as Row[];
  } catch (error) {
    throw translateDriverError(error, statement.name);
  }
}

/** Takes a connection, which has to be given back by `disconnect`. @throws DatabaseUnavailableError */
export async function connect(pool: Connections, onError: OnError): Promise<PoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateDriverError(error, "connect");
  });
  // The pool does not listen to a connection while it is in use, and a lost connection without a listener
  // would end the process. The caller notices the loss when its next statement fails.
  client.on("error", onError);
  return client;
}

/** @param isBroken whether the connection must not be used again */
export function disconnect(client: PoolClient, onError: OnError, isBroken = false): void {
  client.off("error", onError);
  // At once: the pool would wait for what is still unanswered.
  if (isBroken) destroy(client);
  client.release(isBroken);
}

/** Whether the server has said, since then, that it is not sure of a commit. */
function watchForDoubts(client: PoolClient): { any(): boolean; end(): void } {
  let hasDoubt = false;
  const note = (notice: Notice): void => {
    hasDoubt ||= isDoubt(notice);
  };
  client.on("notice", note);
  return {
    any: () => hasDoubt,
    end: () => void client.off("notice", note),
  };
}

/**
 * The only way to commit. Sent statements are held back until the caller waits for an answer, so a transaction that
 * waits for none is sent in one packet, from BEGIN to COMMIT. A COMMIT is never cancelled: PostgreSQL would acknowledge
 * it without its standbys.
 */
async function runTransaction<T>(
  pool: Connections,
  begin: string | null,
  work: (tx: Transaction) => Promise<T> | T,
  around: { notifier: Notifier; limits: TransactionLimits; onError: OnError },
): Promise<T> {
  const { notifier, limits, onError } = around;
  const client = await connect(pool, onError);
  let isBroken = false;
  /** The outcomes of what was sent without waiting, in that order: everything after a failure fails too. */
  const sent: Promise<unknown>[] = [];
  const add = (outcome: Promise<unknown>): void => {
    // Handled later; until then it must not count as unhandled.
    outcome.catch(() => undefined);
    sent.push(outcome);
  };
  const settle = async (): Promise<void> => {
    for (const outcome of sent) await outcome;
  };
  const messages: Message[] = [];
  const { stream } = client.connection;
  const holdBack = (): void => {
    if (stream.writableCorked === 0) stream.cork();
  };
  const flushed = <Answer>(answer: Answer): Answer => {
    if (stream.writableCorked > 0) stream.uncork();
    return answer;
  };
  const command = (text: string, limitMs?: number): Promise<QueryResult> => {
    holdBack();
    const outcome = ask(client, { text }, limitMs);
    add(outcome);
    return outcome;
  };
  let hasEnded = false;
  // Work may continue after the end, if other work beside it failed. Its statements would write without a transaction,
  // and hold back what others send on this connection.
  const refuseLate = (): void => {
    if (hasEnded) throw new Error("The transaction has ended.");
  };
  /** A statement that would silently find fewer rows than it asks for. */
  const refuseAsOwner = ({ runsAsOwner, name }: Statement<unknown>): void => {
    if (runsAsOwner && begin !== null)
      throw new Error(`${name} runs as the owner, but the transaction belongs to one organization.`);
  };
  const untilEnded = async (all: () => Promise<T> | T): Promise<T> => {
    try {
      return await all();
    } finally {
      hasEnded = true;
    }
  };
  let commit: Promise<QueryResult> | null = null;
  const doubts = watchForDoubts(client);
  try {
    void command(begin ?? "BEGIN", limits?.beginMs);
    const result = await untilEnded(() =>
      work({
        query(statement, values) {
          refuseLate();
          refuseAsOwner(statement);
          return flushed(run(client, statement, values));
        },
        send(statement, values, { onRows, onFailure } = {}) {
          refuseLate();
          refuseAsOwner(statement);
          holdBack();
          add(run(client, statement, values).then(onRows, onFailure));
        },
        notify: (channel, payload) => void messages.push({ channel, payload }),
        executeSql(text, values) {
          refuseLate();
          return flushed(ask(client, { text, ...(values && { values }) }, null));
        },
      }),
    );
    commit = command("COMMIT", limits?.commitMs);
    await flushed(settle());
    if (doubts.any()) throw outcomeUnknown();
    notifier.add(messages);
    return result;
  } catch (error) {
    let isUnknown = false;
    if (commit === null) {
      // A connection that cannot even roll back must not be reused.
      await flushed(ask(client, { text: "ROLLBACK" }, limits?.beginMs)).catch(() => {
        isBroken = true;
      });
    } else isUnknown = await commit.then(() => false, mayHaveBeenDone);
    const failure = await findCause(translateDriverError(error, "transaction"), settle);
    isBroken ||= isUnknown || isBreaking(failure);
    // A statement that was refused is known to have ended the transaction.
    throw isUnknown && !(failure instanceof DatabaseError) ? outcomeUnknown() : failure;
  } finally {
    doubts.end();
    disconnect(client, onError, isBroken);
  }
}

/** The error of every statement after a failed one (`in_failed_sql_transaction`). (SQLSTATE) */
const ABORTED = "25P02";

/** The actual cause when an awaited statement failed because a sent one had. */
async function findCause(error: Error, settle: () => Promise<void>): Promise<Error> {
  if (!(error instanceof DatabaseError) || error.code !== ABORTED) return error;
  try {
    await settle();
    return error;
  } catch (cause) {
    return translateDriverError(cause, "transaction");
  }
}
