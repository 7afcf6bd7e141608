/** Requests an invalidation from each distribution of its service, then asks until all are complete. */
import { type Cloud, type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import { announceChange } from "../../db/changes.ts";
import type { Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { listDistributionsOfService } from "../distributions/commands.ts";
import { endInvalidation } from "./commands.ts";
import { NOT_COMPLETED } from "./errors.ts";
import type { Invalidation } from "./invalidation.ts";
import { findAccountOfService } from "./queries.ts";
import { invalidations } from "./store.ts";

const NOT_CONNECTED_MS = 60_000;
/** CloudFront takes some seconds to minutes. */
const AGAIN_MS = 5_000;
const LIMIT_MS = 24 * 3_600_000;

type Deps = WorkDeps & { readonly cloud: Pick<Cloud, "distributions"> };

/** @returns a reconciler of invalidations, by their ids */
export function reconcileInvalidation(deps: Deps): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const invalidation = await invalidations.find(db, organizationId, id);
    if (invalidation === null || invalidation.endedAt !== null) return "done";
    const { serviceId, createdAt } = invalidation;
    const awsAccountId = await findAccountOfService(db, organizationId, serviceId);
    // The distributions of a deleted service are removed.
    if (awsAccountId === null) return await end(deps, invalidation, null);
    if (clock.now().getTime() - createdAt.getTime() > LIMIT_MS)
      return await end(deps, invalidation, NOT_COMPLETED);
    const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    try {
      return invalidation.parts === null
        ? await request(deps, account, invalidation)
        : await look(deps, account, invalidation, invalidation.parts);
    } catch (error) {
      if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
      await reportDenial(deps, error, organizationId, awsAccountId);
      return await end(deps, invalidation, errorOf(error));
    }
  };
}

async function request(
  { db, cloud }: Deps,
  account: CloudAccount,
  invalidation: Invalidation,
): Promise<ReconcileResult> {
  const { organizationId, id: token, serviceId, paths } = invalidation;
  const parts: Record<string, string> = {};
  for (const distribution of await listDistributionsOfService(db, organizationId, serviceId)) {
    try {
      parts[distribution] = (
        await cloud.distributions.invalidate(account, distribution, { token, paths })
      ).id;
    } catch (error) {
      // A distribution that was deleted meanwhile caches nothing.
      if (!(error instanceof CloudError) || error.kind !== "gone") throw error;
    }
  }
  await db.transaction(async (tx) => {
    if (await invalidations.start(tx, invalidation, parts)) announceChange(tx, token);
  });
  return { runAfterMs: AGAIN_MS };
}

async function look(
  deps: Deps,
  account: CloudAccount,
  invalidation: Invalidation,
  parts: NonNullable<Invalidation["parts"]>,
): Promise<ReconcileResult> {
  for (const [distribution, part] of Object.entries(parts)) {
    const observed = await deps.cloud.distributions.describeInvalidation(account, distribution, part);
    if (observed !== null && !observed.isComplete) return { runAfterMs: AGAIN_MS };
  }
  return await end(deps, invalidation, null);
}

async function end(
  { db }: Deps,
  invalidation: Invalidation,
  error: Invalidation["error"],
): Promise<ReconcileResult> {
  await db.transaction((tx) => endInvalidation(tx, invalidation, error));
  return "done";
}

function errorOf({ kind, code, message }: CloudError): NonNullable<Invalidation["error"]> {
  const update = " Update the connection's stack with the current template, and request it again.";
  return { code, message: `${message}${kind === "denied" ? update : ""}` };
}
