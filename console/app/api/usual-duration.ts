/** How long deployments of an environment usually take, and how far one of them is. Pure. */
import type { Deployment } from "../../../sdk/src/generated/types.ts";
import { formatDuration } from "../ui/format-time.ts";
import type { Step } from "./deployment-rules.ts";

/** As many of the earlier ones as count: older ones were of another size. */
export const COUNTED_MOST = 10;

type Timed = Pick<Deployment, "id" | "startedAt" | "endedAt" | "rollbackOf" | "restartedServiceId">;

/** Rollbacks and restarts build nothing. A restart releases one service. */
const kindOf = ({ rollbackOf, restartedServiceId }: Timed): "build" | "rollback" | "restart" =>
  restartedServiceId !== null ? "restart" : rollbackOf === null ? "build" : "rollback";

/**
 * The median of the deployments of the same kind before, in ms; null without any.
 * @param successes newest first
 */
export function usualDuration(successes: readonly Timed[], own: Timed): number | null {
  const before = successes
    .filter((one) => one.id !== own.id && kindOf(one) === kindOf(own))
    .flatMap(({ startedAt, endedAt }) =>
      startedAt === null || endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(startedAt)],
    )
    .slice(0, COUNTED_MOST);
  return medianOf(before);
}

/** The value in the middle, the lower one of two; null without any. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;
}

/** The steps that are work: the duration of a wait says nothing about the next wait. */
const WORK: readonly string[] = ["Planning", "Building", "Releasing"];

export type Progress = {
  /** The steps so far as parts of the bar, each between 0 and 1; together at most 1. */
  readonly parts: readonly { readonly name: string; readonly state: Step["state"]; readonly part: number }[];
  readonly words: string;
};

/** How far a deployment is. @param now in ms since 1970 */
export function progressOf(
  { startedAt, endedAt, status }: Pick<Deployment, "startedAt" | "endedAt" | "status">,
  steps: readonly Step[],
  usualMs: number | null,
  now: number,
): Progress {
  if (startedAt === null)
    return { parts: [], words: usualMs === null ? "" : usually("Usually takes", usualMs) };
  const end = endedAt === null ? now : Date.parse(endedAt);
  const ms = Math.max(0, end - Date.parse(startedAt));
  const isUnderWay = endedAt === null;
  // Under way it never looks ended.
  const whole = isUnderWay ? Math.max(usualMs ?? ms * 2, ms * 1.05, 1) : Math.max(ms, 1);
  const parts = steps
    .filter(({ name, from }) => WORK.includes(name) && from !== null)
    .map(({ name, state, from, to }) => ({
      name,
      state,
      part: Math.max(0, (to === null ? end : Date.parse(to)) - Date.parse(from ?? startedAt)) / whole,
    }));
  const took = formatDuration(ms);
  if (!isUnderWay) {
    const words = status === "SUCCESS" ? `Took ${took}` : `Ended after ${took}`;
    return { parts, words: usualMs === null ? words : `${words}, ${usually("usually", usualMs)}` };
  }
  if (usualMs === null) return { parts, words: `${took} so far` };
  const words =
    ms > usualMs
      ? `${took} so far, longer than the usual ${formatDuration(usualMs)}`
      : `${took} so far, ${usually("usually", usualMs)}`;
  return { parts, words };
}

function usually(words: string, usualMs: number): string {
  return `${words} ${formatDuration(usualMs)}`;
}
