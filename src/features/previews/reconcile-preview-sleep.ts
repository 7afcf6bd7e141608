/**
 * Puts previews without requests to sleep, and records which of them sleep. Requests wake them without this work, so it
 * only reads that later. `decide-sleep.ts` decides.
 */
import type { CloudAccount } from "../../cloud/cloud.ts";
import type { EnvironmentActivity, Platform } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { lockProject } from "../projects/commands.ts";
import { findProject, listProjectEnvironments } from "../projects/queries.ts";
import { decideSleep, WATCH_MS } from "./decide-sleep.ts";
import type { Preview } from "./preview.ts";
import { previews } from "./store.ts";
import { recordSleep } from "./take-step.ts";

type Deps = { readonly db: Database; readonly platform: Platform | null; readonly clock: Clock };

/** @returns a reconciler of the previews of a project, by its id */
export function reconcilePreviewSleep(deps: Deps): Reconcile {
  const { db, platform } = deps;
  return async ({ organizationId, id }) => {
    const project = await findProject(db, organizationId, id);
    if (platform === null || project === null || project.deletionRequestedAt !== null) return "done";
    const minutes = new Map<string, number | null>();
    for (const { id: templateId, template } of await listProjectEnvironments(db, organizationId, id))
      minutes.set(templateId, template?.sleepAfterMinutes ?? null);
    const minutesOf = ({ templateId }: Preview) => minutes.get(templateId) ?? null;
    const concerned = (await previews.listOfProject(db, organizationId, id)).filter(
      (one) => one.state === "SLEEPING" || (one.state === "ACTIVE" && minutesOf(one) !== null),
    );
    if (concerned.length === 0) return "done";
    const account = await getConnectedAccount(db, organizationId, project.awsAccountId, id);
    if (account === null) return { runAfterMs: WATCH_MS };
    const ids = concerned.flatMap(({ environmentId }) => environmentId ?? []);
    const activities = new Map(
      (await platform.environments.activity(account, ids)).map((one) => [one.environmentId, one]),
    );
    let runAfterMs = Infinity;
    for (const preview of concerned) {
      const activity = activities.get(preview.environmentId ?? "") ?? null;
      const waitMs = await takeStep(deps, platform, account, preview, minutesOf(preview), activity);
      runAfterMs = Math.min(runAfterMs, waitMs ?? Infinity);
    }
    return runAfterMs === Infinity ? "done" : { runAfterMs };
  };
}

/** @returns when to look again, in ms; null: never */
async function takeStep(
  deps: Deps,
  platform: Platform,
  account: CloudAccount,
  preview: Preview,
  sleepAfterMinutes: number | null,
  activity: EnvironmentActivity | null,
): Promise<number | null> {
  const facts = { sleepAfterMinutes, now: deps.clock.now() };
  const step = decideSleep({ ...facts, activity });
  if (step.kind === "wait" || activity === null) {
    await record(deps, preview, activity);
    return step.kind === "wait" ? step.ms : null;
  }
  const after = await platform.environments.sleep(account, activity.environmentId, activity.usedAt);
  await record(deps, preview, after);
  const next = decideSleep({ ...facts, activity: after });
  return next.kind === "wait" ? next.ms : WATCH_MS;
}

async function record(
  { db }: Deps,
  { organizationId, projectId, id, environmentId, state }: Preview,
  activity: EnvironmentActivity | null,
): Promise<void> {
  const asleepSince = activity?.asleepSince ?? null;
  if ((asleepSince !== null) === (state === "SLEEPING")) return;
  await db.transaction(async (tx) => {
    await lockProject(tx, organizationId, projectId);
    const preview = await previews.find(tx, organizationId, id);
    if (preview === null || preview.environmentId !== environmentId) return;
    await recordSleep(tx, slipwayOf(organizationId), preview, asleepSince);
  });
}
