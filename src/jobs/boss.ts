import { type Db, fromPglite, PgBoss } from "pg-boss";
import type { Database, Transaction } from "../db/database.ts";
import type { PgliteDatabase } from "../db/drivers/pglite.ts";
import {
  type AccountOfWork,
  type EntityRef,
  type Jobs,
  MARK_QUEUED,
  QUEUED_GRACE_SECONDS,
  type ReconciledKind,
  SET_ACCOUNT,
} from "./jobs.ts";

/** The one queue. One is enough: what is slow takes its account's share of the workers (`shares.ts`), not a queue. */
export const RECONCILE_QUEUE = "reconcile";

/** pg-boss's smallest. A worker that has not been heard of for so long is dead. */
const HEARTBEAT_SECONDS = 10;
/** As for our own transactions (`postgres.ts`): what a frozen worker holds is free before its jobs are given away. */
const IDLE_TRANSACTION_SECONDS = HEARTBEAT_SECONDS - 2;
/** So that with it, and with what a worker rests between two fetches, the dead's jobs are taken on within 15 s. */
const SUPERVISE_SECONDS = 1;
/** No step takes this long: every outside call has its own, shorter limit. */
const EXPIRE_SECONDS = 300;

export type ReconcileJob = EntityRef & {
  readonly kind: ReconciledKind;
  /** Whose share of the workers it takes; null where no cloud account is used. */
  readonly accountId: string | null;
};

/** pg-boss over our database, with its own schema beside ours. `supervise`: only where a worker runs. */
export function createBoss(options: {
  db: Database | PgliteDatabase;
  connectionString: string | null;
  supervise: boolean;
  onError: (error: unknown) => void;
}): PgBoss {
  const boss = new PgBoss({
    ...("pglite" in options.db
      ? { db: fromPglite(options.db.pglite), backend: "pglite" as const }
      : {
          connectionString: options.connectionString ?? "",
          max: options.supervise ? 8 : 2,
          // Of `pg`, to which pg-boss hands all of this.
          idle_in_transaction_session_timeout: IDLE_TRANSACTION_SECONDS * 1_000,
        }),
    useListenNotify: options.supervise,
    supervise: options.supervise,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 60,
  });
  boss.on("error", options.onError);
  return boss;
}

/** Creates the queue where it is missing. Call after `boss.start()`. */
export async function ensureQueue(boss: PgBoss): Promise<void> {
  const settings = {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: EXPIRE_SECONDS,
    // A job is lost only with its worker; the step itself never fails a job (`worker.ts`).
    retryLimit: 1_000_000,
    deleteAfterSeconds: 60,
    notify: true,
  };
  // Jobs of one key run one at a time and never hold up another key's; `stately` would: its fetch
  // finds the second job of a busy key first, fails on the unique index, and sees nothing behind it.
  await boss.createQueue(RECONCILE_QUEUE, { policy: "key_strict_fifo", ...settings });
  await boss.updateQueue(RECONCILE_QUEUE, settings);
  // pg-boss reads a queue's settings when it first needs them. Inside a transaction of the embedded
  // database, which has one connection, that read would wait for the transaction's own end, for ever.
  await boss.findJobs(RECONCILE_QUEUE, { id: NIL_UUID });
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * Gives back the jobs that a process which died was doing, without waiting for its heartbeat to be missed.
 * Only for a worker that is the only one there can be: another's jobs would be done twice at once.
 */
export async function takeOverJobs(boss: PgBoss): Promise<void> {
  const jobs = await boss.findJobs(RECONCILE_QUEUE);
  const ids = jobs.filter(({ state }) => state === "active").map(({ id }) => id);
  if (ids.length > 0) await boss.fail(RECONCILE_QUEUE, ids);
}

export function createJobs(boss: PgBoss, accountOfWork: AccountOfWork): Jobs {
  return {
    async poke(tx, kind, { organizationId, id }) {
      const [row] = await tx.query(MARK_QUEUED, [organizationId, kind, id, QUEUED_GRACE_SECONDS]);
      let accountId = row?.accountId ?? null;
      if (accountId === null) {
        accountId = (await accountOfWork[kind]?.(tx, { organizationId, id })) ?? null;
        if (accountId !== null) await tx.query(SET_ACCOUNT, [organizationId, kind, id, accountId]);
      }
      await enqueue(boss, tx, { kind, organizationId, id, accountId }, true);
    },
  };
}

/**
 * Puts a job into the queue inside the caller's transaction, or hastens the one that waits there. What somebody
 * waits for goes before what is only looked at again, of which thousands may be due at once.
 */
export async function enqueue(
  boss: PgBoss,
  tx: Transaction,
  job: ReconcileJob,
  isAwaited: boolean,
): Promise<void> {
  const db: Db = { executeSql: async (text, values) => await tx.executeSql(text, values) };
  await boss.upsert(RECONCILE_QUEUE, job, {
    singletonKey: `${job.kind}:${job.id}`,
    startAfter: 0,
    group: groupOf(job),
    // A job that waits already keeps its place when none is given.
    ...(isAwaited ? { priority: 1 } : {}),
    db,
  });
}

/** What a job is counted by (`shares.ts`): its account, and as pg-boss's tier its organization. */
function groupOf({ organizationId, accountId }: ReconcileJob): { id: string; tier: string } {
  return { id: accountId ?? organizationId, tier: organizationId };
}
