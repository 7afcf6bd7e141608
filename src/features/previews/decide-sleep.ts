import type { EnvironmentActivity } from "../../cloud/platform.ts";

/** How soon we look again whether a preview that sleeps was woken. */
export const WATCH_MS = 60_000;

export type SleepFacts = {
  /** Null: previews of the template do not sleep. */
  readonly sleepAfterMinutes: number | null;
  /** Null while the preview has no live web service: no request could wake it. */
  readonly activity: Pick<EnvironmentActivity, "usedAt" | "asleepSince"> | null;
  readonly now: Date;
};

export type SleepStep =
  | { readonly kind: "sleep" }
  /** Null: there is nothing to wait for. */
  | { readonly kind: "wait"; readonly ms: number | null };

/** Whether a preview is to sleep now, or when to look again. Pure. */
export function decideSleep({ sleepAfterMinutes, activity, now }: SleepFacts): SleepStep {
  if (activity !== null && activity.asleepSince !== null) return { kind: "wait", ms: WATCH_MS };
  if (sleepAfterMinutes === null) return { kind: "wait", ms: null };
  const afterMs = sleepAfterMinutes * 60_000;
  if (activity === null) return { kind: "wait", ms: afterMs };
  const ms = activity.usedAt.getTime() + afterMs - now.getTime();
  return ms <= 0 ? { kind: "sleep" } : { kind: "wait", ms };
}
