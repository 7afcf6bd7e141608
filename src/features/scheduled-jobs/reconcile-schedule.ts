/** Starts the jobs of a service when their schedules say, and records what was missed. */
import type { Sql, Transaction } from "../../db/database.ts";
import { type Jobs, RANK, type Reconcile, type ReconcileResult, type WorkDeps } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { findLiveRelease } from "../deployments/queries.ts";
import { emit } from "../events/emit.ts";
import { createExecutionOfTick, endRepeats, recordUnstarted, requestCancel } from "../executions/commands.ts";
import { type Execution, hasFailed } from "../executions/execution.ts";
import { listLatestAttempts, listUnderWay } from "../executions/queries.ts";
import type { Service } from "../projects/project.ts";
import { findService, getEnvironment, getProject } from "../projects/queries.ts";
import { decideTicks, type JobState, type Ticks } from "./decide-ticks.ts";
import { UNSTARTED } from "./errors.ts";
import { SCHEDULED_JOB_EVENTS } from "./events.ts";
import { type Job, jobsOf, scheduleOf } from "./job.ts";
import { newExecutionOf } from "./new-execution.ts";
import { scheduledJobs } from "./store.ts";

/** A clock may be set meanwhile. */
const AGAIN_MAX_MS = 24 * 3_600_000;

/** @returns a reconciler of services, by their ids */
export function reconcileSchedule({ db, jobs, clock }: WorkDeps): Reconcile {
  return async ({ organizationId, id }) =>
    await db.transaction(async (tx): Promise<ReconcileResult> => {
      const rows = await scheduledJobs.lock(tx, organizationId, id);
      const service = await findService(tx, organizationId, id);
      const written = service === null ? [] : jobsOf(service);
      const all = service !== null && (await isScheduled(tx, service)) ? written : [];
      const ids = all.map((job) => job.id);
      const removed = rows.map(({ jobId }) => jobId).filter((jobId) => !ids.includes(jobId));
      if (removed.length > 0) {
        scheduledJobs.deleteOthers(tx, organizationId, id, ids);
        for (const latest of await listLatestAttempts(tx, organizationId, id, removed))
          if (latest.isRepeated === true) await endRepeats(tx, latest);
      }
      if (service === null || all.length === 0) return "done";
      const [{ awsAccountId }, underWay, attempts] = await Promise.all([
        getProject(tx, organizationId, service.projectId),
        listUnderWay(tx, organizationId, id),
        listLatestAttempts(tx, organizationId, id, ids),
      ]);
      const now = clock.now();
      const decided = all.map((job) => {
        const schedule = `${job.schedule} ${job.timezone}`;
        const found = rows.find(({ jobId }) => jobId === job.id);
        const row = found?.schedule === schedule ? found : null;
        const ofJob = underWay.filter(({ jobId }) => jobId === job.id);
        const ticks = decideTicks(
          job,
          scheduleOf(job),
          row ?? { handledUntil: now, waitingFor: null },
          { isUnderWay: ofJob.length > 0, latest: latestOf(attempts.find(({ jobId }) => jobId === job.id)) },
          now,
        );
        if (row === null || !isSame(row, ticks.state))
          scheduledJobs.put(tx, organizationId, id, { jobId: job.id, schedule, ...ticks.state });
        const failed = ticks.endsRetries ? attempts.find(({ jobId }) => jobId === job.id) : undefined;
        return { job, ticks, ofJob, failed };
      });
      for (const { failed } of decided) if (failed !== undefined) await endRepeats(tx, failed);
      // Side by side: many jobs of a service are due in the same minute.
      await Promise.all(
        decided.map(({ job, ticks, ofJob }) => record(tx, jobs, service, awsAccountId, job, ticks, ofJob)),
      );
      const nextMs = Math.min(...decided.map(({ ticks: { nextAt } }) => nextAt?.getTime() ?? Infinity));
      if (nextMs === Infinity) return "done";
      const runAfterMs = Math.min(Math.max(0, nextMs - now.getTime()), AGAIN_MAX_MS);
      // Its minute does not wait for other new work.
      return { runAfterMs, rank: RANK.underWay };
    });
}

/** Jobs of previews, and of services that were never released, start on request only. */
export async function isScheduled(sql: Sql, service: Service): Promise<boolean> {
  const { organizationId, id, environmentId } = service;
  const { templateId } = await getEnvironment(sql, organizationId, environmentId);
  return templateId === null && (await findLiveRelease(sql, organizationId, id)) !== null;
}

function isSame(one: JobState, other: JobState): boolean {
  return (
    +one.handledUntil === +other.handledUntil && one.waitingFor?.getTime() === other.waitingFor?.getTime()
  );
}

function latestOf(execution: Execution | undefined) {
  if (execution === undefined || execution.scheduledFor === null) return null;
  const { scheduledFor, attempt, endedAt, isRepeated, status } = execution;
  return { scheduledFor, attempt, endedAt, isRepeated, hasFailed: hasFailed(status) };
}

async function record(
  tx: Transaction,
  jobs: Jobs,
  service: Service,
  awsAccountId: string,
  job: Job,
  { start, skipped, missed, missedCount, cancels }: Ticks,
  underWay: readonly Execution[],
): Promise<void> {
  const actor = slipwayOf(service.organizationId);
  for (const [index, scheduledFor] of missed.entries()) {
    const others = index === missed.length - 1 ? (missedCount ?? Infinity) - missed.length : 0;
    const error = UNSTARTED.missed(others);
    await recordUnstarted(tx, newExecutionOf(service, job, { scheduledFor, attempt: 1 }), "MISSED", error);
  }
  for (const scheduledFor of skipped)
    await recordUnstarted(
      tx,
      newExecutionOf(service, job, { scheduledFor, attempt: 1 }),
      "SKIPPED",
      UNSTARTED.overlap,
    );
  const last = missed.at(-1);
  if (last !== undefined) {
    const { id: subjectId, projectId, environmentId, configId } = service;
    const place = { subjectId, projectId, environmentId, serviceId: subjectId };
    const data = { service: configId, jobId: job.id, scheduledFor: last.toISOString(), missed: missedCount };
    emit(tx, actor, { type: SCHEDULED_JOB_EVENTS["job.missed"], ...place, data });
  }
  if (cancels)
    for (const execution of underWay)
      if (execution.cancelRequestedAt === null) await requestCancel(tx, jobs, actor, execution);
  if (start !== null)
    await createExecutionOfTick(tx, jobs, actor, awsAccountId, newExecutionOf(service, job, start));
}
