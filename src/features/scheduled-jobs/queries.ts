import type { Sql } from "../../db/database.ts";
import { nextRuns, writeLocal } from "../../lib/cron/run-times.ts";
import { listLatestOfJobs } from "../executions/queries.ts";
import { getService } from "../projects/queries.ts";
import { type JobDetails, jobsOf, scheduleOf } from "./job.ts";
import { isScheduled } from "./reconcile-schedule.ts";

const NEXT_RUNS = 5;

/** @throws AppError `NOT_FOUND` */
export async function listJobs(
  sql: Sql,
  organizationId: string,
  serviceId: string,
  now: Date,
): Promise<readonly JobDetails[]> {
  const service = await getService(sql, organizationId, serviceId);
  const all = jobsOf(service).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const isActive = all.length > 0 && (await isScheduled(sql, service));
  const latest = await listLatestOfJobs(
    sql,
    organizationId,
    serviceId,
    all.map(({ id }) => id),
  );
  return all.map((job) => {
    const { cron, zone } = scheduleOf(job);
    const runs = isActive ? nextRuns(cron, zone, now, NEXT_RUNS) : [];
    return {
      ...job,
      nextRuns: runs.map((at) => ({ at, local: writeLocal(at, zone) })),
      lastExecution: latest.find(({ jobId }) => jobId === job.id) ?? null,
    };
  });
}
