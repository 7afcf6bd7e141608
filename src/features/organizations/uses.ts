import type { Database } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Logger } from "../../lib/log.ts";
import type { NotedUses } from "./organization.ts";
import { apiKeys, users } from "./store.ts";
import { sessions } from "./sessions/session-store.ts";

/** How often it is written, in ms. A process that dies loses this much. */
const WRITTEN_EVERY_MS = 60_000;

/** Where another process wrote a use of this time before, in ms, nothing is written. */
const KNOWN_FOR_MS = 50_000;

type By = Pick<Actor, "organizationId" | "userId" | "credential">;
type Use = By & { atMs: number };

/** What notes uses, and of what: a user is seen whenever anything of it is used, whatever becomes of that later. */
const NOTED = [
  { store: apiKeys, idOf: ({ credential }: Use) => (credential.kind === "api-key" ? credential.id : null) },
  { store: sessions, idOf: ({ credential }: Use) => (credential.kind === "session" ? credential.id : null) },
  { store: users, idOf: ({ userId }: Use) => userId },
] as const;

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
      for (const { store, idOf } of NOTED) {
        const last = lastOf(all, idOf);
        if (last.ids.length > 0)
          await db.within(organizationId, () => store.noteUses(db, organizationId, last));
      }
    }
  }
  const writeOrTell = async (): Promise<void> => {
    try {
      await write();
    } catch (error) {
      log.warn({ err: error }, "When keys, sessions and users were last used was not written");
    }
  };
  const timer = setInterval(() => void writeOrTell(), WRITTEN_EVERY_MS).unref();

  return {
    note({ organizationId, userId, credential }) {
      const known = noted.get(credential.id);
      if (known === undefined)
        noted.set(credential.id, { organizationId, userId, credential, atMs: Date.now() });
      else known.atMs = Date.now();
    },
    async close() {
      clearInterval(timer);
      await writeOrTell();
    },
  };
}

/** The last use of each. */
function lastOf(uses: readonly Use[], idOf: (use: Use) => string | null): NotedUses {
  const last = new Map<string, number>();
  for (const use of uses) {
    const id = idOf(use);
    if (id !== null) last.set(id, Math.max(use.atMs, last.get(id) ?? 0));
  }
  const times = [...last.values()];
  return {
    ids: [...last.keys()],
    at: times.map((atMs) => new Date(atMs)),
    unlessSince: times.map((atMs) => new Date(atMs - KNOWN_FOR_MS)),
  };
}
