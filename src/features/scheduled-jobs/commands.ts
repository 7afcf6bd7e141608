import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { createExecution, requireApproved, requireRunnable } from "../executions/commands.ts";
import { type Execution, type ExecutionState, hasFailed } from "../executions/execution.ts";
import { SCHEDULED_JOB_ERRORS } from "./errors.ts";
import { jobsOf } from "./job.ts";
import { newExecutionOf } from "./new-execution.ts";
import { scheduledJobs } from "./store.ts";

/** After the end of an execution, a start that waits for it may begin, and a failed attempt may be repeated. */
export async function mayResume(
  tx: Transaction,
  { organizationId, serviceId, jobId }: Execution,
  status: ExecutionState,
): Promise<boolean> {
  if (jobId === null) return false;
  // Before the execution is changed, as the schedule does it: otherwise each could wait for the other.
  const isWaiting = await scheduledJobs.lockWaiting(tx, organizationId, serviceId, jobId);
  return isWaiting || hasFailed(status);
}

/**
 * Starts a job now, whatever else of it runs.
 * @param startCommand instead of the job's own
 * @throws AppError `JOB_NOT_FOUND`, and those of `runCommand`
 */
export async function runJob(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  serviceId: string,
  jobId: string,
  startCommand: string | undefined,
): Promise<Execution> {
  const { service, awsAccountId } = await requireRunnable(tx, actor.organizationId, serviceId);
  const all = jobsOf(service);
  const job = all.find(({ id }) => id === jobId);
  if (job === undefined)
    throw new AppError(
      SCHEDULED_JOB_ERRORS.JOB_NOT_FOUND,
      service.type === "scheduler"
        ? `${service.name} has no job ${JSON.stringify(jobId)}. It has ${all.map(({ id }) => id).join(", ")}.`
        : `${service.name} is of the type ${service.type}; only a scheduler has jobs.`,
    );
  // The job's own command is in the configuration, which was approved.
  if (startCommand !== undefined) await requireApproved(tx, service);
  const execution = await createExecution(tx, jobs, actor, awsAccountId, {
    ...newExecutionOf(
      service,
      { ...job, command: startCommand ?? job.command },
      { scheduledFor: null, attempt: 1 },
    ),
    startedBy: actor.userId,
  });
  recordAudit(tx, actor, "service.job-run", serviceId, { after: { jobId, executionId: execution.id } });
  return execution;
}
