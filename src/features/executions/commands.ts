import type { Command, WorkloadSize } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import { type Jobs, RANK } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, orNotFound } from "../../lib/errors.ts";
import { joinShellWords } from "../../lib/shell-words.ts";
import { recordAudit, slipwayOf } from "../audit/record-audit.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { recordPostDeployEnd } from "../deployments/commands.ts";
import type { DeployedService } from "../deployments/deployment.ts";
import { findLiveRelease } from "../deployments/queries.ts";
import { codedErrorOf } from "../events/error-views.ts";
import { emit } from "../events/emit.ts";
import { lockActiveProject } from "../projects/commands.ts";
import { hasProcess, type Service } from "../projects/project.ts";
import { findService, getEnvironment, getProject, getService } from "../projects/queries.ts";
import { JOB_DEFAULTS } from "../projects/service-settings.ts";
import { ENDINGS } from "./endings.ts";
import { EXECUTION_ERRORS } from "./errors.ts";
import { EXECUTION_EVENTS } from "./events.ts";
import {
  type Execution,
  hasFailed,
  type Outcome,
  TIME_LIMIT_DEFAULT_MINUTES,
  UNDER_WAY_MAX,
} from "./execution.ts";
import { executions, type NewExecution } from "./store.ts";

export type { NewExecution } from "./store.ts";

const KEPT_DAYS = 30;

/** What a user asks for; the rest is as the live release has it. */
export type RunRequest = {
  readonly command: string;
  readonly timeoutMinutes?: number;
  readonly cpu?: number;
  readonly memoryGb?: number;
};

/**
 * Runs a command once in the live release of a service.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `APPROVAL_REQUIRED`, `COMMAND_NOT_RUNNABLE`, `TOO_MANY_EXECUTIONS`,
 * `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function runCommand(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  serviceId: string,
  { command, timeoutMinutes = TIME_LIMIT_DEFAULT_MINUTES, ...wanted }: RunRequest,
): Promise<Execution> {
  const { service, size, awsAccountId } = await requireRunnable(tx, actor.organizationId, serviceId);
  await requireApproved(tx, service);
  const { organizationId, projectId, environmentId } = service;
  const execution = await createExecution(tx, jobs, actor, awsAccountId, {
    organizationId,
    projectId,
    environmentId,
    serviceId,
    jobId: null,
    trigger: "run",
    scheduledFor: null,
    attempt: 1,
    command,
    cpu: wanted.cpu ?? size.cpu,
    memoryGb: wanted.memoryGb ?? size.memoryGb,
    timeLimitSeconds: timeoutMinutes * 60,
    startedBy: actor.userId,
  });
  // A command may hold what should not be in an audit entry.
  recordAudit(tx, actor, "service.command-run", serviceId, { after: { executionId: execution.id } });
  return execution;
}

/** Has `postDeployCommand` run in a release that has just gone live. @returns the execution's id */
export async function startPostDeploy(
  tx: Transaction,
  jobs: Jobs,
  service: DeployedService & { readonly projectId: string },
  command: Command,
  { cpu, memoryGb }: WorkloadSize,
): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId, deploymentId } = service;
  const { awsAccountId } = await getProject(tx, organizationId, projectId);
  const execution = await createExecution(tx, jobs, slipwayOf(organizationId), awsAccountId, {
    organizationId,
    projectId,
    environmentId,
    serviceId,
    deploymentId,
    jobId: null,
    trigger: "deploy",
    scheduledFor: null,
    attempt: 1,
    command: typeof command === "string" ? command : joinShellWords(command),
    cpu,
    memoryGb,
    timeLimitSeconds: TIME_LIMIT_DEFAULT_MINUTES * 60,
    startedBy: null,
  });
  return execution.id;
}

/** Refuses a command without an approval, where approvals are required. @throws AppError `APPROVAL_REQUIRED` */
export async function requireApproved(tx: Transaction, service: Service): Promise<void> {
  const { approvers, configId } = await getEnvironment(tx, service.organizationId, service.environmentId);
  if (approvers !== null)
    throw new AppError(
      EXECUTION_ERRORS.APPROVAL_REQUIRED,
      `The environment ${configId} requires that a second person approves what runs there. A command that is typed by hand has no approval. Put the command into slipway.json as preDeployCommand or as a job, and deploy it.`,
    );
}

