/**
 * How long a statement is waited for on our side. The server's own limits end what it works on; these find a
 * connection whose other end is gone, or stands still.
 */
import type { QueryConfig } from "pg";

/** The longest that timers of Node take: 24 days. For what may take any time, such as a migration. */
export const NO_LIMIT_MS = 2_147_483_647;

/**
 * A statement that `pg` gives up after this time, and with it the connection, because everything behind it waits too.
 * `query_timeout` is missing in its types.
 * @param limitMs null: as the connection has it
 */
export function limited(text: string, limitMs: number | null, values?: unknown[]): QueryConfig {
  const config = { text, ...(values === undefined ? {} : { values }) };
  return limitMs === null ? config : Object.assign(config, { query_timeout: limitMs });
}

/** Whether a statement was given up for its limit. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}
