/** Counts what the edge served: requests and errors of each site by minute, of the last day, since the start. */

export type Counts = { requests: number; clientErrors: number; serverErrors: number };

export type EdgeTraffic = {
  /** @param status of the answer; null if the caller left before it */
  count(siteId: string, status: number | null): void;
  /** Adds what another edge counted in a minute, by when the minute began. */
  add(siteId: string, minute: number, counts: Counts): void;
  /** All of these together. Instants are milliseconds since 1970; `at` is when a minute began. */
  read(
    siteIds: readonly string[],
    since: number,
  ): {
    readonly from: number;
    readonly until: number;
    readonly minutes: (Counts & { readonly at: number })[];
  };
};

const MINUTE_MS = 60_000;
/** Older minutes are forgotten. */
export const KEPT_MS = 24 * 60 * MINUTE_MS;

export function createEdgeTraffic(now: () => number): EdgeTraffic {
  const startedAt = now();
  /** By the time at which a minute began, then by site. */
  const minutes = new Map<number, Map<string, Counts>>();

  function open(at: number): Map<string, Counts> {
    const made = new Map<string, Counts>();
    minutes.set(at, made);
    for (const old of minutes.keys()) if (old + MINUTE_MS < at - KEPT_MS) minutes.delete(old);
    return made;
  }

  function countsOf(siteId: string, at: number): Counts {
    const minute = minutes.get(at) ?? open(at);
    const counts = minute.get(siteId) ?? { requests: 0, clientErrors: 0, serverErrors: 0 };
    minute.set(siteId, counts);
    return counts;
  }

  return {
    count(siteId, status) {
      countAnswer(countsOf(siteId, minuteOf(now())), status);
    },

    add(siteId, minute, more) {
      const at = minuteOf(minute);
      if (at > now() || at < now() - KEPT_MS) return;
      const counts = countsOf(siteId, at);
      counts.requests += more.requests;
      counts.clientErrors += more.clientErrors;
      counts.serverErrors += more.serverErrors;
    },

    read(siteIds, since) {
      const until = now();
      const from = Math.max(since, startedAt, until - KEPT_MS);
      const served = [...minutes]
        .sort(([a], [b]) => a - b)
        .flatMap(([at, minute]) => {
          if (at < minuteOf(from)) return [];
          const own = siteIds.flatMap((id) => minute.get(id) ?? []);
          const sum = (of: keyof Counts) => own.reduce((total, counts) => total + counts[of], 0);
          const requests = sum("requests");
          return requests === 0
            ? []
            : [{ at, requests, clientErrors: sum("clientErrors"), serverErrors: sum("serverErrors") }];
        });
      return { from, until, minutes: served };
    },
  };
}

/** When the minute of an instant began; both are milliseconds since 1970. */
export function minuteOf(at: number): number {
  return at - (at % MINUTE_MS);
}

/** @param status of the answer; null if the caller left before it */
export function countAnswer(counts: Counts, status: number | null): void {
  counts.requests += 1;
  if (status === null || status < 400) return;
  if (status < 500) counts.clientErrors += 1;
  else counts.serverErrors += 1;
}
