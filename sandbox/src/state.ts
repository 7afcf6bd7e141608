/**
 * The sandbox's state: documents by collection, read from memory and written through to SQLite. A write is
 * on disk before it returns (WAL, `synchronous=FULL`, about 0.2 ms), so everything that the sandbox
 * acknowledged survives `kill -9` and a power failure. The cost does not grow with the size of the state.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SandboxStartError } from "./start-error.ts";

/** Documents of one kind. Never change what `get` and `values` return; `put` a new document instead. */
export type Collection<T> = {
  get(id: string): T | undefined;
  values(): IterableIterator<T>;
  readonly size: number;
  put(id: string, document: T): void;
  delete(id: string): void;
};

export type SandboxState = {
  /** The documents as last written. Each collection has one type, chosen by the only file that uses it. */
  collection<T>(name: string): Collection<T>;
  /** Saves all writes of `work`, or none if it throws. `work` must be synchronous, and calls cannot be nested. */
  atomically<T>(work: () => T): T;
  close(): void;
};

/** @throws SandboxStartError when another process has this folder's state open */
export function openState(dataDir: string): SandboxState {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path.join(dataDir, "sandbox.db"));
  try {
    // Exclusive locking refuses a second process; the lock is released when its holder ends.
    database.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = full;
      create table if not exists documents (
        collection text not null,
        id text not null,
        body text not null,
        primary key (collection, id)
      ) without rowid;
      begin immediate; commit;
    `);
  } catch (error) {
    database.close();
    if (error instanceof Error && /database is locked/.test(error.message)) {
      throw new SandboxStartError(
        `The sandbox's folder ${dataDir} is in use by another Slipway process. Stop that process, or set SLIPWAY_DATA_DIR to another folder. To share one sandbox between processes, set SLIPWAY_SANDBOX_URL.`,
        { cause: error },
      );
    }
    throw error;
  }
  const upsert = database.prepare(
    "insert into documents (collection, id, body) values (?, ?, ?) on conflict (collection, id) do update set body = excluded.body",
  );
  const remove = database.prepare("delete from documents where collection = ? and id = ?");
  const select = database.prepare("select id, body from documents where collection = ? order by id");
  let undo: (() => void)[] | null = null;

  function openCollection<T>(name: string): Collection<T> {
    const documents = new Map<string, T>();
    for (const row of select.all(name)) {
      documents.set(String(row["id"]), JSON.parse(String(row["body"])) as T);
    }
    const rememberForUndo = (id: string) => {
      if (undo === null) return;
      const before = documents.get(id);
      undo.push(() => (before === undefined ? documents.delete(id) : documents.set(id, before)));
    };
    return {
      get: (id) => documents.get(id),
      values: () => documents.values(),
      get size() {
        return documents.size;
      },
      put(id, document) {
        upsert.run(name, id, JSON.stringify(document));
        rememberForUndo(id);
        documents.set(id, document);
      },
      delete(id) {
        if (!documents.has(id)) return;
        remove.run(name, id);
        rememberForUndo(id);
        documents.delete(id);
      },
    };
  }

  return {
    collection: openCollection,
    atomically(work) {
      database.exec("begin immediate");
      const undoThese: (() => void)[] = (undo = []);
      try {
        const result = work();
        database.exec("commit");
        return result;
      } catch (error) {
        // SQLite itself has rolled back if the disk is full.
        if (database.isTransaction) database.exec("rollback");
        for (const step of undoThese.toReversed()) step();
        throw error;
      } finally {
        undo = null;
      }
    },
    close: () => database.close(),
  };
}
