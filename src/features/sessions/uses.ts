import type { Database } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Logger } from "../../lib/log.ts";
import { noteUses, type UsedTable } from "./use-store.ts";

/** How often it is written, in ms. A process that dies loses this much. */
const WRITTEN_EVERY_MS = 60_000;

type By = Pick<Actor, "organizationId" | "userId" | "credential">;
type Use = By & { atMs: number };

/** The rows that a use is written to: a user is seen whenever a credential of the user is used. */
const NOTED: readonly (readonly [UsedTable, (use: Use) => string | null])[] = [
  ["api_keys", ({ credential }) => (credential.kind === "api-key" ? credential.id : null)],
  ["sessions", ({ credential }) => (credential.kind === "session" ? credential.id : null)],
  ["users", ({ userId }) => userId],
];

export type Uses = {
  /** Notes that a credential is used now. Only memory, because every request does. */
  note(by: By): void;
  /** Writes what was noted since, and no more after it. */
  close(): Promise<void>;
};

/** When keys, sessions and users were last used: collected here, and written once a minute, by organization. */
export function createUses({ db, log }: { readonly db: Database; readonly log: Logger }): Uses {
  let noted = new Map<string, Use>();

  async function write(): Promise<void> {
    const uses = [...noted.values()];
    noted = new Map();
    for (const [organizationId, all] of Map.groupBy(uses, (use) => use.organizationId)) {
      for (const [table, idOf] of NOTED) {
        const last = lastOf(all, idOf);
        if (last.size > 0) await db.within(organizationId, () => noteUses(db, organizationId, table, last));
      }
    }
  }
  const writeOrLog = async (): Promise<void> => {
    try {
      await write();
    } catch (error) {
      log.warn({ err: error }, "When keys, sessions and users were last used was not written");
    }
  };
  const timer = setInterval(() => void writeOrLog(), WRITTEN_EVERY_MS).unref();

  return {
    note({ organizationId, userId, credential }) {
      const known = noted.get(credential.id);
      if (known === undefined)
        noted.set(credential.id, { organizationId, userId, credential, atMs: Date.now() });
      else known.atMs = Date.now();
    },
    async close() {
      clearInterval(timer);
      await writeOrLog();
    },
  };
}

/** The last use of each id, in ms. */
function lastOf(uses: readonly Use[], idOf: (use: Use) => string | null): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const use of uses) {
    const id = idOf(use);
    if (id !== null) last.set(id, Math.max(use.atMs, last.get(id) ?? 0));
  }
  return last;
}
