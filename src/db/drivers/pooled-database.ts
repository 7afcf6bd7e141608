/** What both drivers have in common: statements and transactions over a pool of connections. */
import type { Pool, PoolClient } from "pg";
import type { Database, SqlValue, Statement, Transaction } from "../database.ts";
import { createNotifier, type Message, type Notifier } from "../notifier.ts";
import { createTenantScope } from "../tenant-scope.ts";
import { repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";
import { createSentStatements } from "./sent-statements.ts";

export type PooledDatabase = Omit<Database, "kind" | "listen" | "pool" | "close"> & {
  /** Resolves when every notification was sent, or could not be. */
  drained(): Promise<void>;
};

type OnError = (error: unknown) => void;

/** @param options.read runs a statement that only reads */
export function createPooledDatabase(options: {
  pool: Pool;
  read: <Row>(statement: Statement<Row>, values: readonly SqlValue[]) => Promise<Row[]>;
  onError: OnError;
}): PooledDatabase {
  const { pool, read, onError } = options;
  // An idle connection that was lost; the pool replaces it.
  pool.on("error", onError);
  const notifier = createNotifier({
    run: (statement, values) => runAlone(pool, statement, values, onError),
    onError,
  });
  const { opening, within, acrossOrganizations, restrictWrites } = createTenantScope();
  const transaction = async <T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> => {
    const first = opening();
    const begin = first === null ? "BEGIN" : `BEGIN;${first}`;
    return await repeatOnDeadlock(() => runTransaction(pool, begin, work, { notifier, onError }));
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
    query: <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      statement.isRead ? read(statement, values) : write(statement, values),
    transaction,
    within,
    acrossOrganizations,
    restrictWrites,
    notify: (channel, payload) => notifier.add([{ channel, payload }]),
    execute: (text) =>
      withClient(pool, onError, async (client) => {
        try {
          await client.query(text);
        } catch (error) {
          throw translateDriverError(error, "execute");
        }
      }),
    drained: () => notifier.drained(),
  };
}

/**
 * Runs `work` on a connection of its own. After a statement that failed the connection is kept, unless it was lost.
 * @throws DatabaseUnavailableError
 */
export async function withClient<T>(
  pool: Pool,
  onError: OnError,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, onError);
  try {
    return await work(client);
  } finally {
    disconnect(client, onError);
  }
}

/** Runs one statement on a connection of its own. @throws DatabaseError, DatabaseUnavailableError */
export async function runAlone<Row>(
  pool: Pool,
  statement: Statement<Row>,
  values: readonly SqlValue[],
  onError: OnError,
): Promise<Row[]> {
  return await withClient(pool, onError, (client) => run(client, statement, values));
}

/** @throws DatabaseError, DatabaseUnavailableError */
export async function run<Row>(
  client: PoolClient,
  { name, text }: Statement<Row>,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  try {
    const result = await client.query({ name, text, values: [...values] });
    return result.rows as Row[];
  } catch (error) {
    throw translateDriverError(error, name);
  }
}

/** Takes a connection, which has to be given back by `disconnect`. @throws DatabaseUnavailableError */
export async function connect(pool: Pool, onError: OnError): Promise<PoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateDriverError(error, "connect");
  });
  // The pool does not listen to a connection while it is in use, and a lost connection without a listener
  // would end the process. Its next statement fails, which tells its user.
  client.on("error", onError);
  return client;
}

/** @param isBroken whether the connection must not be used again, although it was not lost */
export function disconnect(client: PoolClient, onError: OnError, isBroken = false): void {
  client.off("error", onError);
  client.release(isBroken);
}

/**
 * The only way to commit. Sent statements are held back until somebody waits for an answer, so a transaction that
 * waits for none is sent in one packet, from BEGIN to COMMIT.
 */
async function runTransaction<T>(
  pool: Pool,
  begin: string,
  work: (tx: Transaction) => Promise<T> | T,
  { notifier, onError }: { notifier: Notifier; onError: OnError },
): Promise<T> {
  const client = await connect(pool, onError);
  let broken = false;
  const sent = createSentStatements();
  const messages: Message[] = [];
  const { stream } = client.connection;
  const holdBack = (): void => {
    if (stream.writableCorked === 0) stream.cork();
  };
  const flushed = <Answer>(answer: Answer): Answer => {
    if (stream.writableCorked > 0) stream.uncork();
    return answer;
  };
  const command = (text: string): void => {
    holdBack();
    sent.add(client.query(text));
  };
  try {
    command(begin);
    const result = await work({
      query: (statement, values) => flushed(run(client, statement, values)),
      send(statement, values, { onRows, onFailure } = {}) {
        holdBack();
        sent.add(run(client, statement, values).then(onRows, onFailure));
      },
      notify: (channel, payload) => void messages.push({ channel, payload }),
      executeSql: (text, values) => flushed(client.query(text, values)),
    });
    command("COMMIT");
    await flushed(sent.settle());
    notifier.add(messages);
    return result;
  } catch (error) {
    // A connection that cannot even roll back must not be reused.
    await flushed(client.query("ROLLBACK")).catch(() => {
      broken = true;
    });
    const cause = await sent.findCause(translateDriverError(error, "transaction"));
    throw translateDriverError(cause, "transaction");
  } finally {
    disconnect(client, onError, broken);
  }
}
