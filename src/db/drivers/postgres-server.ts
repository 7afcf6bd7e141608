import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type Database, DatabaseError, DatabaseUnavailableError, readAsOwner } from "../database.ts";
import { parseAddresses } from "./addresses.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** DATABASE_URL does not lead to a database that Slipway can use. The message says what the operator has to change. */
export class DatabaseStartError extends OperatorError {
  override readonly name = "DatabaseStartError";
}

/** The addresses of a connection string, without its password. */
type Target = {
  /** `host:port`, of several servers with commas. */
  readonly at: string;
  readonly database: string;
  readonly user: string;
};

/** What a server reports about itself and about our user. */
export type ServerSeen = {
  /** PostgreSQL's `server_version_num`: 150004 is 15.4. */
  readonly version: number;
  readonly isMigrated: boolean;
  readonly mayCreateTable: boolean;
  readonly mayCreateSchema: boolean;
  readonly hasCitus: boolean;
  /** Whether it ends statements and idle transactions after a time. */
  readonly hasLimits: boolean;
};

const OLDEST_MAJOR = 15;

/** A server that is busy, that starts or fails over gets this time. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 250;

/**
 * Checks, once at the start, that the server can be used. Waits for a server that does not answer yet, but not for a
 * server that does not exist or refuses connections.
 * @throws DatabaseStartError
 */
export async function checkPostgresServer(
  db: Database,
  connectionString: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const target = targetOf(connectionString);
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      const [seen] = await db.query(LOOK_AT_SERVER);
      const refusal = seen === undefined ? null : refuseServer(seen, target);
      if (refusal !== null) throw new DatabaseStartError(refusal);
      const [node] = seen?.hasCitus === true ? await db.query(LOOK_AT_NODE) : [];
      if (node?.isWorker !== true) return;
      throw new DatabaseStartError(
        `The server of DATABASE_URL at ${target.at} is a worker of a Citus cluster. Locks, notifications and sequences are the coordinator's; have DATABASE_URL lead there.`,
      );
    } catch (error) {
      if (error instanceof DatabaseStartError) throw error;
      if (!mayAnswerSoon(error) || performance.now() > endsAt) {
        throw new DatabaseStartError(explainFailure(error, target), { cause: error });
      }
      await sleep(RETRY_MS);
    }
  }
}

function mayAnswerSoon(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError &&
    !/ECONNREFUSED|ENOTFOUND|EAI_|ENOENT|startup parameter/.test(error.message)
  );
}

/** Why Slipway cannot work with a server that answers; null if it can. Pure. */
export function refuseServer(seen: ServerSeen, { database, user }: Target): string | null {
  const major = Math.floor(seen.version / 10_000);
  if (major < OLDEST_MAJOR) {
    return `The server of DATABASE_URL is PostgreSQL ${major}; Slipway needs ${OLDEST_MAJOR} or later.`;
  }
  if (!seen.isMigrated && !(seen.mayCreateTable && seen.mayCreateSchema)) {
    return `The user "${user}" may not create tables and schemas in the database "${database}". Make it the owner: ALTER DATABASE "${database}" OWNER TO "${user}"`;
  }
  if (!seen.hasLimits) {
    return `The user "${user}" has no limits, and a pooler passes none on. Run this once, and have the pooler reconnect: ALTER ROLE "${user}" SET statement_timeout = '15s'; ALTER ROLE "${user}" SET idle_in_transaction_session_timeout = '8s'`;
  }
  return null;
}

/** Why the first statement failed. Pure. */
export function explainFailure(error: unknown, { at, database, user }: Target): string {
  if (error instanceof DatabaseError) {
    switch (error.code) {
      case "28P01":
      case "28000":
        return `The database server at ${at} refuses the user "${user}" or its password. Check both in DATABASE_URL.`;
      case "3D000":
        return `The database server at ${at} has no database "${database}". Create it, or name another in DATABASE_URL.`;
      case "42501":
        return `The user "${user}" may not use the database "${database}" at ${at}.`;
    }
  }
  if (error instanceof DatabaseUnavailableError && /startup parameter/.test(error.message)) {
    return `The server at ${at} is PgBouncer, which takes no settings with a connection. Set SLIPWAY_DATABASE_DIRECT_URL to the address of PostgreSQL itself; docs/how-to/high-availability.md has the rest.`;
  }
  if (error instanceof DatabaseUnavailableError) {
    return `${error.message} DATABASE_URL leads to ${at}; check that PostgreSQL runs there and is reachable.`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `The database at ${at} (DATABASE_URL) cannot be used: ${reason}`;
}

/** As the driver reads it, including its defaults and the `PG…` variables. */
function targetOf(connectionString: string): Target {
  const clients = (parseAddresses(connectionString)?.urls ?? []).map(
    (url) => new Client({ connectionString: url }),
  );
  const at = clients.map(({ host, port }) => `${host}:${port}`).join(", ");
  return { at, database: clients[0]?.database ?? "", user: clients[0]?.user ?? "" };
}

const LOOK_AT_SERVER = readAsOwner<ServerSeen>(
  "server_look",
  `SELECT current_setting('server_version_num')::int AS version,
          to_regclass('schema_migrations') IS NOT NULL AS "isMigrated",
          coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTable",
          has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchema",
          to_regproc('citus_is_coordinator') IS NOT NULL AS "hasCitus",
          current_setting('statement_timeout') <> '0'
            AND current_setting('idle_in_transaction_session_timeout') <> '0' AS "hasLimits"`,
);

/** A database with the extension and without any node is as good as one without it. */
const LOOK_AT_NODE = readAsOwner<{ isWorker: boolean }>(
  "server_look_at_node",
  `SELECT NOT citus_is_coordinator() AND EXISTS (SELECT 1 FROM pg_dist_node) AS "isWorker"`,
);
