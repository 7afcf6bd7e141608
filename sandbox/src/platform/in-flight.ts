import { pause } from "../../../src/lib/pace/pause.ts";

/** Counts the requests that are being answered. */
export type InFlight = {
  /** Counts a request until the returned function is called. */
  enter(): () => void;
  /** Resolves when no requests are left, when `limitMs` has passed, or when the signal aborts. */
  drain(limitMs: number, signal: AbortSignal): Promise<void>;
};

export function createInFlight(): InFlight {
  let count = 0;
  let onNone: (() => void) | null = null;
  return {
    enter() {
      count += 1;
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        count -= 1;
        if (count === 0) onNone?.();
      };
    },
    async drain(limitMs, signal) {
      if (count === 0) return;
      const none = new AbortController();
      onNone = () => none.abort();
      await pause(limitMs, AbortSignal.any([none.signal, signal]));
    },
  };
}
