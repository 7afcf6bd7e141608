import { Client, type ClientConfig, escapeIdentifier, Pool, type PoolClient } from "pg";
import type { Database, SqlValue, Statement, Transaction } from "../database.ts";
import { repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";
import { createNotifier, type Message, type Notifier } from "../notifier.ts";
import { createSentStatements } from "./sent-statements.ts";
import { openSharedConnections } from "./shared-connections.ts";
import { createTenantScope } from "../tenant-scope.ts";

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * The wait for a free connection. How many may wait is limited where requests come in (`http/shed-load.ts`); an
 * accepted request is not refused because the others are slow.
 */
const WAIT_TIMEOUT_MS = 10_000;
/** A write that waits for a lock fails before its client gives up. */
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * A transaction never waits for anything outside the database, so an idle one belongs to a process that stands still
 * (stopped, or its machine paused). Its locks must be released before its claims are given to others, which happens
 * after ten seconds without an extension (`jobs/claims.ts`).
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 8_000;
const LISTENER_RETRY_MS = 1_000;

/** How many of a pool's connections are shared by statements that only read. */
const MAX_SHARED = 3;

/** The pool passes its own time limit on to its connections, and has no other setting for them. */
class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/**
 * PostgreSQL with a pool of connections: a transaction or a writing statement has its own connection; statements that
 * only read share a few. Connects at the first use.
 */
export function createPostgresDatabase(options: {
  connectionString: string;
  poolSize: number;
  onError: (error: unknown) => void;
}): Database {
  const { connectionString, onError } = options;
  const config: ClientConfig = {
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    // Statements that do not wait for each other share a round trip.
    pipeline: true,
  };
  const size = Math.min(MAX_SHARED, Math.floor(options.poolSize / 2));
  const pool = new Pool({
    ...config,
    max: options.poolSize - size,
    connectionTimeoutMillis: WAIT_TIMEOUT_MS,
    Client: ImpatientClient,
  });
  // An idle connection that the server closed; the pool replaces it.
  pool.on("error", onError);
  const shared = openSharedConnections({ config, size, onError });
  const read = async <Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> =>
    (await shared.query(statement, values)) ?? (await run(pool, statement, values));
  const notifier = createNotifier({ run: (statement, values) => run(pool, statement, values), onError });
  const listeners = new Set<{ close(): Promise<void> }>();
  const { opening, within, acrossOrganizations, restrictWrites } = createTenantScope();
  const transaction = async <T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> => {
    const first = opening();
    const begin = first === null ? "BEGIN" : `BEGIN;${first}`;
    return await repeatOnDeadlock(() => runTransaction(pool, begin, work, { notifier, onError }));
  };
  const write = async <Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    if (opening() === null) return await repeatOnDeadlock(() => run(pool, statement, values));
    let rows: Row[] = [];
    const onRows = (found: Row[]): void => {
      rows = found;
    };
    await transaction((tx) => tx.send(statement, values, { onRows }));
    return rows;
  };

  return {
    kind: "postgres",
    query: <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      statement.isRead ? read(statement, values) : write(statement, values),
    transaction,
    within,
    acrossOrganizations,
    restrictWrites,
    notify: (channel, payload) => notifier.add([{ channel, payload }]),
    async listen(channel, onMessage) {
      const listener = createListener(connectionString, channel, onMessage, onError);
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
        // A migration may take any time.
        await pool.query(
          `SET statement_timeout = 0; ${text}; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
        );
      } catch (error) {
        throw translateDriverError(error, "execute");
      }
    },
    pool: () => ({
      open: pool.totalCount + shared.open(),
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      await notifier.drained();
      await Promise.all([...listeners].map((listener) => listener.close()));
      await Promise.all([shared.close(), pool.end()]);
    },
  };
}

async function run<Row>(
  client: Pool | PoolClient,
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

async function connect(pool: Pool, onError: (error: unknown) => void): Promise<PoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateDriverError(error, "connect");
  });
  // The pool does not listen to a connection while it is in use, and a lost connection without a listener
  // would end the process. Its next statement fails, which tells its user.
  client.on("error", onError);
  return client;
}

/**
 * The only way to commit. Sent statements are held back until somebody waits for an answer, so a transaction that
 * waits for none is sent in one packet, from BEGIN to COMMIT.
 */
async function runTransaction<T>(
  pool: Pool,
  begin: string,
  work: (tx: Transaction) => Promise<T> | T,
  { notifier, onError }: { notifier: Notifier; onError: (error: unknown) => void },
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
    client.off("error", onError);
    client.release(broken);
  }
}

/** A separate connection for LISTEN, which reconnects whenever it is lost. */
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
