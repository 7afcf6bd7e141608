/**
 * The servers of a connection string, and the one of them that is used. Several are named when they replicate one
 * database: after a failover another of them takes writes.
 */
import { callbackify } from "node:util";
import { Client, type ClientConfig } from "pg";
import { parseAddresses } from "./addresses.ts";
import { ask } from "./ask.ts";
import { isConnectionLoss } from "./driver-errors.ts";

export const CONNECT_TIMEOUT_MS = 2_000;
/**
 * How often each of several servers is checked: a server that lost its cluster may continue as if nothing had happened.
 */
const LOOK_EVERY_MS = 5_000;

/** A connection of `pg` that is open only once its server was found to take writes. */
export type CheckedClient = Client & { readonly url: string; readonly answerMs: number | null };

/** With how long a statement is waited for (`ask.ts`), in ms. `pg` has a `query_timeout` for it, which stays unused. */
export type ServerClientConfig = ClientConfig & { readonly answerMs?: number };

export type Servers = {
  /** Makes a connection to the present server. */
  readonly Client: new (config?: ServerClientConfig) => CheckedClient;
  /** Opens a connection; if the present server takes none, looks for another and tries once more. */
  connecting<T>(connect: () => Promise<T>): Promise<T>;
  /** The server of this connection does not answer: destroys all connections to it, and looks for another. */
  abandon(client: CheckedClient): void;
  close(): void;
};

/**
 * With several servers, it uses the server that takes writes and is on the highest timeline (PostgreSQL, 26.3.6). Each
 * promotion begins a new timeline, which distinguishes a former primary that still takes writes from its successor. It
 * never returns to a lower timeline than it has seen.
 * @throws Error if the connection string is invalid
 */
export function createServers(connectionString: string, onError: (error: unknown) => void): Servers {
  const addresses = parseAddresses(connectionString);
  if (addresses === null) throw new Error("The connection string of the database cannot be read.");
  const { urls, required } = addresses;
  let [present = ""] = urls;
  let highest = 0;
  let looking: Promise<void> | null = null;
  const open = new Set<CheckedClient>();
  const check = urls.length > 1 ? WITH_TIMELINE : required === "primary" ? IS_PRIMARY : IS_WRITABLE;

  /** Of a server that takes writes, else null. @throws what `pg` throws */
  const timelineOf = async (client: Client): Promise<number | null> => {
    if (required === "any") return 0;
    const [seen] = (await ask(client, { text: check }, CONNECT_TIMEOUT_MS)).rows as readonly Seen[];
    return seen?.takesWrites === true ? seen.timeline : null;
  };

  class ServerClient extends Client implements CheckedClient {
    readonly url: string;
    readonly answerMs: number | null;

    constructor(config?: ServerClientConfig) {
      const url = present;
      // A pool passes its own time limit on to its connections, and has no other setting for them.
      super({ ...config, connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
      this.url = url;
      this.answerMs = config?.answerMs ?? null;
      // A lost connection without an error listener would end the process.
      this.on("error", () => undefined);
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | void {
      if (callback === undefined) return this.#connectChecked();
      callbackify(() => this.#connectChecked())(callback);
    }

    async #connectChecked(): Promise<this> {
      await super.connect();
      open.add(this);
      this.once("end", () => void open.delete(this));
      try {
        const timeline = await timelineOf(this);
        if (timeline === null || timeline < highest) throw refusal();
        highest = timeline;
        return this;
      } catch (error) {
        destroy(this);
        throw error;
      }
    }
  }

  const probe = async (url: string): Promise<{ url: string; timeline: number } | null> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on("error", () => undefined);
    try {
      await client.connect();
      const timeline = await timelineOf(client);
      return timeline === null ? null : { url, timeline };
    } catch {
      return null;
    } finally {
      destroy(client);
    }
  };

  const lookOnce = async (): Promise<void> => {
    const found = (await Promise.all(urls.map(probe))).filter((one) => one !== null);
    const best = Math.max(highest, ...found.map(({ timeline }) => timeline));
    const usable = found.filter(({ timeline }) => timeline === best);
    const [first] = usable;
    if (first === undefined || usable.some(({ url }) => url === present)) return;
    present = first.url;
    highest = best;
    const { host } = new URL(present);
    onError(new Error(`Another server of DATABASE_URL takes the writes now: ${host}.`));
    for (const client of open) if (client.url !== present) destroy(client);
  };
  const look = (): Promise<void> =>
    (looking ??= lookOnce().finally(() => {
      looking = null;
    }));
  const timer = urls.length > 1 ? setInterval(() => void look(), LOOK_EVERY_MS).unref() : undefined;

  return {
    Client: ServerClient,
    async connecting(connect) {
      const before = present;
      try {
        return await connect();
      } catch (error) {
        if (urls.length === 1 || !isConnectionLoss(error)) throw error;
        if (present === before) await look();
        if (present === before) throw error;
        return await connect();
      }
    },
    abandon({ url }) {
      for (const client of open) if (client.url === url) destroy(client);
      if (urls.length > 1) void look();
    },
    close: () => clearInterval(timer),
  };
}

/** Ends a connection at once. Its pending statements fail, and its user is notified of the loss. */
export function destroy(client: Client): void {
  client.connection.stream.destroy();
}

/** As a statement that writes would be answered (`read_only_sql_transaction`). */
function refusal(): Error {
  return Object.assign(new Error("The server takes no writes: it is a standby, or was a primary."), {
    code: "25006",
  });
}

type Seen = { readonly takesWrites: boolean; readonly timeline: number };

const IS_WRITABLE = `SELECT NOT current_setting('transaction_read_only')::boolean AS "takesWrites", 0 AS timeline`;
const IS_PRIMARY = `SELECT NOT pg_is_in_recovery() AS "takesWrites", 0 AS timeline`;
/** The name of a WAL file begins with its timeline, in eight hexadecimal digits. */
const WITH_TIMELINE = `SELECT NOT current_setting('transaction_read_only')::boolean AS "takesWrites",
       CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`;
