import { Pool } from "pg";
import type { Database } from "../database.ts";
import { createListener } from "./listener.ts";
import { createPooledDatabase, runAlone } from "./pooled-database.ts";
import { prepareScope } from "./scoped-read.ts";
import { createServers, type ServerClientConfig } from "./servers.ts";
import { openSharedConnections } from "./shared-connections.ts";

/**
 * The wait for a free connection. How many may wait is limited where requests come in (`http/shed-load.ts`); an
 * accepted request is not refused because the others are slow.
 */
const WAIT_TIMEOUT_MS = 10_000;
/** A write that waits for a lock fails before its client gives up. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Only reached if the server or the network fails: a working server ends statements itself, and sooner. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;
/**
 * BEGIN waits for nothing, so a connection that does not answer it is dead. COMMIT waits for the disk, and for a standby
 * if commits are synchronous: for ever when there is none, and no limit of the server's ends that wait.
 */
const TRANSACTION_LIMITS = { beginMs: 5_000, commitMs: 8_000 };
/** So that connections follow a name to another address, and none is old for ever. */
const MAX_LIFETIME_SECONDS = 1_800;
/**
 * A transaction never waits for anything outside the database, so an idle one belongs to a process that stands still
 * (stopped, or its machine paused). Its locks must be released before its claims are given to others, which happens
 * after ten seconds without an extension (`jobs/claims.ts`).
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 8_000;

/** How many of a pool's connections are shared by statements that only read. */
const MAX_SHARED = 3;

/**
 * PostgreSQL with a pool of connections: a transaction or a writing statement has its own connection; statements that
 * only read share a few. Connects at the first use.
 */
export function createPostgresDatabase(options: {
  connectionString: string;
  /** Past the pooler that `connectionString` leads to; null: it leads to none. */
  directConnectionString?: string | null;
  poolSize: number;
  onError: (error: unknown) => void;
}): Database {
  const { connectionString, directConnectionString = null, onError } = options;
  const servers = createServers(connectionString, onError);
  const direct = directConnectionString === null ? servers : createServers(directConnectionString, onError);
  const isPooled = directConnectionString !== null;
  const config: ServerClientConfig = {
    // A pooler takes no settings with a connection. Its user has them (`checkPostgresServer`).
    ...(isPooled
      ? {}
      : {
          statement_timeout: STATEMENT_TIMEOUT_MS,
          idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
        }),
    answerMs: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    // Statements that do not wait for each other share a round trip.
    pipeline: true,
  };
  // Reads that share a connection have a shorter limit than others, which a pooler cannot give them.
  const size = isPooled ? 0 : Math.min(MAX_SHARED, Math.floor(options.poolSize / 2));
  const pool = new Pool({
    ...config,
    max: options.poolSize - size,
    connectionTimeoutMillis: WAIT_TIMEOUT_MS,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    Client: servers.Client,
  });
  // An idle connection that was lost; the pool replaces it.
  pool.on("error", onError);
  if (!isPooled) pool.on("connect", (client) => void prepareScope(client).catch(() => undefined));
  const connections = { connect: () => servers.connecting(() => pool.connect()) };
  const shared = openSharedConnections({ servers, config, size, onError });
  const pooled = createPooledDatabase({
    pool: connections,
    read: async (statement, values, scope) =>
      (await shared.query(statement, values, scope)) ??
      (await runAlone(connections, statement, values, onError, scope)),
    limits: TRANSACTION_LIMITS,
    onError,
  });
  const listeners = new Set<{ close(): Promise<void> }>();

  return {
    ...pooled,
    kind: "postgres",
    async listen(channel, onMessage, onReconnect = () => undefined) {
      const listener = createListener({ servers: direct, channel, onMessage, onReconnect, onError });
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
      for (const one of [servers, direct]) one.close();
    },
  };
}
