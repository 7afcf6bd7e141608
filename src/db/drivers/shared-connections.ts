import { DatabaseError, type SqlValue, type Statement } from "../database.ts";
import type { Opening } from "../tenant-scope.ts";
import { isBreaking } from "./driver-errors.ts";
import { run } from "./pooled-database.ts";
import { prepareScope, runInScope } from "./scoped-read.ts";
import { type CheckedClient, destroy, type ServerClientConfig, type Servers } from "./servers.ts";

/** A few connections that statements which only read share, many at a time. */
export interface SharedConnections {
  /**
   * The rows; null if the statement has to use its own connection.
   * @throws DatabaseError, DatabaseUnavailableError
   */
  query<Row>(
    statement: Statement<Row>,
    values: readonly SqlValue[],
    scope: Opening | null,
  ): Promise<Row[] | null>;
  /** How many connections are open. */
  open(): number;
  close(): Promise<void>;
}

/** The maximum number of statements on their way on one connection; further ones go elsewhere. */
const MAX_IN_FLIGHT = 16;
/** The next connection is used when this many are on their way on the previous ones: sharing costs least. */
const FILL_FIRST = 6;
/** No statement is queued behind a statement that takes longer than this. */
const SLOW_MS = 20;
/** A statement that takes this long is cancelled and run again on its own connection, because others wait behind it. */
const LONGEST_MS = 500;
/** The server ends each statement after `LONGEST_MS`. If no answer has come after this time, the connection is dead. */
const ANSWER_MS = 5_000;
/**
 * SQLSTATEs after which a statement is run again. Either it was cancelled for taking too long (`query_canceled`), or an
 * statement of the same name was cancelled while PostgreSQL parsed it, so that the name is unknown
 * (`invalid_sql_statement_name`) or taken (`duplicate_prepared_statement`).
 */
const BEGIN_AGAIN: ReadonlySet<string> = new Set(["57014", "26000", "42P05"]);

/** `sentAt`: when the unanswered statements were sent, in the order of their answers. */
type Connection = {
  readonly client: CheckedClient;
  readonly sentAt: number[];
  isReady: boolean;
  isCorked: boolean;
};

/**
 * Runs reads of many requests over a few connections (PostgreSQL's protocol, "Pipelining"). All reads of one
 * turn of the event loop are sent in one packet, and so are their answers; a pool needs a system call and a
 * context switch for each. Only for statements that wait for no lock, because the ones behind them wait too,
 * and that may be repeated.
 */
export function openSharedConnections(options: {
  servers: Servers;
  config: ServerClientConfig;
  size: number;
  onError: (error: unknown) => void;
}): SharedConnections {
  const connections = new Set<Connection>();
  let isClosed = false;

  const connect = (): void => {
    const client = new options.servers.Client({
      ...options.config,
      statement_timeout: LONGEST_MS,
      answerMs: ANSWER_MS,
    });
    const connection: Connection = { client, sentAt: [], isReady: false, isCorked: false };
    connections.add(connection);
    // `pg` fails its unanswered statements. The next statement opens a new connection.
    const drop = (): void => void connections.delete(connection);
    client.once("end", drop);
    client.on("error", (error) => {
      drop();
      options.onError(error);
    });
    const open = async (): Promise<void> => {
      try {
        await client.connect();
        await prepareScope(client);
        connection.isReady = true;
      } catch (error) {
        drop();
        destroy(client);
        options.onError(error);
      }
    };
    void open();
  };

  /** Null if there is no connection yet: then the pool reports what is wrong with the server. */
  const choose = (): Connection | null => {
    const slowBefore = performance.now() - SLOW_MS;
    let least: Connection | null = null;
    for (const connection of connections) {
      const { sentAt, isReady } = connection;
      if (!isReady || (sentAt[0] ?? Infinity) < slowBefore || sentAt.length >= MAX_IN_FLIGHT) continue;
      if (sentAt.length < FILL_FIRST) return connection;
      if (least === null || sentAt.length < least.sentAt.length) least = connection;
    }
    if (connections.size < options.size) connect();
    return least;
  };

  return {
    async query(statement, values, scope) {
      const connection = isClosed ? null : choose();
      if (connection === null) return null;
      const { client, sentAt } = connection;
      if (!connection.isCorked) {
        connection.isCorked = true;
        const { stream } = client.connection;
        stream.cork();
        setImmediate(() => {
          connection.isCorked = false;
          stream.uncork();
        });
      }
      sentAt.push(performance.now());
      try {
        if (scope === null) return await run(client, statement, values);
        return await runInScope(client, statement, values, scope);
      } catch (error) {
        if (error instanceof DatabaseError && BEGIN_AGAIN.has(error.code)) return null;
        // The connection also reports its own loss, but not before the next caller asks.
        if (isBreaking(error)) {
          connections.delete(connection);
          destroy(client);
        }
        throw error;
      } finally {
        sentAt.shift();
      }
    },
    open: () => connections.size,
    async close() {
      isClosed = true;
      await Promise.all([...connections].map(({ client }) => client.end()));
    },
  };
}
