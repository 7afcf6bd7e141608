/**
 * Environments without visitors sleep: the processes of their live releases are stopped, and the next request starts all
 * of them again. The store knows who sleeps, so a restart of the sandbox wakes nothing, and a wake survives one.
 */
import type { ActivityMessage } from "../../protocol.ts";
import type { LogWriter } from "../logs.ts";
import type { Background } from "../background.ts";
import { type Place, placeKey, type PlatformStore, type StoredRelease } from "../store.ts";
import type { Supervised } from "./supervise.ts";

export type Sleep = {
  isAsleep(release: StoredRelease): boolean;
  /** Notes a use of the release's environment. */
  use(release: StoredRelease): void;
  /** Wakes the environment, which is in use until the returned function is called. */
  enter(release: StoredRelease): () => void;
  wake(release: StoredRelease): void;
  /** Of those of the environments that have a live web release. */
  read(accountId: string, environmentIds: readonly string[]): readonly ActivityMessage[];
  /** Stops the processes of an environment that was not used after this instant. */
  fallAsleep(place: Place, usedAt: number): void;
  /** Call it when a release was removed. */
  forget(release: StoredRelease): void;
};

type Use = { readonly at: number; readonly open: number };

export function createSleep(options: {
  store: PlatformStore;
  now: () => number;
  background: Background;
  stopGraceMs: number;
  entryOf: (
    releaseId: string,
  ) => { readonly log: LogWriter; readonly supervised: Supervised | null } | undefined;
}): Sleep {
  const { store, now, background, stopGraceMs, entryOf } = options;
  const uses = new Map<string, Use>();
  /** What happened before is not known: everything counts as used then. */
  const openedAt = now();

  /** Null for releases of a Slipway that named no environment. */
  function placeOf({ accountId, input }: StoredRelease): Place | null {
    const { environmentId } = input.service;
    return environmentId === undefined ? null : { accountId, environmentId };
  }
  function releasesIn({ accountId, environmentId }: Place): readonly StoredRelease[] {
    return store.releases
      .list(accountId)
      .filter(({ input }) => input.service.environmentId === environmentId);
  }

  /** Of live releases. A process that is started later begins as the store says. */
  const processesIn = (place: Place) =>
    releasesIn(place).flatMap(({ id, status }) => {
      const { log, supervised = null } = (status === "LIVE" ? entryOf(id) : undefined) ?? {};
      return log === undefined || supervised === null ? [] : { log, supervised };
    });

  const useOf = (place: Place): Use => uses.get(placeKey(place)) ?? { at: openedAt, open: 0 };
  function count(place: Place, change: -1 | 0 | 1): void {
    uses.set(placeKey(place), { at: now(), open: Math.max(0, useOf(place).open + change) });
  }
  function isInUse(place: Place): boolean {
    return useOf(place).open > 0 || releasesIn(place).some(({ status }) => status === "STARTING");
  }

  function wake(release: StoredRelease): void {
    const place = placeOf(release);
    if (place === null || store.sleeping.get(placeKey(place)) === undefined) return;
    store.sleeping.delete(placeKey(place));
    count(place, 0);
    for (const { log, supervised } of processesIn(place)) {
      log.note("The environment is in use again: the process is started.");
      supervised.wake();
    }
  }

  function read(place: Place): ActivityMessage | null {
    // Visitors reach no private service, so they could not wake its environment.
    const isVisited = ({ status, input: { workload } }: StoredRelease) =>
      status === "LIVE" && workload.type === "web" && workload.isPrivate !== true;
    if (!releasesIn(place).some(isVisited)) return null;
    const asleepSince = store.sleeping.get(placeKey(place))?.since ?? null;
    const usedAt = isInUse(place) ? now() : useOf(place).at;
    return { environmentId: place.environmentId, usedAt, asleepSince };
  }

  return {
    isAsleep(release) {
      const place = placeOf(release);
      return place !== null && store.sleeping.get(placeKey(place)) !== undefined;
    },
    use(release) {
      const place = placeOf(release);
      if (place !== null) count(place, 0);
    },
    enter(release) {
      wake(release);
      const place = placeOf(release);
      if (place === null) return () => undefined;
      count(place, 1);
      return () => {
        if (uses.has(placeKey(place))) count(place, -1);
      };
    },
    wake,
    read: (accountId, environmentIds) =>
      environmentIds.flatMap((environmentId) => read({ accountId, environmentId }) ?? []),
    fallAsleep(place, since) {
      const activity = read(place);
      if (activity === null || activity.asleepSince !== null || activity.usedAt > since || isInUse(place))
        return;
      store.sleeping.put(placeKey(place), { ...place, since: now() });
      for (const { log, supervised } of processesIn(place)) {
        log.note("The environment is not in use: the process is stopped until the next request.");
        background.run(supervised.sleep(stopGraceMs), "A process could not be stopped.");
      }
    },
    forget(release) {
      const place = placeOf(release);
      if (place === null || releasesIn(place).length > 0) return;
      store.sleeping.delete(placeKey(place));
      uses.delete(placeKey(place));
    },
  };
}