/**
 * Locks the project of a service that a user wants to run a command in.
 * @returns the service, the size of its live release, and its connection
 * @throws AppError as `runCommand`, except for the approval
 */
export async function requireRunnable(
  tx: Transaction,
  organizationId: string,
  serviceId: string,
): Promise<{
  readonly service: Service;
  readonly size: { readonly cpu: number; readonly memoryGb: number };
  readonly awsAccountId: string;
}> {
  const { projectId } = await getService(tx, organizationId, serviceId);
  const { awsAccountId } = await lockActiveProject(tx, organizationId, projectId);
  const service = await getService(tx, organizationId, serviceId);
  const notRunnable = (detail: string) => new AppError(EXECUTION_ERRORS.COMMAND_NOT_RUNNABLE, detail);
  const live = await findLiveRelease(tx, organizationId, serviceId);
  const isRunnable = hasProcess(service.type) || service.type === "scheduler";
  if (live === null || live.workload === null || !("size" in live.workload))
    throw notRunnable(
      live === null && isRunnable
        ? "The service has no live release. Deploy it first."
        : `A service of the type ${service.type} has no files that a command could run in. Name a web service, a worker or a scheduler.`,
    );
  requireConnected(await getAwsAccount(tx, organizationId, awsAccountId));
  const underWay = await executions.listUnderWay(tx, organizationId, serviceId);
  if (underWay.length >= UNDER_WAY_MAX)
    throw new AppError(
      EXECUTION_ERRORS.TOO_MANY_EXECUTIONS,
      `The service has ${underWay.length} executions that have not ended. Wait until some have ended, or cancel them.`,
    );
  return { service, size: live.workload.size, awsAccountId };
}

/** Records an execution of no tick, that is to start now. */
export async function createExecution(...of: Parameters<typeof createExecutionOfTick>): Promise<Execution> {
  const execution = await createExecutionOfTick(...of);
  if (execution === null) throw new Error("Only a tick can have its execution already.");
  return execution;
}

/** Records an execution that is to start now. @returns null if its tick has one already */
export async function createExecutionOfTick(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  awsAccountId: string,
  wanted: NewExecution,
): Promise<Execution | null> {
  const execution = await executions.insert(tx, wanted, "QUEUED", null);
  if (execution === null) return null;
  const { organizationId, id, serviceId } = execution;
  announceChange(tx, serviceId);
  emitOf(tx, actor, "execution.created", await findService(tx, organizationId, serviceId), execution);
  await jobs.enqueue(tx, "execution", { organizationId, id, awsAccountId }, RANK.underWay);
  return execution;
}

/** Records a tick that starts nothing, and why. It emits nothing. @returns null if the tick has an execution already */
export async function recordUnstarted(
  tx: Transaction,
  wanted: NewExecution,
  status: "SKIPPED" | "MISSED",
  error: NonNullable<Execution["error"]>,
): Promise<Execution | null> {
  return await executions.insert(tx, wanted, status, error);
}

/** @throws AppError `NOT_FOUND`, `EXECUTION_ENDED` */
export async function cancelExecution(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  id: string,
): Promise<Execution> {
  const found = orNotFound(await executions.lock(tx, actor.organizationId, id));
  await getService(tx, actor.organizationId, found.serviceId);
  if (found.endedAt !== null)
    throw new AppError(
      EXECUTION_ERRORS.EXECUTION_ENDED,
      `The execution has ended with ${found.status}, so there is nothing to cancel.`,
    );
  if (found.cancelRequestedAt !== null) return found;
  recordAudit(tx, actor, "execution.cancelled", id);
  return await requestCancel(tx, jobs, actor, found);
}

/**
 * Ends an execution that has not started; the platform is asked to stop any other. It locks the execution: another
 * worker may start it meanwhile.
 */
