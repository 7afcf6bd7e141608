import type { Database } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Logger } from "../../lib/log.ts";
import type { NotedUses } from "./organization.ts";
import { apiKeys } from "./store.ts";
import { sessions } from "./sessions/session-store.ts";

/** How often it is written, in ms. A process that dies loses this much. */
const WRITTEN_EVERY_MS = 60_000;

/** Where another process wrote a use of this time before, in ms, nothing is written. */
const KNOWN_FOR_MS = 50_000;

type Use = Pick<Actor, "organizationId" | "credential"> & { atMs: number };

export type Uses = {
  /** Notes that a credential is used now. Only memory, because every request does. */
  note(by: Pick<Actor, "organizationId" | "credential">): void;
  /** Writes what was noted since, and no more after it. */
  close(): Promise<void>;
};

/** When keys and sessions were last used: collected here, and written once a minute, by organization. */
export function createUses({ db, log }: { readonly db: Database; readonly log: Logger }): Uses {
  let noted = new Map<string, Use>();

  async function write(): Promise<void> {
    const uses = [...noted.values()];
    noted = new Map();
    const stores = { "api-key": apiKeys, session: sessions } as const;
    for (const kind of ["api-key", "session"] as const) {
      const ofKind = Map.groupBy(
        uses.filter(({ credential }) => credential.kind === kind),
        ({ organizationId }) => organizationId,
      );
      for (const [organizationId, all] of ofKind) {
        const noted: NotedUses = {
          ids: all.map(({ credential }) => credential.id),
          at: all.map(({ atMs }) => new Date(atMs)),
          unlessSince: all.map(({ atMs }) => new Date(atMs - KNOWN_FOR_MS)),
        };
        await db.within(organizationId, () => stores[kind].noteUses(db, organizationId, noted));
      }
    }
  }
  const writeOrTell = async (): Promise<void> => {
    try {
      await write();
    } catch (error) {
      log.warn({ err: error }, "When keys and sessions were last used was not written");
    }
  };
  const timer = setInterval(() => void writeOrTell(), WRITTEN_EVERY_MS).unref();

  return {
    note({ organizationId, credential }) {
      const known = noted.get(credential.id);
      if (known === undefined) noted.set(credential.id, { organizationId, credential, atMs: Date.now() });
      else known.atMs = Date.now();
    },
    async close() {
      clearInterval(timer);
      await writeOrTell();
    },
  };
}
