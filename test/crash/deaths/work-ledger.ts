/**
 * How long the work of the dead waits. The queue's rows, as they pass on the way to each process, say which
 * jobs it was given; those that it had not finished when it died have to be given to another in time.
 */
import { Client } from "pg";

/** A job that a process had when it died or stood still. */
export type Wait = {
  readonly process: string;
  readonly jobId: string;
  readonly sinceMs: number;
  /** Until another process was given the job, in ms; null as long as none was. */
  afterMs: number | null;
  /** How many workers got it in the meantime, and died before they noticed. */
  unheard: number;
};

export type WorkLedger = {
  readonly waits: readonly Wait[];
  /** @param attempt how often it was given out before, as the queue counts */
  readonly noteJob: (process: string, jobId: string, attempt: number) => void;
  /**
   * This process no longer does anything.
   * @param databaseUrl of the queue, past the proxies; null where it is the only process, which had every job
   */
  noteDeath(process: string, databaseUrl: string | null): Promise<void>;
  /** How often a process died with a job of one of these: accounts, or whatever the job was for. */
  readonly countStrikes: (ids: readonly string[]) => number;
  /** The queue itself was away: the waits until now say nothing. @returns how many there were */
  readonly forgetOpenWaits: () => number;
};

export function createWorkLedger(): WorkLedger {
  const holders = new Map<string, string>();
  const attempts = new Map<string, number>();
  let waits: Wait[] = [];
  const strikes: { readonly at: readonly string[] | "all" }[] = [];
  return {
    get waits() {
      return waits;
    },
    noteJob(process, jobId, attempt) {
      const unheard = Math.max(0, attempt - (attempts.get(jobId) ?? attempt) - 1);
      attempts.set(jobId, attempt);
      holders.set(jobId, process);
      for (const wait of waits) {
        if (wait.jobId !== jobId || wait.afterMs !== null) continue;
        wait.afterMs = performance.now() - wait.sinceMs;
        wait.unheard = unheard;
      }
    },
    async noteDeath(process, databaseUrl) {
      if (databaseUrl === null) return void strikes.push({ at: "all" });
      const sinceMs = performance.now();
      const held = [...holders].flatMap(([jobId, holder]) => (holder === process ? [jobId] : []));
      for (const jobId of held) holders.delete(jobId);
      const unfinished = await findActive(databaseUrl, held);
      waits.push(
        ...unfinished.map(({ jobId }): Wait => ({ process, jobId, sinceMs, afterMs: null, unheard: 0 })),
      );
      strikes.push({ at: unfinished.flatMap(({ ids }) => ids) });
    },
    countStrikes: (ids) =>
      strikes.filter(({ at }) => at === "all" || ids.some((id) => at.includes(id))).length,
    forgetOpenWaits() {
      const open = waits.filter(({ afterMs }) => afterMs === null).length;
      waits = waits.filter(({ afterMs }) => afterMs !== null);
      return open;
    },
  };
}

/** The queue's content and what is due, a line each, to find the cause of a delay. */
export async function describeQueue(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      `SELECT concat_ws(' ', 'job', id, state, singleton_key, group_id, 'retried', retry_count, 'started', started_on,
                        'heard of', heartbeat_on, 'not before', start_after) AS line
         FROM pgboss.job WHERE name = 'reconcile' AND state < 'completed'
        UNION ALL
       SELECT concat_ws(' ', kind, entity_id, 'due', due_at, 'attempts', attempts, 'pokes', pokes)
         FROM reconciliations WHERE due_at < now() + interval '2 minutes'
        UNION ALL SELECT concat_ws(' ', 'now', now())`,
    );
    return rows.map(({ line }) => line).join("\n");
  } finally {
    await client.end();
  }
}

type ActiveJob = { readonly jobId: string; readonly ids: readonly string[] };

/** Those of some jobs that the queue believes to be under way. */
async function findActive(databaseUrl: string, jobIds: readonly string[]): Promise<ActiveJob[]> {
  if (jobIds.length === 0) return [];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<ActiveJob>(
      `SELECT id AS "jobId", array_remove(ARRAY[data->>'id', data->>'accountId'], NULL) AS ids
         FROM pgboss.job WHERE name = 'reconcile' AND state = 'active' AND id = ANY($1)`,
      [jobIds],
    );
    return rows;
  } finally {
    await client.end();
  }
}
