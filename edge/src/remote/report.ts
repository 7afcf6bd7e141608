/** What an edge on another machine says about itself and its traffic. Instants are milliseconds since 1970. */
import type { Counts } from "../traffic.ts";

export type SiteCounts = Counts & {
  readonly siteId: string;
  /** When the minute of these requests began. */
  readonly minute: number;
};

export type EdgeReport = {
  /** Chosen by its operator; by default the name of its machine. */
  readonly id: string;
  readonly addresses: readonly string[];
  /** The release of Slipway. */
  readonly version: string;
  readonly startedAt: number;
  /** How many names it serves. */
  readonly names: number;
  /** The snapshot that it serves; null: none yet. */
  readonly snapshot: { readonly etag: string; readonly at: number } | null;
  /** Counts up. A report that is sent again has the same number, and its traffic counts once. */
  readonly sequence: number;
  /** What it served without the main machine since the last report. */
  readonly traffic: readonly SiteCounts[];
};

export type TrafficBatches = {
  count(siteId: string, status: number | null): void;
  /** The traffic that is not acknowledged yet. The same until `acknowledge`. */
  next(): { readonly sequence: number; readonly traffic: readonly SiteCounts[] };
  acknowledge(sequence: number): void;
};

const MINUTE_MS = 60_000;

/** @param now in milliseconds since 1970 */
export function createTrafficBatches(now: () => number): TrafficBatches {
  let sequence = 0;
  let pending: readonly SiteCounts[] | null = null;
  let counts = new Map<string, SiteCounts>();
  return {
    count(siteId, status) {
      const at = now();
      const minute = at - (at % MINUTE_MS);
      const key = `${minute} ${siteId}`;
      const { requests, clientErrors, serverErrors } = counts.get(key) ?? {
        requests: 0,
        clientErrors: 0,
        serverErrors: 0,
      };
      counts.set(key, {
        siteId,
        minute,
        requests: requests + 1,
        clientErrors: clientErrors + (status !== null && status >= 400 && status < 500 ? 1 : 0),
        serverErrors: serverErrors + (status !== null && status >= 500 ? 1 : 0),
      });
    },
    next() {
      if (pending === null) {
        pending = [...counts.values()];
        counts = new Map();
        sequence += 1;
      }
      return { sequence, traffic: pending };
    },
    acknowledge(done) {
      if (done === sequence) pending = null;
    },
  };
}
