/**
 * Keeps accounts that do not answer from delaying the others. A call that times out blocks its worker for
 * seconds, and hundreds of groups may wait for the same account. After several time-outs in a row, the
 * account's calls are refused at once, except for one at a time that tests whether it answers again (Nygard,
 * "Release It!", circuit breaker). A failure with an answer, whatever it says, is not a time-out.
 */
export type AccountCircuits = {
  /** Whether a call may be made now. Each call that may be made must be followed by `report`. */
  admits(connectionId: string): boolean;
  report(connectionId: string, outcome: "answered" | "timed-out"): void;
};

type Silence = { timeouts: number; askAgainAtMs: number; isAsking: boolean };

const TIMEOUTS_MAX = 3;
/** Not longer than the time in which some work of the account is tried at least once (`jobs/run-claim.ts`). */
const REST_MS = 10_000;

/** @param nowMs a monotonic clock */
export function createAccountCircuits(nowMs: () => number): AccountCircuits {
  /** Only accounts whose last call timed out. */
  const silences = new Map<string, Silence>();
  return {
    admits(connectionId) {
      const silence = silences.get(connectionId);
      if (silence === undefined || silence.timeouts < TIMEOUTS_MAX) return true;
      if (silence.isAsking || nowMs() < silence.askAgainAtMs) return false;
      silence.isAsking = true;
      return true;
    },
    report(connectionId, outcome) {
      if (outcome === "answered") {
        silences.delete(connectionId);
        return;
      }
      const timeouts = (silences.get(connectionId)?.timeouts ?? 0) + 1;
      silences.set(connectionId, { timeouts, askAgainAtMs: nowMs() + REST_MS, isAsking: false });
    },
  };
}
