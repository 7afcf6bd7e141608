import { Type } from "typebox";
import {
  Count,
  CreatedAt,
  EXAMPLE_IDS,
  Id,
  Nullable,
  NullableInstant,
  Text,
  viewAs,
  Words,
} from "../../http/schemas.ts";
import { EventSchema, LineEvent, NextCursor, PrintedLineSchema } from "../deployments/log-views.ts";
import { type Execution, EXECUTION_STATES, EXECUTION_TRIGGERS } from "./execution.ts";
import type { ExecutionLog } from "./logs.ts";

export const ExecutionStatusSchema = Words(EXECUTION_STATES, {
  title: "ExecutionStatus",
  description:
    "Waiting: `QUEUED`, `STARTING`. `RUNNING`. Ended: `SUCCEEDED` (exit code 0), `FAILED`, `TIMED_OUT`, `CANCELLED`. Never started: `SKIPPED` (another execution of the job was under way), `MISSED` (its time passed while nothing could start it).",
  examples: ["SUCCEEDED"],
});

export const ExecutionTriggerSchema = Words(EXECUTION_TRIGGERS, {
  title: "ExecutionTrigger",
  description:
    "What started it. `run`: a one-off command. `request`: a request for a job. `schedule`: the job's schedule. `deploy`: the `postDeployCommand` of a release that went live.",
  examples: ["run"],
});

export const ExecutionSchema = Type.Object(
  {
    id: Id("exec", "The execution."),
    projectId: Id("proj", "The project of the service."),
    environmentId: Id("env", "The environment of the service."),
    serviceId: Id("svc", "The service whose release the command runs in."),
    deploymentId: Nullable(
      Id("depl", "The deployment whose release the command runs in; null until it is chosen."),
    ),
    jobId: Nullable(Text("The job's id in the configuration; null for a one-off run.", null)),
    trigger: ExecutionTriggerSchema,
    scheduledFor: NullableInstant("The minute of the job's schedule; null without one.", null),
    attempt: Count("The attempt, from 1. A job with `retries` has more than one after a failure.", 1),
    command: Text("The command.", "npm run migrate"),
    cpu: Type.Number({ description: "Virtual CPUs.", examples: [0.25] }),
    memoryGb: Type.Number({ description: "Memory, in GiB.", examples: [0.5] }),
    timeLimitSeconds: Count("After this many seconds, the command is stopped.", 3_600),
    startedBy: Nullable(
      Text("The user who asked for it; null for a schedule and a deployment.", EXAMPLE_IDS.user),
    ),
    status: ExecutionStatusSchema,
    exitCode: Nullable(Count("The command's exit code; null while it runs, and if it was stopped.", 0)),
    error: Nullable(
      Type.Object(
        {
          code: Text("The cause, for programs.", "FAILED"),
          message: Text(
            "The cause, and what to do.",
            "The command ended with exit code 1. Its log says why.",
          ),
        },
        { title: "ExecutionError", description: "Why it did not succeed; null otherwise." },
      ),
    ),
    isCancelRequested: Type.Boolean({ description: "Whether it is being cancelled.", examples: [false] }),
    createdAt: CreatedAt("2026-11-20T10:12:05.000Z"),
    startedAt: NullableInstant("When the command started; null before.", "2026-11-20T10:12:06.000Z"),
    endedAt: NullableInstant("When it ended; null before.", "2026-11-20T10:12:19.000Z"),
  },
  {
    title: "Execution",
    description: "One start of a command in the live release of a service. Slipway keeps it for 30 days.",
  },
);

export function viewExecution({ cancelRequestedAt, endedAt, ...execution }: Execution) {
  const isCancelRequested = cancelRequestedAt !== null && endedAt === null;
  return viewAs(ExecutionSchema, { ...execution, endedAt, isCancelRequested });
}

/** Of an execution that was just created. */
export const NEW_EXECUTION_EXAMPLE = {
  status: "QUEUED",
  deploymentId: null,
  exitCode: null,
  error: null,
  startedAt: null,
  endedAt: null,
} as const;
export const SUCCEEDED_EXAMPLE = { error: null } as const;

export const ExecutionLogsSchema = Type.Object(
  {
    lines: Type.Array(PrintedLineSchema, {
      description: "The lines, in the order in which they were printed.",
    }),
    nextCursor: NextCursor,
  },
  { title: "ExecutionLogs", description: "Lines of an execution's log, and the cursor to continue from." },
);

export function viewExecutionLogs({ lines, next }: ExecutionLog) {
  return { lines: lines.map((line) => viewAs(PrintedLineSchema, line)), nextCursor: next };
}

const ProgressSchema = Type.Object(
  { status: ExecutionStatusSchema },
  { title: "ExecutionProgress", description: "The progress of the execution." },
);

export const ExecutionLogEventSchema = EventSchema(
  "ExecutionLogEvent",
  "A server-sent event of the log of an execution.",
  [
    LineEvent("ExecutionLogLineEvent", PrintedLineSchema),
    Type.Object(
      {
        event: Type.Literal("status", { description: "The execution's status." }),
        data: ProgressSchema,
      },
      {
        title: "ExecutionLogStatusEvent",
        description: "The execution's status: sent first, and whenever it changes.",
      },
    ),
    Type.Object(
      { event: Type.Literal("end", { description: "The last event." }), data: ProgressSchema },
      { title: "ExecutionLogEndEvent", description: "It has ended, and its whole log was sent." },
    ),
  ],
);
