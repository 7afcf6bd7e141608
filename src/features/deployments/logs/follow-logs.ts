import type { Changes } from "../../../db/changes.ts";
import { getDeployment } from "../commands.ts";
import { type DeploymentStatus, hasEnded } from "../deployment.ts";
import { type DeploymentLogLine, readLogs } from "./read-logs.ts";

/** How often the platform is asked for new lines. */
const LOOK_AGAIN_MS = 500;

export type LogEvent =
  | { readonly kind: "lines"; readonly lines: readonly DeploymentLogLine[]; readonly cursor: string }
  /** Sent first, and whenever it changes. */
  | { readonly kind: "status"; readonly status: DeploymentStatus }
  | { readonly kind: "end"; readonly status: DeploymentStatus };

/**
 * The log of a deployment, live until the deployment has ended and its whole log was sent. What its services
 * print after that can be read with the last cursor.
 * @throws what `readLogs` throws
 */
export async function* followLogs(
  deps: Parameters<typeof readLogs>[0] & { readonly changes: Changes },
  organizationId: string,
  deploymentId: string,
  query: { readonly serviceId?: string; readonly cursor?: string },
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  const { db, changes } = deps;
  let cursor = query.cursor;
  let told: DeploymentStatus | null = null;
  const subscription = changes.subscribe([deploymentId]);
  try {
    while (!signal.aborted) {
      // Read before the lines, so that no line is missed after the last status.
      const { status } = await getDeployment(db, organizationId, deploymentId);
      const { lines, next } = await readLogs(deps, organizationId, deploymentId, {
        ...query,
        ...(cursor === undefined ? {} : { cursor }),
      });
      cursor = next;
      if (status !== told) yield { kind: "status", status };
      told = status;
      if (lines.length > 0) yield { kind: "lines", lines, cursor };
      else if (hasEnded(status)) return yield { kind: "end", status };
      else await subscription.next(LOOK_AGAIN_MS, signal);
    }
  } finally {
    subscription.close();
  }
}
