import { Client, type ClientConfig, escapeIdentifier, Pool, type PoolClient } from "pg";
import type { Database, Sql, SqlValue, Statement, Transaction } from "./database.ts";
import { repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * For a connection that others have. How many may wait for one is bounded where requests come in
 * (`http/shed-load.ts`); one that was taken is not refused because the others are slow.
 */
const WAIT_TIMEOUT_MS = 10_000;
/** A write that hangs on a lock fails before its client gives up. */
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * Nobody waits for anything inside a transaction, so one that stands still belongs to a process that does
 * (stopped, or its machine paused). Its locks must be gone before its jobs are given to others, which is
 * after ten seconds of silence (`boss.ts`).
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 8_000;
const LISTENER_RETRY_MS = 1_000;

/** The pool hands its own time limit on to its connections, and has no other for them. */
class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** PostgreSQL by a pool of connections. Connects when first asked. */
export function createPostgresDatabase(options: {
  connectionString: string;
  poolSize: number;
  onError: (error: unknown) => void;
}): Database {
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.poolSize,
    connectionTimeoutMillis: WAIT_TIMEOUT_MS,
    Client: ImpatientClient,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    // Statements that do not wait for each other share a round trip.
    pipeline: true,
  });
  // An idle connection that the server closed; the pool replaces it.
  pool.on("error", options.onError);
  const listeners = new Set<{ close(): Promise<void> }>();

  return {
    kind: "postgres",
    query: (statement, values) => run(pool, statement, values),
    async transaction(work) {
      return await repeatOnDeadlock(() => runTransaction(pool, work, options.onError));
    },
    async listen(channel, onMessage) {
      const listener = createListener(options.connectionString, channel, onMessage, options.onError);
      listeners.add(listener);
      return {
        async close() {
          listeners.delete(listener);
          await listener.close();
        },
      };
    },
    async execute(text) {
      try {
        // A migration may take as long as it takes.
        await pool.query(
          `SET statement_timeout = 0; ${text}; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
        );
      } catch (error) {
        throw translateDriverError(error, "execute");
      }
    },
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await Promise.all([...listeners].map((listener) => listener.close()));
      await pool.end();
    },
  };
}

async function run<Row>(
  client: Pool | PoolClient,
  { name, text }: Statement<Row>,
  values: Parameters<Sql["query"]>[1] = [],
): Promise<Row[]> {
  try {
    const result = await client.query({ name, text, values: [...values] });
    return result.rows as Row[];
  } catch (error) {
    throw translateDriverError(error, name);
  }
}

async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
  onError: (error: unknown) => void,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateDriverError(error, "connect");
  });
  // The pool does not listen while a connection is lent out, and the loss of one that nobody listens to
  // would end the process. The next statement fails, which is what the transaction hears of it.
  client.on("error", onError);
  let broken = false;
  /** What was sent and not waited for; the first of it that fails is what went wrong. */
  const sent: Promise<unknown>[] = [];
  const send = (statement: Statement<unknown>, values?: readonly SqlValue[]): void => {
    const outcome = run(client, statement, values);
    // Looked at with the commit; until then it is not unhandled.
    outcome.catch(() => undefined);
    sent.push(outcome);
  };
  try {
    send(BEGIN);
    const result = await work({
      query: (statement, values) => run(client, statement, values),
      send,
      executeSql: async (text, values) => await client.query(text, values),
    });
    send(COMMIT);
    await Promise.all(sent);
    return result;
  } catch (error) {
    // A connection that cannot even roll back is of no use to the next one.
    await client.query("ROLLBACK").catch(() => {
      broken = true;
    });
    throw translateDriverError(error, "transaction");
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

const BEGIN: Statement<never> = { name: "begin", text: "BEGIN" };
const COMMIT: Statement<never> = { name: "commit", text: "COMMIT" };

/** A connection of its own for LISTEN, made anew whenever it is lost. */
function createListener(
  connectionString: string,
  channel: string,
  onMessage: (payload: string) => void,
  onError: (error: unknown) => void,
): { close(): Promise<void> } {
  let closed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;

  const connect = async (): Promise<void> => {
    const next = new Client({
      connectionString,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client = next;
    next.on("notification", (message) => onMessage(message.payload ?? ""));
    next.once("end", retry);
    next.on("error", onError);
    try {
      await next.connect();
      await next.query(`LISTEN ${escapeIdentifier(channel)}`);
    } catch (error) {
      onError(error);
      await next.end().catch(onError);
      retry();
    }
  };
  const retry = (): void => {
    if (closed || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      void connect();
    }, LISTENER_RETRY_MS);
  };

  const connecting = connect();
  return {
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await connecting;
      await client?.end().catch(onError);
    },
  };
}
