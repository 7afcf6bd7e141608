/** Resolves in a turn of the event loop that no other caller of the same function gets. */
export type NextTurn = () => Promise<void>;

/**
 * Gives each caller its own turn of the event loop. Long work that is cut into pieces then delays others by one piece
 * at most, however many callers there are.
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

/** A turn that has lasted this long begins nothing more. */
const TURN_MS = 5;
/**
 * How many waiting calls begin in each later turn. Few, because the rest of each runs later in the same turn and may
 * take long.
 */
const LATE_PER_TURN = 2;

/**
 * Spreads calls that come at once over turns of the event loop. When a turn has lasted some milliseconds, further calls
 * begin in the next turns, in order. Timers, sockets and other work get their turn in between.
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
