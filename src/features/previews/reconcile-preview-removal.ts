/**
 * Waits until nothing of a preview's deleted environment is left in the cloud account, reports what keeps it there, and
 * then ends the preview. The removals themselves are other work, which is retried until it succeeds.
 */
import { isDeepStrictEqual } from "node:util";
import type { Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import { lockProject } from "../projects/commands.ts";
import { findEnvironment } from "../projects/queries.ts";
import { decideCleanup } from "./decide-cleanup.ts";
import type { CleanupProblem, PreviewRemoval } from "./preview-removal.ts";
import { previewRemovals } from "./removal-store.ts";
import { previews } from "./store.ts";
import { changePreview, emitCleanupFailed, endPreview, removePreview } from "./take-step.ts";

/** How soon we look again whether domains still keep a preview. */
const DOMAINS_MS = 60_000;
/** A removal takes at least a minute, because a call from before it may still arrive. */
const LOOK_MS = 10_000;
const LATER_MS = 60_000;

/** @returns a reconciler of the environments of previews, by their ids */
export function reconcilePreviewRemoval(deps: WorkDeps): Reconcile {
  const { db, clock } = deps;
  return async ({ organizationId, id }) => {
    const removal = await previewRemovals.find(db, organizationId, id);
    if (removal === null) return await removeKept(deps, organizationId, id);
    const left = await previewRemovals.listOrphansOf(db, removal);
    if (left.length === 0) {
      await complete(deps, removal);
      return "done";
    }
    const { requestedAt, awsAccountId } = removal;
    const account = await getAwsAccount(db, organizationId, awsAccountId);
    const now = clock.now();
    const problem = decideCleanup({ requestedAt, account, left, now });
    if (!isDeepStrictEqual(problem, removal.problem)) await report(deps, removal, problem);
    return { runAfterMs: now.getTime() - requestedAt.getTime() < 3 * LATER_MS ? LOOK_MS : LATER_MS };
  };
}

/** A preview is kept while its services have domains. */
async function removeKept(
  deps: WorkDeps,
  organizationId: string,
  environmentId: string,
): Promise<ReconcileResult> {
  const { db } = deps;
  const kept = await previews.findOfEnvironment(db, organizationId, environmentId);
  if (kept?.state !== "DELETING") return "done";
  return await db.transaction(async (tx) => {
    const project = await lockProject(tx, organizationId, kept.projectId);
    const preview = await previews.find(tx, organizationId, kept.id);
    if (project === null || preview?.state !== "DELETING" || preview.environmentId !== environmentId)
      return "done";
    const actor = slipwayOf(organizationId);
    const find = () => findEnvironment(tx, organizationId, environmentId);
    if ((await find()) === null) {
      await endPreview(tx, actor, preview);
      return "done";
    }
    await removePreview(tx, deps, actor, preview, project, preview);
    return { runAfterMs: (await find()) === null ? LOOK_MS : DOMAINS_MS };
  });
}

async function complete({ db }: WorkDeps, removal: PreviewRemoval): Promise<void> {
  const { organizationId, projectId, previewId, environmentId } = removal;
  await db.transaction(async (tx) => {
    await lockProject(tx, organizationId, projectId);
    await previewRemovals.delete(tx, removal);
    const preview = await previews.find(tx, organizationId, previewId);
    if (preview?.state === "DELETING" && preview.environmentId === environmentId)
      await endPreview(tx, slipwayOf(organizationId), preview);
  });
}

async function report(
  { db }: WorkDeps,
  removal: PreviewRemoval,
  problem: CleanupProblem | null,
): Promise<void> {
  const { organizationId, projectId, previewId, environmentId } = removal;
  const actor = slipwayOf(organizationId);
  await db.transaction(async (tx) => {
    await lockProject(tx, organizationId, projectId);
    await previewRemovals.recordProblem(tx, removal, problem);
    const preview = await previews.find(tx, organizationId, previewId);
    if (preview?.state === "DELETING" && preview.environmentId === environmentId)
      await changePreview(tx, actor, preview, { problem });
    if (problem !== null && problem.code !== removal.problem?.code)
      emitCleanupFailed(tx, actor, removal, problem);
  });
}
