/**
 * One start of a command in the live release of a service.
 *
 *   QUEUED     it waits for a worker, or for its account
 *   STARTING   the platform has it, or is about to get it
 *   RUNNING    the command runs
 *   SUCCEEDED  the command ended with exit code 0
 *   FAILED     it ended otherwise, or could not start; `error` says why
 *   TIMED_OUT  it was stopped at its time limit
 *   CANCELLED  it was stopped, or never started, because a user asked for it or its service was deleted
 *   SKIPPED    never started: another execution of its job was under way
 *   MISSED     never started: its time passed while nothing could start it
 */
export const EXECUTION_STATES = [
  "QUEUED",
  "STARTING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
  "SKIPPED",
  "MISSED",
] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/**
 * `run`: a one-off command; `request`: a user started a job; `schedule`: the job's schedule did; `deploy`: the
 * `postDeployCommand` of a release that went live.
 */
export const EXECUTION_TRIGGERS = ["run", "request", "schedule", "deploy"] as const;
export type ExecutionTrigger = (typeof EXECUTION_TRIGGERS)[number];

/** Pure. */
export function hasFailed(status: ExecutionState): boolean {
  return status === "FAILED" || status === "TIMED_OUT";
}

export type ExecutionError = { readonly code: string; readonly message: string };

export type Execution = {
  readonly organizationId: string;
  /** Also the platform's token. */
  readonly id: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly serviceId: string;
  /** The job's id in the configuration; null for a one-off run. */
  readonly jobId: string | null;
  readonly trigger: ExecutionTrigger;
  /** The minute of the schedule; null without one. */
  readonly scheduledFor: Date | null;
  /** Counts from 1. */
  readonly attempt: number;
  readonly command: string;
  readonly cpu: number;
  readonly memoryGb: number;
  readonly timeLimitSeconds: number;
  /** The user who asked for it; null for a schedule and a deployment. */
  readonly startedBy: string | null;
  /** Whose release it runs in; null while it is `QUEUED`, and if it never started. */
  readonly deploymentId: string | null;
  readonly status: ExecutionState;
  /** Null while it runs, and if it was stopped. */
  readonly exitCode: number | null;
  readonly error: ExecutionError | null;
  /** Whether its schedule was to repeat it when it failed; null if it did not fail, or under an earlier release. */
  readonly isRepeated: boolean | null;
  readonly cancelRequestedAt: Date | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly createdAt: Date;
};

/** How an execution ended. */
export type Outcome = {
  readonly status: ExecutionState;
  readonly exitCode?: number | null;
  readonly error: ExecutionError | null;
  /** As the platform reports them; by default the time of the record. */
  readonly startedAt?: Date | null;
  readonly endedAt?: Date | null;
};

export const TIME_LIMIT_DEFAULT_MINUTES = 60;
export const TIME_LIMIT_MAX_MINUTES = 1_440;
export const COMMAND_CHARACTERS_MAX = 4_096;
/** Of a service; more are refused until some have ended. */
export const UNDER_WAY_MAX = 50;
