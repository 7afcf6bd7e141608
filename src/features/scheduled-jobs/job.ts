/** A job of a scheduler: a command with a schedule, as the settings of its service have it. */
import { type Cron, parseCron } from "../../lib/cron/cron.ts";
import { openZone, type Zone } from "../../lib/cron/run-times.ts";
import type { Execution } from "../executions/execution.ts";
import type { Service } from "../projects/project.ts";
import { JOB_DEFAULTS, type JobSettings } from "../projects/service-settings.ts";

export type Job = Required<JobSettings> & { readonly id: string };

/** With what its schedule does next, and did last. */
export type JobDetails = Job & {
  /** None while the schedule starts nothing. */
  readonly nextRuns: readonly { readonly at: Date; readonly local: string }[];
  readonly lastExecution: Execution | null;
};

/** The jobs of a service, with defaults; none unless it is a scheduler. Pure. */
export function jobsOf(service: Service): readonly Job[] {
  if (service.type !== "scheduler") return [];
  return Object.entries(service.settings.jobs).map(([id, job]) => ({ id, ...JOB_DEFAULTS, ...job }));
}

/** Pure. @throws Error if the configuration should have refused it */
export function scheduleOf({ schedule, timezone }: Job): { readonly cron: Cron; readonly zone: Zone } {
  const cron = parseCron(schedule);
  if ("fault" in cron) throw new Error(`The schedule ${schedule} ${cron.fault}.`);
  return { cron, zone: openZone(timezone) };
}
