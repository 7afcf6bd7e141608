import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "../../../sdk/src/errors.ts";
import type { WatchOptions } from "../../../sdk/src/watch.ts";
import type { Read } from "../api/query.ts";
import { Badge } from "../ui/layout.tsx";
import { useNow } from "../ui/time.tsx";
import { formatRelative } from "../ui/format-time.ts";
import { liveState } from "./live.ts";

const TICK_MS = 5_000;

/** Says that the shown data may be old, and how old; nothing while the stream is live. */
export function LiveStatus() {
  const state = useSyncExternalStore(liveState.subscribe, liveState.get);
  const now = useNow(TICK_MS);
  if (state.kind !== "reconnecting") return null;
  return (
    <span role="status">
      <Badge tone="busy">
        Reconnecting · data from {formatRelative(state.since, Math.max(now, state.since))}
      </Badge>
    </span>
  );
}

/**
 * Follows one resource closely while its page is shown: every change, also changes without an event.
 * @param follow such as `(options) => slipway.deployments.watch(id, options)`
 * @param isWanted false once nothing changes any more
 */
export function useFollow<T>(
  read: Read<T>,
  follow: (options: WatchOptions) => AsyncIterable<T>,
  isWanted = true,
): void {
  const client = useQueryClient();
  const key = JSON.stringify(read.queryKey);
  useEffect(() => {
    if (!isWanted) return;
    const end = new AbortController();
    const run = async () => {
      for await (const news of follow({ signal: end.signal })) client.setQueryData(JSON.parse(key), news);
    };
    run().catch((error: unknown) => {
      // The page's own read says what is wrong.
      if (!end.signal.aborted && error instanceof ApiError)
        void client.invalidateQueries({ queryKey: JSON.parse(key) });
    });
    return () => end.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `follow` is made anew at each rendering, of the same read
  }, [client, key, isWanted]);
}
