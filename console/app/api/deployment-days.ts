/** Days of deployments in a line. Pure. */
import type { DeploymentDay } from "../../../sdk/src/generated/types.ts";
import { formatDuration } from "../ui/format-time.ts";
import { medianOf } from "./usual-duration.ts";

/** How many there were, how they ended, and how long they usually took. */
export function summarizeDays(days: readonly DeploymentDay[]): string {
  const sum = (of: (day: DeploymentDay) => number) => days.reduce((total, day) => total + of(day), 0);
  const succeeded = sum((day) => day.succeeded);
  const failed = sum((day) => day.failed);
  const all = succeeded + failed + sum(({ stopped, unended }) => stopped + unended);
  if (all === 0) return "no deployment";
  // Of the day in the middle: the API has no median of all.
  const usual = medianOf(
    days.flatMap(({ medianSeconds }) => (medianSeconds === null ? [] : [medianSeconds])),
  );
  return [
    all === 1 ? "1 deployment" : `${all} deployments`,
    `${succeeded} succeeded`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(usual === null ? [] : [`usually ${formatDuration(usual * 1_000)}`]),
  ].join(", ");
}
