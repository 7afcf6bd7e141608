/** What `/metrics` and the health checks read from the database, of the whole service, without names and ids. */
import { type Database, DatabaseUnavailableError, readAsOwner } from "../db/database.ts";

export type DatabaseMetrics = {
  readonly due: readonly { readonly kind: string; readonly count: number; readonly lagSeconds: number }[];
  /** Null without certificates. */
  readonly certificateSecondsLeft: number | null;
  readonly eventLagSeconds: number;
  readonly webhooks: readonly {
    readonly status: string;
    readonly endpoints: number;
    readonly backlog: number;
  }[];
  /** Null on the embedded database; the lag also if no standby is visible. */
  readonly replication: { readonly replicas: number; readonly lagSeconds: number | null } | null;
};

/** Null while the database is down: the metrics of the process matter just then. */
export async function readDatabaseMetrics(db: Database): Promise<DatabaseMetrics | null> {
  try {
    const [due, [certificates], [event], webhooks, [replication]] = await Promise.all([
      db.query(COUNT_DUE),
      db.query(NEXT_EXPIRY),
      db.query(OLDEST_UNNUMBERED),
      db.query(COUNT_ENDPOINTS),
      db.kind === "postgres" ? db.query(REPLICATION) : [],
    ]);
    return {
      due,
      certificateSecondsLeft: certificates?.secondsLeft ?? null,
      eventLagSeconds: event?.lagSeconds ?? 0,
      webhooks,
      replication: replication ?? null,
    };
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return null;
    throw error;
  }
}

/** Counts only due work: millions of jobs may be waiting. */
const COUNT_DUE = readAsOwner<DatabaseMetrics["due"][number]>(
  "reconciliations_count_due",
  `SELECT kind, count(organization_id)::int AS count,
          extract(epoch FROM now() - min(due_at))::float8 AS "lagSeconds"
     FROM reconciliations WHERE due_at <= now() GROUP BY kind`,
);

const NEXT_EXPIRY = readAsOwner<{ secondsLeft: number | null }>(
  "certificates_next_expiry",
  `SELECT extract(epoch FROM min(expires_at) - now())::float8 AS "secondsLeft"
     FROM certificates WHERE NOT is_abandoned`,
);

const OLDEST_UNNUMBERED = readAsOwner<{ lagSeconds: number }>(
  "event_outbox_lag",
  `SELECT extract(epoch FROM now() - occurred_at)::float8 AS "lagSeconds"
     FROM event_outbox ORDER BY position LIMIT 1`,
);

const COUNT_ENDPOINTS = readAsOwner<DatabaseMetrics["webhooks"][number]>(
  "webhook_endpoints_backlog",
  `SELECT e.status, count(e.id)::int AS endpoints,
          sum(CASE WHEN h.last > e.cursor THEN h.last - e.cursor ELSE 0 END)::float8 AS backlog
     FROM webhook_endpoints e LEFT JOIN event_heads h ON h.organization_id = e.organization_id GROUP BY e.status`,
);

/** A standby that has replayed everything has no lag. Without `pg_monitor`, our user does not see a standby's state. */
const REPLICATION = readAsOwner<NonNullable<DatabaseMetrics["replication"]>>(
  "replication_lag",
  `SELECT count(pid)::int AS replicas,
          max(CASE WHEN state IS NULL THEN NULL WHEN replay_lag IS NULL THEN 0
                   ELSE extract(epoch FROM replay_lag) END)::float8 AS "lagSeconds"
     FROM pg_stat_replication`,
);
