import { type Cloud, type CloudAccount, CloudError, type Origin } from "../../cloud/cloud.ts";
import { accessKeyOf, type PreviewAccess } from "../../cloud/preview-access.ts";
import { pollRestMs, SHORTEST_REST_MS } from "../../cloud/calls/poll-rest.ts";
import { isOutcomeKnown } from "../../cloud/calls/stragglers.ts";
import { suspectAwsAccount } from "../cloud-accounts/commands.ts";
import type { Transaction } from "../../db/database.ts";
import { createFinder } from "../../db/find-many.ts";
import { newId } from "../../lib/ids.ts";
import type { Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { announceHost } from "./commands.ts";
import { decideDistribution } from "./decide-distribution.ts";
import type { Distribution, ServedDistribution } from "./distribution.ts";
import { distributions } from "./store.ts";

/** When to try again if the account is not connected; the account's own check finds the reason. */
const NOT_CONNECTED_MS = 30_000;
/** The provider needs about a second to allow the deletion of a distribution that it reports as deployed. */
const NOT_READY_MS = 1_000;

type Deps = WorkDeps & {
  readonly cloud: Cloud;
  /** What access the previews of a template are to have; null if the template was deleted. */
  readonly findAccess: (organizationId: string, templateId: string) => Promise<PreviewAccess | null>;
  /** Called in the transaction that records a creation, refusal or removal: groups wait for it. */
  readonly onChanged: (tx: Transaction, distribution: Distribution) => Promise<void>;
};

/** Creates wanted distributions and removes the others. */
export function reconcileDistribution(deps: Deps): Reconcile {
  const find = createFinder<ServedDistribution>(
    deps.db,
    (organizationId, ids) => distributions.list(deps.db, organizationId, ids),
    ({ id }) => id,
  );
  return async ({ organizationId, id }) => {
    const distribution = await find(organizationId, id);
    if (distribution === null) return "done";
    const { connection, environmentId } = distribution;
    if (connection === null) return { runAfterMs: NOT_CONNECTED_MS };
    try {
      return await takeStep(deps, distribution, { ...connection, purpose: id, environmentId });
    } catch (error) {
      if (error instanceof CloudError) await recordRefusal(deps, distribution, error);
      throw error;
    }
  };
}

async function takeStep(
  deps: Deps,
  distribution: ServedDistribution,
  account: CloudAccount,
): Promise<ReconcileResult> {
  const { db, cloud, clock, onChanged, findAccess } = deps;
  const { organizationId, id, providerId, templateId, isDesired, origin } = distribution;
  const access = templateId === null || !isDesired ? undefined : await findAccess(organizationId, templateId);
  // Its preview is about to be removed, and must not become public meanwhile.
  if (access === null) return { runAfterMs: NOT_CONNECTED_MS };
  const routes =
    origin.kind === "previews"
      ? await distributions.listRoutes(db, organizationId, origin.environmentId)
      : null;
  const isBehind = (distribution.originMoved && cloud.servesRepositories) || routes !== null;
  const isLooked = providerId !== null && (!isDesired || isBehind || access !== undefined);
  const seen = isLooked ? await cloud.distributions.describe(account, providerId) : null;
  const accessKey = access === undefined ? null : accessKeyOf(access);
  const step = decideDistribution(distribution, seen, routes, clock.now(), accessKey);
  switch (step.kind) {
    case "rest":
      // Another access may have been served until now.
      if (seen !== null && accessKey !== null) await cloud.distributions.forgetRedirects(account, seen.id);
      return "done";
    case "setAccess": {
      const { id: from, aliases, certificateId, enabled, etag } = step.from;
      const update = { aliases, certificateId, enabled, etag, ...(access === undefined ? {} : { access }) };
      const made = await cloud.distributions.update(account, from, update);
      return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
    }
    case "waitForDeploy":
      return { runAfterMs: pollRestMs(step.since, clock.now()) };
    case "waitForStraggler":
      return { runAfterMs: Math.max(0, step.until.getTime() - clock.now().getTime()) };
    case "create":
      return await create(deps, distribution, account, access);
    case "route": {
      const { aliases, certificateId, enabled, etag } = step.from;
      const update = { aliases, certificateId, enabled, routes: step.routes, etag };
      await cloud.distributions.update(account, step.from.id, update);
      if (distribution.lastError !== null) await distributions.clearRefused(db, organizationId, id);
      // A service may have come since.
      return { runAfterMs: 0 };
    }
    case "moveOrigin": {
      const { aliases, certificateId, enabled, etag } = step.from;
      if (origin.kind === "repository") {
        const update = { aliases, certificateId, enabled, origin, etag };
        await cloud.distributions.update(account, step.from.id, update);
      }
      await distributions.recordMoved(db, distribution);
      return { runAfterMs: 0 };
    }
    case "disable": {
      const made = await cloud.distributions.update(account, providerId ?? "", {
        aliases: [],
        certificateId: null,
        enabled: false,
        etag: step.etag,
      });
      return { runAfterMs: made.deployed ? 0 : SHORTEST_REST_MS };
    }
    case "delete": {
      const outcome = await cloud.distributions.delete(account, providerId ?? "", step.etag);
      return { runAfterMs: outcome === "deleted" ? 0 : NOT_READY_MS };
    }
    case "forget":
      if (providerId !== null) await forgetFunctions(cloud, account, providerId);
      await db.transaction(async (tx) => {
        await distributions.delete(tx, organizationId, id);
        await onChanged(tx, distribution);
      });
      return "done";
  }
}

async function create(
  { db, cloud, clock, jobs, onChanged }: Deps,
  distribution: Distribution,
  account: CloudAccount,
  access: PreviewAccess | undefined,
): Promise<ReconcileResult> {
  const { id } = distribution;
  // What only has to be found again, to be removed, must not serve anything.
  const origin: Origin = distribution.isDesired ? distribution.origin : { kind: "none" };
  // Record the intent first: if the answer is lost, a later removal knows that there may be something.
  const startedAt = clock.now();
  const startedBefore = await distributions.markRequested(db, distribution, startedAt);
  const call = { startedAt, startedBefore };
  const made = await cloud.distributions
    .create({ ...account, startedAt }, { token: id, origin, ...(access === undefined ? {} : { access }) })
    .catch(async (error: unknown) => {
      if (isOutcomeKnown(error)) await distributions.endCreation(db, distribution, call);
      throw error;
    });
  return await db.transaction(async (tx) => {
    const isDesired = await distributions.recordCreated(tx, distribution, made, call);
    // The job that removed it has already ended; this starts another.
    if (isDesired === false) await jobs.enqueue(tx, "distribution", distribution);
    if (isDesired === null) {
      const stray = { ...distribution, id: newId("cdn") };
      await distributions.recordCreated(tx, stray, made, call);
      await jobs.enqueue(tx, "distribution", stray);
    }
    announceHost(tx, distribution);
    await onChanged(tx, distribution);
    // From now on, a change of its origin enqueues it.
    const isComplete = !distribution.originMoved && distribution.origin.kind !== "previews";
    return isDesired === true && isComplete ? "done" : { runAfterMs: 0 };
  });
}

/** Deletes what the provider keeps of a preview's access beside the distribution. */
async function forgetFunctions(cloud: Cloud, account: CloudAccount, providerId: string): Promise<void> {
  try {
    await cloud.distributions.forgetRedirects(account, providerId);
  } catch (error) {
    // Without the permission, nothing of the kind was made.
    if (!(error instanceof CloudError) || error.kind !== "denied") throw error;
  }
}

/** Reports a lasting refusal to the waiting groups. The step is retried nevertheless. */
async function recordRefusal(
  { db, jobs, onChanged }: Deps,
  distribution: Distribution,
  error: CloudError,
): Promise<void> {
  const { kind, code } = error;
  if (kind === "retryable" || kind === "gone") return;
  const { organizationId, id } = distribution;
  await db.transaction(async (tx) => {
    if (kind === "denied") await suspectAwsAccount(tx, jobs, organizationId, distribution.awsAccountId);
    if (distribution.lastError?.code === code) return;
    await distributions.recordRefused(tx, organizationId, id, { kind, code });
    await onChanged(tx, distribution);
  });
}
