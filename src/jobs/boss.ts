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

/** The only queue. One is enough: slow work is limited by its account's share of the workers (`shares.ts`). */
export const RECONCILE_QUEUE = "reconcile";

/** pg-boss's minimum. A worker without a heartbeat for this long counts as dead. */
const HEARTBEAT_SECONDS = 10;
/** As for our own transactions (`postgres.ts`): a frozen worker's locks are released before its jobs are reassigned. */
const IDLE_TRANSACTION_SECONDS = HEARTBEAT_SECONDS - 2;
/** Short, so that, including a worker's pause between two fetches, a dead worker's jobs are taken over within 15 s. */
const SUPERVISE_SECONDS = 1;
/** No step takes this long: every outside call has its own, shorter limit. */
const EXPIRE_SECONDS = 300;

export type ReconcileJob = EntityRef & {
  readonly kind: ReconciledKind;
  /** The account whose share of the workers it uses; null if it uses no cloud account. */
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
          // An option of `pg`, to which pg-boss passes all of this.
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

/** Creates the queue if it is missing. Call it after `boss.start()`. */
export async function ensureQueue(boss: PgBoss): Promise<void> {
  const settings = {
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: EXPIRE_SECONDS,
    // A job is only lost with its worker; a failing step never fails its job (`worker.ts`).
    retryLimit: 1_000_000,
    deleteAfterSeconds: 60,
    notify: true,
  };
  // Jobs of one key run one at a time and never delay another key's. `stately` would delay them: its fetch
  // finds the second job of a busy key first, fails on the unique index, and sees nothing behind it.
  await boss.createQueue(RECONCILE_QUEUE, { policy: "key_strict_fifo", ...settings });
  await boss.updateQueue(RECONCILE_QUEUE, settings);
  // pg-boss reads a queue's settings when it first needs them. Inside a transaction of the embedded
  // database, which has one connection, that read would wait forever for the transaction to end.
  await boss.findJobs(RECONCILE_QUEUE, { id: NIL_UUID });
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the jobs of a dead process to the queue, without waiting for a missed heartbeat.
 * Only for a worker that is the only one: otherwise, another worker's jobs would run twice at the same time.
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
 * Puts a job into the queue in the caller's transaction, or moves a waiting one forward. Jobs that somebody
 * waits for have a higher priority than routine checks, of which thousands may be due at the same time.
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
    // Without a priority, a waiting job keeps its place.
    ...(isAwaited ? { priority: 1 } : {}),
    db,
  });
}

/** How a job is counted (`shares.ts`): by its account as pg-boss's group, and by its organization as the tier. */
function groupOf({ organizationId, accountId }: ReconcileJob): { id: string; tier: string } {
  return { id: accountId ?? organizationId, tier: organizationId };
}
