import { PGlite } from "@electric-sql/pglite";
import { toFolderError } from "../../lib/folder-error.ts";
import type { Database, Sql, Statement, Transaction } from "../database.ts";
import { repeatOnDeadlock, translateDriverError } from "./driver-errors.ts";
import { createNotifier, type Message, type Notifier } from "../notifier.ts";
import { PrivateFiles } from "./private-files.ts";
import { createSentStatements } from "./sent-statements.ts";
import { createTenantScope } from "../tenant-scope.ts";

/**
 * The embedded PostgreSQL. It has one connection: a transaction blocks everything else, so it must not wait for
 * anything slow. It does not lock its folder; `data-dir-lock.ts` does.
 * @throws FolderError
 */
export async function openPgliteDatabase(
  options: ({ folder: string } | { dump: Blob }) & { onError?: (error: unknown) => void },
): Promise<Database> {
  const pglite = await ("folder" in options
    ? openFolder(options.folder)
    : PGlite.create({ loadDataDir: options.dump }));
  /** Lets in one caller at a time; the others wait. */
  let inside = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    inside += 1;
    try {
      return await work;
    } finally {
      inside -= 1;
    }
  };

  const notifier = createNotifier({
    run: (statement, values) => counted(run(pglite, statement, values)),
    onError: options.onError ?? (() => undefined),
  });

  const { opening, within, acrossOrganizations, restrictWrites } = createTenantScope();

  return {
    kind: "pglite",
    async query(statement, values) {
      const first = statement.isRead ? null : opening();
      if (first === null) return await counted(run(pglite, statement, values));
      const alone = pglite.transaction(async (tx) => {
        await tx.exec(first);
        return await run(tx, statement, values);
      });
      return await counted(alone);
    },
    async transaction(work) {
      const first = opening();
      return await repeatOnDeadlock(() => counted(runTransaction(pglite, first, work, notifier)));
    },
    within,
    acrossOrganizations,
    restrictWrites,
    notify: (channel, payload) => notifier.add([{ channel, payload }]),
    async listen(channel, onMessage) {
      const stop = await pglite.listen(channel, onMessage);
      return { close: () => stop() };
    },
    async execute(text) {
      try {
        await pglite.exec(text);
      } catch (error) {
        throw translateDriverError(error, "execute");
      }
    },
    pool: () => ({ open: 1, idle: inside === 0 ? 1 : 0, waiting: Math.max(0, inside - 1) }),
    async close() {
      await notifier.drained();
      await pglite.close();
    },
  };
}

async function openFolder(folder: string): Promise<PGlite> {
  try {
    return await PGlite.create({ fs: new PrivateFiles(folder) });
  } catch (error) {
    throw toFolderError("The embedded database", folder, error);
  }
}

async function run<Row>(
  client: Pick<PGlite, "query">,
  { name, text }: Statement<Row>,
  values: Parameters<Sql["query"]>[1] = [],
): Promise<Row[]> {
  try {
    const result = await client.query<Row>(text, [...values]);
    return result.rows;
  } catch (error) {
    throw translateDriverError(error, name);
  }
}

async function runTransaction<T>(
  pglite: PGlite,
  first: string | null,
  work: (tx: Transaction) => Promise<T>,
  notifier: Notifier,
): Promise<T> {
  const messages: Message[] = [];
  const committed = await pglite.transaction(async (tx) => {
    if (first !== null) await tx.exec(first);
    const sent = createSentStatements();
    try {
      const result = await work({
        notify: (channel, payload) => void messages.push({ channel, payload }),
        query: (statement, values) => run(tx, statement, values),
        send: (statement, values, { onRows, onFailure } = {}) =>
          sent.add(run(tx, statement, values).then(onRows, onFailure)),
        executeSql: async (text, values) => await tx.query(text, values),
      });
      await sent.settle();
      return result;
    } catch (error) {
      throw await sent.findCause(error);
    }
  });
  notifier.add(messages);
  return committed;
}
