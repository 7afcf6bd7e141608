import type { Cloud } from "../cloud/cloud.ts";
import { getConnectedAccount } from "../cloud-accounts/commands.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Reconcile } from "../jobs/jobs.ts";
import { decideDistribution } from "./decide-distribution.ts";
import type { Distribution } from "./distribution.ts";
import { distributions } from "./store.ts";

/** An account that is not connected is looked at again after this; its own check tells why. */
const NOT_CONNECTED_MS = 30_000;
const DEPLOYING_MS = 1_000;

/** Makes wanted distributions and removes those that are not. */
export function reconcileDistribution(deps: {
  db: Database;
  cloud: Cloud;
  /** Called in the transaction that records a new distribution: groups may wait for it. */
  onCreated: (tx: Transaction, distribution: Distribution) => Promise<void>;
  /** Called in the transaction that forgets a removed one: a group may wait for its end. */
  onForgotten: (tx: Transaction, distribution: Distribution) => Promise<void>;
}): Reconcile {
  const { db, cloud } = deps;
  return async ({ organizationId, id }) => {
    const distribution = await distributions.find(db, organizationId, id);
    if (distribution === null) return "done";
    const account = await getConnectedAccount(db, organizationId, distribution.awsAccountId);
    if (account === null) return { runAfterMs: NOT_CONNECTED_MS };
    const { providerId } = distribution;
    const isLooked = providerId !== null && !distribution.isWanted;
    const seen = isLooked ? await cloud.distributions.describe(account, providerId) : null;
    const step = decideDistribution(distribution, seen);
    switch (step.kind) {
      case "rest":
        return "done";
      case "waitForDeploy":
        return { runAfterMs: DEPLOYING_MS };
      case "create": {
        // Intent first: should the answer be lost, a later removal knows that there may be something.
        await distributions.markRequested(db, organizationId, id);
        const made = await cloud.distributions.create(account, { token: id, origin: distribution.origin });
        await db.transaction(async (tx) => {
          await distributions.recordCreated(tx, organizationId, id, made.id, made.domainName);
          await deps.onCreated(tx, distribution);
        });
        return { runAfterMs: 0 };
      }
      case "disable":
        await cloud.distributions.update(account, providerId ?? "", {
          aliases: [],
          certificateId: null,
          enabled: false,
          etag: step.etag,
        });
        return { runAfterMs: 0 };
      case "delete": {
        const outcome = await cloud.distributions.delete(account, providerId ?? "", step.etag);
        return { runAfterMs: outcome === "deleted" ? 0 : DEPLOYING_MS };
      }
      case "forget":
        await db.transaction(async (tx) => {
          await distributions.delete(tx, organizationId, id);
          await deps.onForgotten(tx, distribution);
        });
        return "done";
    }
  };
}
