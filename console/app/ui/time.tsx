/** Instants and durations as people say them. */
import { useSyncExternalStore } from "react";
import { formatCountdown, formatDuration, formatRelative } from "./format-time.ts";
import { Quiet } from "./layout.tsx";

const TICK_MS = 15_000;
const FAST_TICK_MS = 1_000;
const RECENT_MS = 120_000;
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** An instant as the exact time. @param at ISO 8601 */
export function tellInstant(at: string): string {
  return exact.format(new Date(at));
}

/** An instant as relative time, which stays true; its title is the exact time. @param props.at ISO 8601 */
export function When({
  at,
  otherwise = "never",
}: {
  readonly at: string | null;
  readonly otherwise?: string;
}) {
  // A recent time is updated every second: with the slow tick, its age could be less than the duration beside it.
  const isRecent = at !== null && Math.abs(Date.now() - Date.parse(at)) < RECENT_MS;
  const now = useNow(isRecent ? FAST_TICK_MS : TICK_MS);
  if (at === null) return <Quiet>{otherwise}</Quiet>;
  return (
    <time dateTime={at} title={tellInstant(at)}>
      {formatRelative(Date.parse(at), now)}
    </time>
  );
}

/** How long something took, or has taken so far. @param props.from ISO 8601; null: it has not begun */
export function Lasted({ from, to }: { readonly from: string | null; readonly to: string | null }) {
  const now = useNow(FAST_TICK_MS);
  if (from === null) return <Quiet>–</Quiet>;
  const ms = (to === null ? now : Date.parse(to)) - Date.parse(from);
  return <span>{formatDuration(Math.max(0, ms))}</span>;
}

/** The time, rounded down to `stepMs`; a component that uses it is drawn again when it changes. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(
    (changed) => {
      const timer = setInterval(changed, stepMs);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / stepMs) * stepMs,
  );
}

/** How long until an instant, by the second. @param props.to ISO 8601 */
export function Countdown({ to }: { readonly to: string }) {
  const now = useNow(FAST_TICK_MS);
  return <span>{formatCountdown(Date.parse(to) - now)}</span>;
}
