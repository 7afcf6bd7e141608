/** What the edge served: requests and errors of each distribution by minute, of the last day, since the start. */
import type { TrafficMessage } from "../protocol.ts";

type Counts = { requests: number; clientErrors: number; serverErrors: number };

export type EdgeTraffic = {
  /** @param status of the answer; null if the caller left before it */
  count(distributionId: string, status: number | null): void;
  /** All of these together. @param since milliseconds since 1970 */
  read(distributionIds: readonly string[], since: number): TrafficMessage;
};

const MINUTE_MS = 60_000;
const KEPT_MS = 24 * 60 * MINUTE_MS;

export function createEdgeTraffic(now: () => number): EdgeTraffic {
  const startedAt = now();
  /** By the time at which a minute began, then by distribution. Oldest first. */
  const minutes = new Map<number, Map<string, Counts>>();

  function open(at: number): Map<string, Counts> {
    const made = new Map<string, Counts>();
    minutes.set(at, made);
    for (const old of minutes.keys()) if (old + MINUTE_MS < at - KEPT_MS) minutes.delete(old);
    return made;
  }

  return {
    count(distributionId, status) {
      const at = minuteOf(now());
      const minute = minutes.get(at) ?? open(at);
      const counts = minute.get(distributionId) ?? { requests: 0, clientErrors: 0, serverErrors: 0 };
      minute.set(distributionId, counts);
      counts.requests += 1;
      if (status === null || status < 400) return;
      if (status < 500) counts.clientErrors += 1;
      else counts.serverErrors += 1;
    },

    read(distributionIds, since) {
      const until = now();
      const from = Math.max(since, startedAt, until - KEPT_MS);
      const told = [...minutes].flatMap(([at, minute]) => {
        if (at < minuteOf(from)) return [];
        const own = distributionIds.flatMap((id) => minute.get(id) ?? []);
        const sum = (of: keyof Counts) => own.reduce((total, counts) => total + counts[of], 0);
        const requests = sum("requests");
        return requests === 0
          ? []
          : [{ at, requests, clientErrors: sum("clientErrors"), serverErrors: sum("serverErrors") }];
      });
      return { from, until, minutes: told };
    },
  };
}

function minuteOf(at: number): number {
  return at - (at % MINUTE_MS);
}
