/**
 * The sandbox's state: documents by collection, read from memory and written through to SQLite. A write is
 * on disk before it returns (WAL, `synchronous=FULL`, about 0.2 ms), so everything that the sandbox
 * acknowledged survives `kill -9` and a power failure. The cost does not grow with the size of the state.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { SandboxStartError } from "./start-error.ts";

/** Documents of one kind. Never change what `get` and `values` return; `put` a new document instead. */
export type Collection<T> = {
  get(id: string): T | undefined;
  keys(): IterableIterator<string>;
  values(): IterableIterator<T>;
  readonly size: number;
  put(id: string, document: T): void;
  delete(id: string): void;
};

/** The document with this id, made at the first call. */
export function ensureDocument<T>(collection: Collection<T>, id: string, make: () => T): T {
  const present = collection.get(id);
  if (present !== undefined) return present;
  const made = make();
  collection.put(id, made);
  return made;
}

export type SandboxState = {
  /** The documents as last written. Each collection has one type, chosen by the only file that uses it. */
  collection<T>(name: string): Collection<T>;
  /** Saves all writes of `work`, or none if it throws. `work` must be synchronous, and calls cannot be nested. */
  atomically<T>(work: () => T): T;
  /** Copies all documents, as they are at its end, into a new database of SQLite. Others may write meanwhile. */
  copyTo(file: string): Promise<void>;
  /** Counts up with every write. */
  generation(): number;
  close(): void;
};

/** Whether a write failed because the disk is full. Nothing of it was written, and a later one may succeed. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_FULL;
}

const SQLITE_FULL = 13;

/** @throws SandboxStartError when another process has this folder's state open */
export function openDocuments(dataDir: string): DatabaseSync {
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
  return database;
}

/** @throws SandboxStartError when another process has this folder's state open */
export function openState(dataDir: string): SandboxState {
  const database = openDocuments(dataDir);
  const upsert = database.prepare(
    "insert into documents (collection, id, body) values (?, ?, ?) on conflict (collection, id) do update set body = excluded.body",
  );
  const remove = database.prepare("delete from documents where collection = ? and id = ?");
  const select = database.prepare("select id, body from documents where collection = ? order by id");
  let undo: (() => void)[] | null = null;
  let generation = 0;

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
      keys: () => documents.keys(),
      values: () => documents.values(),
      get size() {
        return documents.size;
      },
      put(id, document) {
        upsert.run(name, id, JSON.stringify(document));
        generation += 1;
        rememberForUndo(id);
        documents.set(id, document);
      },
      delete(id) {
        if (!documents.has(id)) return;
        remove.run(name, id);
        generation += 1;
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
        generation += 1;
        throw error;
      } finally {
        undo = null;
      }
    },
    async copyTo(file) {
      await backup(database, file);
    },
    generation: () => generation,
    close: () => database.close(),
  };
}

/** Documents of accounts, each made by a call with a token. */
export type OwnedCollection<T> = Pick<Collection<T>, "get" | "values"> & {
  put(document: T): void;
  delete(document: T): void;
  /** Undefined for a document of another account too. */
  own(accountId: string, id: string): T | undefined;
  byToken(accountId: string, token: string): T | undefined;
  list(accountId: string): readonly T[];
  count(accountId: string): number;
};

/** @param tokenOf the token of the call that made a document; it never changes */
export function openOwned<T extends { readonly id: string; readonly accountId: string }>(
  state: SandboxState,
  name: string,
  tokenOf: (document: T) => string,
): OwnedCollection<T> {
  const documents = state.collection<T>(name);
  const idByToken = new Map<string, string>();
  const idsByAccount = new Map<string, Set<string>>();
  const tokenKey = (document: T) => `${document.accountId}/${tokenOf(document)}`;
  const index = (document: T) => {
    const ids = idsByAccount.get(document.accountId) ?? new Set();
    idsByAccount.set(document.accountId, ids.add(document.id));
    idByToken.set(tokenKey(document), document.id);
  };
  for (const document of documents.values()) index(document);
  return {
    get: (id) => documents.get(id),
    values: () => documents.values(),
    put(document) {
      documents.put(document.id, document);
      index(document);
    },
    delete(document) {
      documents.delete(document.id);
      idsByAccount.get(document.accountId)?.delete(document.id);
      idByToken.delete(tokenKey(document));
    },
    own(accountId, id) {
      const document = documents.get(id);
      return document?.accountId === accountId ? document : undefined;
    },
    byToken: (accountId, token) => documents.get(idByToken.get(`${accountId}/${token}`) ?? ""),
    list: (accountId) => [...(idsByAccount.get(accountId) ?? [])].flatMap((id) => documents.get(id) ?? []),
    count: (accountId) => idsByAccount.get(accountId)?.size ?? 0,
  };
}
