/** Resolves in a turn of the event loop in which nobody else's `await` of the same function does. */
export type NextTurn = () => Promise<void>;

/**
 * Shares out the event loop's turns, one each, so that long work which is cut into pieces holds up everybody else by
 * one piece at most, however many work at the same time.
 */
export function createTurns(): NextTurn {
  const waiting: (() => void)[] = [];
  const run = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(run);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(run);
    });
}

/** A turn that has lasted so long begins nothing more. */
const TURN_MS = 5;
/** Begun in each turn of what had to wait: its rest, which runs later in the same turn, may take long. */
const LATE_PER_TURN = 2;

/**
 * Spreads what comes at once over turns of the event loop: what comes when the turn has lasted for some milliseconds
 * already begins in one of the next, in order. Timers, sockets and other work so have their turn in between.
 */
export function spreadOverTurns<A extends readonly unknown[]>(
  begin: (...args: A) => void,
): (...args: A) => void {
  const late: A[] = [];
  let isInTurn = false;
  let sinceMs = 0;
  const endTurn = (): void => {
    isInTurn = false;
    if (late.length === 0) return;
    isInTurn = true;
    sinceMs = performance.now();
    setImmediate(endTurn);
    for (const args of late.splice(0, LATE_PER_TURN)) begin(...args);
  };
  return (...args) => {
    if (!isInTurn) {
      isInTurn = true;
      sinceMs = performance.now();
      setImmediate(endTurn);
    }
    if (late.length === 0 && performance.now() - sinceMs < TURN_MS) begin(...args);
    else late.push(args);
  };
}
