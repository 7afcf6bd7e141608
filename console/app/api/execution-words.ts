/** Commands that run once in a service: words, and what their state permits. Pure. */
import type { Environment, Execution } from "../../../sdk/src/generated/types.ts";

/** What started it: a person's request, the schedule of a job, or a deployment after its release. */
export function tellStart({
  trigger,
  jobId,
  attempt,
}: Pick<Execution, "trigger" | "jobId" | "attempt">): string {
  if (trigger === "deploy") return "after a release";
  if (trigger === "run" || jobId === null) return "one-off";
  if (trigger === "request") return `job ${jobId}, on request`;
  return `schedule of ${jobId}${attempt === 1 ? "" : `, attempt ${attempt}`}`;
}

/** Why it cannot be cancelled (the server's `EXECUTION_ENDED`); null: it can. */
export function reasonAgainstCancel({
  endedAt,
  isCancelRequested,
}: Pick<Execution, "endedAt" | "isCancelRequested">): string | null {
  if (endedAt !== null) return "It has ended.";
  return isCancelRequested ? "It is being cancelled already." : null;
}

/** A time limit in minutes, or in hours if these are whole. */
export function tellTimeLimit({ timeLimitSeconds }: Pick<Execution, "timeLimitSeconds">): string {
  const minutes = timeLimitSeconds / 60;
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/**
 * Why a command typed by hand is refused (the server's `APPROVAL_REQUIRED`, `COMMAND_NOT_RUNNABLE`); null: it may run.
 * @param isLive whether something of the service is live; null until that is known
 */
export function reasonAgainstRun(
  { protection }: Pick<Environment, "protection">,
  isLive: boolean | null,
): string | null {
  if (protection.approval !== null)
    return "This environment requires an approval, which a command typed by hand does not have. Put it into slipway.json as preDeployCommand or as a job, and deploy it.";
  return isLive === false ? "This service has no live release. Deploy it first." : null;
}

/**
 * A start of a job on the clocks of the job's time zone, such as `Sat 28 Nov, 03:30`; with the year if it is not the
 * present one.
 * @param at ISO 8601
 * @param now in milliseconds since 1970
 */
export function tellJobStart(at: string, timezone: string, now: number): string {
  const format = (instant: Date | number, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: timezone }).format(instant);
  const start = new Date(at);
  const year = { year: "numeric" } as const;
  const said = format(start, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    ...(format(start, year) === format(now, year) ? {} : year),
  });
  // With a year, `Intl` puts a comma behind the weekday.
  return said.replace(/^(\w+),/, "$1");
}
