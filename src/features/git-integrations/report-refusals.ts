/**
 * Remembers that a git host refuses reports, so that they are not sent at each step, and shows it in the integration: one
 * event, until the token is replaced or the host takes all reports again.
 */
import { announceChange } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { GitError } from "../../git/git.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { codedErrorOf } from "../events/error-views.ts";
import type { Project } from "../projects/project.ts";
import { GIT_INTEGRATION_EVENTS } from "./events.ts";
import { reportRefusals } from "./refusal-store.ts";
import { gitIntegrations } from "./store.ts";

/** So often a refused report is tried again if the token stays the same. */
const RETRY_MS = 24 * 3_600_000;

/** Whether the git host refused such a report of the project lately. */
export async function isReportRefused(
  db: Database,
  { organizationId, id: projectId }: Project,
  operation: string,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - RETRY_MS);
  return await reportRefusals.isRefused(db, { organizationId, projectId, operation }, since);
}

/** The git host refused a report. */
export async function recordReportRefusal(
  db: Database,
  { organizationId, id: projectId, provider, host }: Project,
  operation: string,
  refusal: GitError,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const id = await gitIntegrations.findId(tx, organizationId, provider, host);
    if (id === null) return;
    await reportRefusals.put(tx, { organizationId, projectId, operation }, id, now);
    // Checks of the token and the deployments themselves show all other errors.
    if (refusal.code !== "PERMISSION_MISSING") return;
    const { code, message } = refusal.toAppError();
    const action = "Replace the token, or set source.report of the environment to deployment or none.";
    if (!(await reportRefusals.setError(tx, organizationId, id, { code, message, action }))) return;
    announceChange(tx, id);
    const type = GIT_INTEGRATION_EVENTS["git_integration.report_refused"];
    const error = { ...codedErrorOf({ code, message }), action };
    emit(tx, slipwayOf(organizationId), { type, subjectId: id, data: { provider, host, error } });
  });
}

/** The git host took a report, which it may have refused before. */
export async function recordReportAccepted(
  db: Database,
  { organizationId, id: projectId }: Project,
  operation: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const id = await reportRefusals.delete(tx, { organizationId, projectId, operation });
    if (id !== null && (await reportRefusals.clearError(tx, organizationId, id))) announceChange(tx, id);
  });
}