export async function requestCancel(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { organizationId, id }: Pick<Execution, "organizationId" | "id">,
): Promise<Execution> {
  const execution = orNotFound(await executions.lock(tx, organizationId, id));
  if (execution.status === "QUEUED") {
    const outcome: Outcome = { status: "CANCELLED", error: ENDINGS.cancelled };
    return (await endExecution(tx, execution, outcome, actor, true)) ?? execution;
  }
  const cancelled = await executions.requestCancel(tx, execution);
  announceChange(tx, id);
  await jobs.enqueue(tx, "execution", { organizationId, id }, RANK.underWay);
  return cancelled ?? execution;
}

/**
 * @param mayResume whether the schedule of its job may have something to do after it
 * @returns null if it had ended before
 */
export async function endExecution(
  tx: Transaction,
  execution: Execution,
  outcome: Outcome,
  actor: Actor,
  mayResume: boolean,
): Promise<Execution | null> {
  const service = await findService(tx, execution.organizationId, execution.serviceId);
  const ended = await executions.end(tx, execution, outcome, isToRepeat(service, execution, outcome));
  if (ended === null) return null;
  const { id, serviceId, status } = ended;
  announceChange(tx, id);
  announceChange(tx, serviceId);
  if (status === "SUCCEEDED") emitOf(tx, actor, "execution.succeeded", service, ended);
  else if (status === "CANCELLED") emitOf(tx, actor, "execution.cancelled", service, ended);
  else emitOf(tx, actor, "execution.failed", service, ended);
  if (ended.trigger === "deploy") await recordPostDeployEnd(tx, ended);
  if (ended.jobId !== null && mayResume)
    enqueueWithoutAccount(tx, "job-schedule", { organizationId: ended.organizationId, id: serviceId });
  return ended;
}

/** Nothing is emitted for a service that was deleted. */
function emitOf(
  tx: Transaction,
  actor: Actor,
  type: keyof typeof EXECUTION_EVENTS,
  service: Service | null,
  execution: Execution,
): void {
  const { id: executionId, jobId, trigger, scheduledFor, attempt, exitCode, error } = execution;
  if (service === null) return;
  const { id: serviceId, projectId, environmentId, configId } = service;
  const place = { subjectId: serviceId, projectId, environmentId, serviceId };
  const minute = scheduledFor?.toISOString() ?? null;
  const data = { service: configId, executionId, jobId, trigger, scheduledFor: minute, attempt };
  if (type !== "execution.failed" && type !== "job.failed")
    return emit(tx, actor, { type: EXECUTION_EVENTS[type], ...place, data });
  const why = codedErrorOf(error ?? { code: "FAILED", message: "The command failed." });
  const failure = { ...place, data: { ...data, exitCode, error: why } };
  emit(tx, actor, { type: EXECUTION_EVENTS[type], ...failure });
  if (type === "execution.failed" && jobId !== null && execution.isRepeated !== true)
    emit(tx, actor, { type: EXECUTION_EVENTS["job.failed"], ...failure });
}

/** Makes a failed attempt the last one, and reports the failure, unless it was the last one already. */
export async function endRepeats(tx: Transaction, execution: Execution): Promise<void> {
  const ended = await executions.endRepeats(tx, execution);
  if (ended === null) return;
  const { organizationId, serviceId } = ended;
  const service = await findService(tx, organizationId, serviceId);
  emitOf(tx, slipwayOf(organizationId), "job.failed", service, ended);
}

/**
 * Whether the schedule of its job starts another attempt after a failure, unless its next start comes before, or the
 * job is changed. Null if it does not fail.
 */
function isToRepeat(
  service: Service | null,
  { jobId, scheduledFor, attempt }: Execution,
  { status }: Outcome,
): boolean | null {
  if (!hasFailed(status)) return null;
  if (jobId === null || scheduledFor === null || service?.type !== "scheduler") return false;
  return attempt <= (service.settings.jobs[jobId]?.retries ?? JOB_DEFAULTS.retries);
}

/** Removes old ones. @returns whether there may be more */
export async function pruneExecutions(db: Database): Promise<boolean> {
  return await executions.prune(db, KEPT_DAYS);
}
