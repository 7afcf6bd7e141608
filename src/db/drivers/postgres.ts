import { Client, type ClientConfig, escapeIdentifier, Pool, type PoolClient } from "pg";
import type { Database, SqlValue, Statement, Transaction } from "../database.ts";
import { repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";
import { createNotifier, type Message, type Notifier } from "../notifier.ts";
import { openSharedConnections } from "./shared-connections.ts";
import { createTenantScope } from "../tenant-scope.ts";

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

/** Of a pool's connections, so many are shared by the statements that only read. */
const MAX_SHARED = 3;

/** The pool hands its own time limit on to its connections, and has no other for them. */
class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/**
 * PostgreSQL by a pool of connections: a transaction or a statement that writes has one to itself, what only
 * reads shares a few. Connects when first asked.
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
  const write = async <Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    const first = opening();
    return await repeatOnDeadlock(() =>
      first === null
        ? run(pool, statement, values)
        : runAlone(pool, `BEGIN;${first}`, statement, values, onError),
    );
  };

  return {
    kind: "postgres",
    query: <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      statement.isRead ? read(statement, values) : write(statement, values),
    async transaction(work) {
      const first = opening();
      const begin = first === null ? "BEGIN" : `BEGIN;${first}`;
      return await repeatOnDeadlock(() => runTransaction(pool, begin, work, { notifier, onError }));
    },
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
        // A migration may take as long as it takes.
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
  // The pool does not listen while a connection is lent out, and the loss of one that nobody listens to
  // would end the process. The next statement fails, which is what whoever has it hears of it.
  client.on("error", onError);
  return client;
}

/** One statement that is a transaction by itself: all of it leaves in one packet. */
async function runAlone<Row>(
  pool: Pool,
  begin: string,
  statement: Statement<Row>,
  values: readonly SqlValue[],
  onError: (error: unknown) => void,
): Promise<Row[]> {
  const client = await connect(pool, onError);
  const { stream } = client.connection;
  stream.cork();
  const parts = [client.query(begin), run(client, statement, values), client.query("COMMIT")] as const;
  stream.uncork();
  const [, , committed] = await Promise.allSettled(parts);
  client.off("error", onError);
  // After a failure COMMIT rolls back, and is answered like any other; without an answer the connection is lost.
  client.release(committed.status === "rejected");
  try {
    return (await Promise.all(parts))[1];
  } catch (error) {
    throw translateDriverError(error, statement.name);
  }
}

async function runTransaction<T>(
  pool: Pool,
  begin: string,
  work: (tx: Transaction) => Promise<T>,
  { notifier, onError }: { notifier: Notifier; onError: (error: unknown) => void },
): Promise<T> {
  const client = await connect(pool, onError);
  let broken = false;
  /** What was sent and not waited for; the first of it that fails is what went wrong. */
  const sent: Promise<unknown>[] = [];
  const messages: Message[] = [];
  const { stream } = client.connection;
  const sendLater = (ask: () => Promise<unknown>): void => {
    // Held back until there is something to wait for: one packet for all of them.
    if (stream.writableCorked === 0) stream.cork();
    const outcome = ask();
    // Looked at with the commit; until then it is not unhandled.
    outcome.catch(() => undefined);
    sent.push(outcome);
  };
  const flushed = <Answer>(answer: Answer): Answer => {
    if (stream.writableCorked > 0) stream.uncork();
    return answer;
  };
  try {
    sendLater(() => client.query(begin));
    const result = await work({
      query: (statement, values) => flushed(run(client, statement, values)),
      send: (statement, values) => sendLater(() => run(client, statement, values)),
      notify: (channel, payload) => void messages.push({ channel, payload }),
      executeSql: (text, values) => flushed(client.query(text, values)),
    });
    sendLater(() => client.query("COMMIT"));
    await flushed(Promise.all(sent));
    notifier.add(messages);
    return result;
  } catch (error) {
    // A connection that cannot even roll back is of no use to the next one.
    await flushed(client.query("ROLLBACK")).catch(() => {
      broken = true;
    });
    throw translateDriverError(error, "transaction");
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

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
