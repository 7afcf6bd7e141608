import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Makes V8 release the garbage of the start, a fifth of the process. V8 would otherwise wait until new garbage fills
 * that space, and an idle service makes none.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}

/** From here on the space of young objects does not double any more. V8 would let it grow to 128 MiB, and keep it. */
const YOUNG_BYTES = 16 * 1_048_576;

/**
 * Keeps the space of young objects at some 32 MiB: the objects of a request die long before 32 MiB were allocated. The
 * option of Node for it (`--max-semi-space-size`) can only be given when a process starts, and not from within.
 */
export function boundYoungSpace(): void {
  let mayGrow = true;
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
    const hasRoom = (young?.space_size ?? 0) < YOUNG_BYTES;
    if (hasRoom === mayGrow) return;
    mayGrow = hasRoom;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }).observe({ entryTypes: ["gc"] });
}
