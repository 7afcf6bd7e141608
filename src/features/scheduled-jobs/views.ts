import { Type } from "typebox";
import { Count, Id, Instant, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { ExecutionSchema, viewExecution } from "../executions/views.ts";
import { JOB_MISSED, JOB_OVERLAPS } from "../projects/service-settings.ts";
import type { JobDetails } from "./job.ts";

export const StartedJobSchema = Type.Object(
  { jobExecutionId: Id("exec", "The execution.") },
  { title: "StartedJob", description: "An execution of a job that was requested." },
);

const JobRunSchema = Type.Object(
  {
    at: Instant("When it is due.", "2026-11-21T02:00:00.000Z"),
    local: Text("The same, on the clocks of the job's time zone.", "2026-11-21T03:00+01:00"),
  },
  { title: "JobRun", description: "A start that the schedule will make." },
);

export const JobSchema = Type.Object(
  {
    id: Text("The job's id in the configuration.", "nightly"),
    command: Text("The command.", "node nightly.js"),
    schedule: Text("When it starts, in the five fields of cron.", "0 3 * * *"),
    timezone: Text("The time zone of the schedule.", "Europe/Berlin"),
    timeoutMinutes: Count("After this number of minutes, it is stopped.", 60),
    retries: Count("How often a failed start of the schedule is repeated.", 0),
    overlap: Words(JOB_OVERLAPS, {
      title: "JobOverlapRule",
      description: "What happens if it still runs when it should start.",
      examples: ["forbid"],
    }),
    missed: Words(JOB_MISSED, {
      title: "JobMissedRule",
      description: "What happens with starts that were missed.",
      examples: ["skip"],
    }),
    nextRuns: Type.Array(JobRunSchema, {
      description: "The next five. None before the first release, and in previews.",
    }),
    lastExecution: Nullable(
      Type.Object(ExecutionSchema.properties, {
        title: "LastExecution",
        description: "The newest execution; null if there is none.",
      }),
    ),
  },
  { title: "Job", description: "A command of a scheduler, and its schedule." },
);

export const JobsSchema = Type.Object(
  { jobs: Type.Array(JobSchema, { description: "In the order of their ids." }) },
  { title: "Jobs", description: "The jobs of a service; none unless it is a scheduler." },
);

export function viewJobs(jobs: readonly JobDetails[]) {
  return {
    jobs: jobs.map(({ lastExecution, nextRuns, ...job }) => ({
      ...viewAs(JobSchema, { ...job, nextRuns: [], lastExecution: null }),
      nextRuns: nextRuns.map((run) => viewAs(JobRunSchema, run)),
      lastExecution: lastExecution === null ? null : viewExecution(lastExecution),
    })),
  };
}
