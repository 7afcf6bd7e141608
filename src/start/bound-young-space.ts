import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** From here on the space of young objects does not double any more. V8 would let it grow to 128 MiB, and keep it. */
const YOUNG_BYTES = 16 * 1_048_576;

/**
 * Keeps the space of young objects at some 32 MiB, because a client without a key must not make the process larger than
 * that (SECURITY.md). Node's own option (`--max-semi-space-size`) can only be given when a process starts.
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
