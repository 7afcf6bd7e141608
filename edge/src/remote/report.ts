/** What an edge on another machine says about itself and its traffic. Instants are milliseconds since 1970. */
import { countAnswer, type Counts, KEPT_MS, minuteOf } from "../traffic.ts";

export type SiteCounts = Counts & {
  readonly siteId: string;
  /** When the minute of these requests began. */
  readonly minute: number;
};

export type EdgeReport = {
  /** Chosen by its operator; by default the name of its machine. */
  readonly id: string;
  readonly addresses: readonly string[];
  /** Where it listens; null: not for HTTP. */
  readonly ports: { readonly http: number | null; readonly https: number };
  /** The release of Slipway. */
  readonly version: string;
  readonly startedAt: number;
  /** How many names it serves. */
  readonly names: number;
  /** The snapshot that it serves; null: none yet, or its Caddy does not run or refuses the routes. */
  readonly snapshot: { readonly etag: string; readonly at: number } | null;
  /** Counts up. A report that is sent again has the same number, and its traffic counts once. */
  readonly sequence: number;
  /** What it served without the main machine, and has not reported yet: the oldest counts first. */
  readonly traffic: readonly SiteCounts[];
};

export type TrafficBatches = {
  count(siteId: string, status: number | null): void;
  /** The oldest traffic that is not acknowledged yet, at most `MAX_COUNTS` counts. The same until `acknowledge`. */
  next(): { readonly sequence: number; readonly traffic: readonly SiteCounts[] };
  acknowledge(sequence: number): void;
};

/** How many counts a report has at most: with the longest ids it is smaller than the body that is accepted, 1 MiB. */
export const MAX_COUNTS = 4_000;

/** @param now in milliseconds since 1970 */
export function createTrafficBatches(now: () => number): TrafficBatches {
  let sequence = 0;
  let pending: readonly SiteCounts[] | null = null;
  /** By minute and site, in the order of the minutes. */
  const waiting = new Map<string, SiteCounts>();

  const keyOf = (minute: number, siteId: string) => `${minute} ${siteId}`;
  function open(siteId: string, minute: number): SiteCounts {
    const made = { siteId, minute, requests: 0, clientErrors: 0, serverErrors: 0 };
    waiting.set(keyOf(minute, siteId), made);
    // The control plane would not count them, and it may be away for long.
    for (const [old, { minute: at }] of waiting) {
      if (at >= minute - KEPT_MS) break;
      waiting.delete(old);
    }
    return made;
  }

  return {
    count(siteId, status) {
      const minute = minuteOf(now());
      countAnswer(waiting.get(keyOf(minute, siteId)) ?? open(siteId, minute), status);
    },
    next() {
      if (pending === null) {
        pending = [...waiting.values()].slice(0, MAX_COUNTS);
        for (const { minute, siteId } of pending) waiting.delete(keyOf(minute, siteId));
        sequence += 1;
      }
      return { sequence, traffic: pending };
    },
    acknowledge(done) {
      if (done === sequence) pending = null;
    },
  };
}
