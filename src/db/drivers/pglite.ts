import { escapeIdentifier, Pool } from "pg";
import { toFolderError } from "../../lib/operator-error.ts";
import type { Database } from "../database.ts";
import { startEmbeddedProcess } from "./embedded/process.ts";
import { createPooledDatabase, withClient } from "./pooled-database.ts";
import { prepareScope } from "./scoped-read.ts";

type PgliteOptions = {
  readonly folder: string;
  /** Called with errors in the background, such as an unexpected end of the process. */
  readonly onError?: (error: unknown) => void;
};

type Listener = { readonly onMessage: (payload: string) => void; readonly onReconnect: () => void };

/** Opens the embedded database. @throws FolderError */
export async function openPgliteDatabase(options: PgliteOptions): Promise<Database> {
  const { db, opened } = createPgliteDatabase(options);
  await opened;
  return db;
}

/**
 * The embedded PostgreSQL, in a process of its own. It has one connection: a transaction blocks everything else, so it
 * must not wait for anything slow. Each connection is a process, so a lost one is replaced by a new process, which
 * begins with what was committed.
 * @returns the database, which may be used at once; and `opened`, which rejects with a FolderError
 */
export function createPgliteDatabase({ folder, onError = () => undefined }: PgliteOptions): {
  readonly db: Database;
  readonly opened: Promise<void>;
} {
  let isClosing = false;
  let ended: Promise<string | null> = Promise.resolve(null);
  const pool = new Pool({
    max: 1,
    idleTimeoutMillis: 0,
    pipeline: true,
    // So that none of PostgreSQL's environment variables counts.
    user: "postgres",
    database: "postgres",
    ssl: false,
    stream() {
      const started = startEmbeddedProcess(folder);
      ended = started.ended;
      void ended.then((reason) => {
        if (reason !== null) onError(new Error(`The process of the embedded database ended: ${reason}`));
      });
      return started.stream;
    },
  });
  // An idle connection that was lost; the pool replaces it.
  pool.on("error", onError);
  const pooled = createPooledDatabase({ pool, limits: null, onError });
  const connect = (): Promise<void> => withClient(pool, onError, () => Promise.resolve());

  const channels = new Map<string, Set<Listener>>();
  pool.on("connect", (client) => {
    prepareScope(client).catch(() => undefined);
    client.on("notification", ({ channel, payload = "" }) => {
      for (const { onMessage } of channels.get(channel) ?? []) onMessage(payload);
    });
    for (const [channel, listeners] of channels) {
      client
        .query(`LISTEN ${escapeIdentifier(channel)}`)
        .then(() => {
          for (const { onReconnect } of listeners) onReconnect();
        })
        .catch(onError);
    }
  });
  // Reconnect at once, even if no statement waits, so that listeners soon receive messages again.
  pool.on("remove", () => {
    if (!isClosing && channels.size > 0) connect().catch(onError);
  });

  async function open(): Promise<void> {
    try {
      await connect();
    } catch (error) {
      const reason = await ended;
      throw toFolderError("The embedded database", folder, reason === null ? error : new Error(reason));
    }
  }
  const opened = open();
  // The caller that awaits `opened` gets the failure.
  opened.catch(() => undefined);

  const db: Database = {
    ...pooled,
    kind: "pglite",
    async listen(channel, onMessage, onReconnect = () => undefined) {
      const listener = { onMessage, onReconnect };
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      await pooled.execute(`LISTEN ${escapeIdentifier(channel)}`);
      return {
        async close() {
          listeners.delete(listener);
          if (listeners.size > 0) return;
          channels.delete(channel);
          await pooled.execute(`UNLISTEN ${escapeIdentifier(channel)}`);
        },
      };
    },
    pool: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      isClosing = true;
      await pooled.drained();
      await pool.end();
      await ended;
    },
  };
  return { db, opened };
}
