import { Client, type ClientConfig } from "pg";
import { DatabaseError, DatabaseUnavailableError, type SqlValue, type Statement } from "../database.ts";
import { translateDriverError } from "./driver-errors.ts";

/** A few connections that every statement which only reads may use, many at a time. */
export interface SharedConnections {
  /**
   * The rows; null when the statement is to have a connection of its own.
   * @throws DatabaseError, DatabaseUnavailableError
   */
  query<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Row[] | null>;
  /** How many are open. */
  open(): number;
  close(): Promise<void>;
}

/** So many statements may be on their way on one connection; further ones go elsewhere. */
const MAX_IN_FLIGHT = 16;
/** The next connection is taken when so many are on their way on the ones before: together they cost least. */
const FILL_FIRST = 6;
/** No statement is queued behind one that takes longer. */
const SLOW_MS = 20;
/** A statement that takes this long is cancelled, and run again on a connection of its own: others wait behind it. */
const LONGEST_MS = 500;
/**
 * SQLSTATEs after which a statement is run again. It was cancelled for taking too long (`query_canceled`). Or an earlier
 * statement of the same name was cancelled while PostgreSQL parsed it, so that the name is unknown
 * (`invalid_sql_statement_name`) or taken (`duplicate_prepared_statement`).
 */
const BEGIN_AGAIN: ReadonlySet<string> = new Set(["57014", "26000", "42P05"]);

/** `sentAt`: of the statements without an answer yet, in the order in which they will have it. */
type Connection = {
  readonly client: Client;
  readonly sentAt: number[];
  isReady: boolean;
  isHeldBack: boolean;
};

/**
 * Reads of many requests over a few connections (PostgreSQL's protocol, "Pipelining"): what is asked in one
 * turn of the event loop leaves in one packet, and its answers come in one, where a pool takes a system call
 * and a switch of processes for each. Only for statements that wait for no lock, for the ones behind them
 * wait too, and that may be begun again.
 */
export function openSharedConnections(options: {
  config: ClientConfig;
  size: number;
  onError: (error: unknown) => void;
}): SharedConnections {
  const connections = new Set<Connection>();
  let isClosed = false;

  const connect = (): void => {
    const client = new Client({ ...options.config, statement_timeout: LONGEST_MS });
    const connection: Connection = { client, sentAt: [], isReady: false, isHeldBack: false };
    connections.add(connection);
    // Statements that it had not answered fail by themselves; the next one opens another.
    const drop = (): void => void connections.delete(connection);
    client.once("end", drop);
    client.on("error", (error) => {
      drop();
      options.onError(error);
    });
    client.connect().then(
      () => {
        connection.isReady = true;
      },
      (error: unknown) => {
        drop();
        options.onError(error);
      },
    );
  };

  /** Null also while there is none yet: then the pool says what is wrong with the server. */
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
    async query<Row>({ name, text }: Statement<Row>, values: readonly SqlValue[]) {
      const connection = isClosed ? null : choose();
      if (connection === null) return null;
      const { client, sentAt } = connection;
      if (!connection.isHeldBack) {
        connection.isHeldBack = true;
        const { stream } = client.connection;
        stream.cork();
        setImmediate(() => {
          connection.isHeldBack = false;
          stream.uncork();
        });
      }
      sentAt.push(performance.now());
      try {
        return (await client.query({ name, text, values: [...values] })).rows as Row[];
      } catch (error) {
        const translated = translateDriverError(error, name);
        if (translated instanceof DatabaseError && BEGIN_AGAIN.has(translated.code)) return null;
        // It says that it is lost itself too, but not before whoever asks next.
        if (translated instanceof DatabaseUnavailableError) connections.delete(connection);
        throw translated;
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
