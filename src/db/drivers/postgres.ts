import { Client, type ClientConfig, escapeIdentifier, Pool } from "pg";
import type { Database } from "../database.ts";
import { createPooledDatabase, runAlone } from "./pooled-database.ts";
import { openSharedConnections } from "./shared-connections.ts";

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
  const shared = openSharedConnections({ config, size, onError });
  const pooled = createPooledDatabase({
    pool,
    read: async (statement, values) =>
      (await shared.query(statement, values)) ?? (await runAlone(pool, statement, values, onError)),
    onError,
  });
  const listeners = new Set<{ close(): Promise<void> }>();

  return {
    ...pooled,
    kind: "postgres",
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
    // A migration may take any time.
    execute: (text) =>
      pooled.execute(`SET statement_timeout = 0; ${text}; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`),
    pool: () => ({
      open: pool.totalCount + shared.open(),
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      await pooled.drained();
      await Promise.all([...listeners].map((listener) => listener.close()));
      await Promise.all([shared.close(), pool.end()]);
    },
  };
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
