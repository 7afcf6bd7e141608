import { type Transaction, writeStatement } from "../../db/database.ts";

/** How far a schedule has been handled. */
export type ScheduledJob = {
  readonly jobId: string;
  readonly schedule: string;
  readonly handledUntil: Date;
  readonly waitingFor: Date | null;
};

const LOCK = writeStatement<ScheduledJob>(
  "scheduled_jobs_lock",
  `SELECT job_id AS "jobId", schedule, handled_until AS "handledUntil", waiting_for AS "waitingFor"
     FROM scheduled_jobs WHERE organization_id = $1 AND service_id = $2 ORDER BY job_id FOR UPDATE`,
);

const LOCK_WAITING = writeStatement<{ isWaiting: boolean }>(
  "scheduled_jobs_lock_waiting",
  `SELECT waiting_for IS NOT NULL AS "isWaiting" FROM scheduled_jobs
    WHERE organization_id = $1 AND service_id = $2 AND job_id = $3 FOR SHARE`,
);

const PUT = writeStatement(
  "scheduled_jobs_put",
  `INSERT INTO scheduled_jobs (organization_id, service_id, job_id, schedule, handled_until, waiting_for)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (organization_id, service_id, job_id)
   DO UPDATE SET schedule = excluded.schedule, handled_until = excluded.handled_until, waiting_for = excluded.waiting_for`,
);

const DELETE_OTHERS = writeStatement(
  "scheduled_jobs_delete_others",
  `DELETE FROM scheduled_jobs WHERE organization_id = $1 AND service_id = $2 AND job_id <> ALL ($3::text[])`,
);

export const scheduledJobs = {
  lock: async (tx: Transaction, organizationId: string, serviceId: string) =>
    await tx.query(LOCK, [organizationId, serviceId]),
  /** Whether a start waits for the end of another; until the commit, none begins to wait. */
  lockWaiting: async (tx: Transaction, organizationId: string, serviceId: string, jobId: string) =>
    (await tx.query(LOCK_WAITING, [organizationId, serviceId, jobId]))[0]?.isWaiting ?? false,
  put: (
    tx: Transaction,
    organizationId: string,
    serviceId: string,
    { jobId, schedule, handledUntil, waitingFor }: ScheduledJob,
  ) => tx.send(PUT, [organizationId, serviceId, jobId, schedule, handledUntil, waitingFor]),
  deleteOthers: (tx: Transaction, organizationId: string, serviceId: string, kept: readonly string[]) =>
    tx.send(DELETE_OTHERS, [organizationId, serviceId, kept]),
};
