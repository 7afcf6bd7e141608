/** The output of an execution, read from the platform. */
import type { LogLine, Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import { CHECK_MS, getAccountOfLogs, readLogPage } from "../deployments/logs.ts";
import type { ExecutionState } from "./execution.ts";
import { getExecution } from "./queries.ts";

type Deps = { readonly db: Database; readonly platform: Platform | null };

export type ExecutionLog = { readonly lines: readonly LogLine[]; readonly next: string };

/** Not a position of a platform. */
const NOTHING_READ = "-";

/**
 * What follows the cursor, or everything that the platform has without one. There is nothing before the command starts.
 * @throws AppError `NOT_FOUND`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function readExecutionLog(
  { db, platform }: Deps,
  organizationId: string,
  id: string,
  cursor: string | null,
): Promise<ExecutionLog> {
  const { projectId, deploymentId } = await getExecution(db, organizationId, id);
  if (platform === null || deploymentId === null) return { lines: [], next: NOTHING_READ };
  const account = await getAccountOfLogs(db, organizationId, projectId, id);
  const from = cursor === NOTHING_READ ? null : cursor;
  const page = await readLogPage(platform.executions.logs(account, id, from));
  return { lines: page?.lines ?? [], next: page?.next ?? from ?? NOTHING_READ };
}

export type ExecutionLogEvent =
  | { readonly kind: "lines"; readonly log: ExecutionLog }
  /** Sent first, and whenever it changes; `end` is the last. */
  | { readonly kind: "status" | "end"; readonly status: ExecutionState };

/**
 * The log of an execution, live until it has ended and its whole log was sent.
 * @throws the errors of `readExecutionLog`
 */
export async function* followExecutionLog(
  deps: Deps & { readonly changes: Changes },
  organizationId: string,
  id: string,
  from: string | null,
  signal: AbortSignal,
): AsyncGenerator<ExecutionLogEvent> {
  let cursor = from;
  let sentStatus: ExecutionState | null = null;
  const subscription = deps.changes.subscribe([id]);
  try {
    while (!signal.aborted) {
      // Read before the lines, so that no line is missed after the last status.
      const { status, endedAt } = await getExecution(deps.db, organizationId, id);
      const log = await readExecutionLog(deps, organizationId, id, cursor);
      cursor = log.next;
      if (status !== sentStatus) yield { kind: "status", status };
      sentStatus = status;
      if (log.lines.length > 0) yield { kind: "lines", log };
      else if (endedAt !== null) return yield { kind: "end", status };
      else await subscription.next(CHECK_MS, signal);
    }
  } finally {
    subscription.close();
  }
}
