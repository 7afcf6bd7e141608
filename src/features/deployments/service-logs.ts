/** The output of a service while it runs: of its live release, read from the platform like a deployment's log. */
import type { LogLine, Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { getProject, getService } from "../projects/queries.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";
import { tokenOf } from "./deployment.ts";
import { deployedServices } from "./run-store.ts";
import { getAccountOfLogs, readLogPage } from "./logs.ts";

/** How often the platform is asked for new lines. A stream has no end, and the provider counts its requests. */
const CHECK_MS = 2_000;

export type ServiceLog = {
  readonly lines: readonly LogLine[];
  /** Whose release printed them; null before the first. */
  readonly deploymentId: string | null;
  readonly next: string;
};

const NOTHING_READ = JSON.stringify([null, null]);

type Deps = { readonly db: Database; readonly platform: Platform | null };

/**
 * What follows the cursor, or everything that the platform has without one. If another release is live by now, it is
 * read from its beginning.
 * @throws AppError `NOT_FOUND`, `SERVICE_HAS_NO_LOGS`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function readServiceLog(
  { db, platform }: Deps,
  organizationId: string,
  serviceId: string,
  cursor: string | null,
): Promise<ServiceLog> {
  const service = await getService(db, organizationId, serviceId);
  const live = await deployedServices.findLive(db, organizationId, serviceId);
  if (service.type === "external")
    throw new AppError(
      DEPLOYMENT_ERRORS.SERVICE_HAS_NO_LOGS,
      "The service is a host of your own: its logs are there.",
    );
  if (platform === null || live === null) return { lines: [], deploymentId: null, next: NOTHING_READ };
  const { awsAccountId } = await getProject(db, organizationId, service.projectId);
  const account = await getAccountOfLogs(db, organizationId, awsAccountId, serviceId);
  const [deploymentId, position] = readCursor(cursor);
  const from = deploymentId === live.deploymentId ? position : null;
  const page = await readLogPage(platform.releases.logs(account, tokenOf(live), from));
  return {
    lines: page?.lines ?? [],
    deploymentId: live.deploymentId,
    next: JSON.stringify([live.deploymentId, page?.next ?? from]),
  };
}

/**
 * Yields each part that has lines, or is of another release than the part before, until `signal` aborts.
 * @throws the errors of `readServiceLog`
 */
export async function* followServiceLog(
  deps: Deps & { readonly changes: Changes },
  organizationId: string,
  serviceId: string,
  from: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServiceLog> {
  let cursor = from;
  let sentDeploymentId: string | null = null;
  const subscription = deps.changes.subscribe([serviceId]);
  try {
    while (!signal.aborted) {
      const log = await readServiceLog(deps, organizationId, serviceId, cursor);
      cursor = log.next;
      if (log.lines.length > 0 || log.deploymentId !== sentDeploymentId) yield log;
      sentDeploymentId = log.deploymentId;
      if (log.lines.length === 0) await subscription.next(CHECK_MS, signal);
    }
  } finally {
    subscription.close();
  }
}

function readCursor(cursor: string | null): readonly [string | null, string | null] {
  return cursor === null ? [null, null] : (JSON.parse(cursor) as [string, string | null]);
}
