/**
 * Brings what the git host shows of a deployment or a preview to what it should show. What the host took is recorded, so
 * only differences are sent. A crash between the two sends a report again, which changes nothing. A host that does not
 * answer only delays: no deployment waits for it.
 */
import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../db/database.ts";
import { type Git, type GitAccess, GitError, type Repository } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { AppError } from "../../lib/errors.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { findDeployment, getDeploymentDetails, listDeployments } from "../deployments/queries.ts";
import { listDefaultDistributionHosts } from "../distributions/commands.ts";
import { type GitDeps, openGitAccess } from "../git-integrations/queries.ts";
import {
  isReportRefused,
  recordReportAccepted,
  recordReportRefusal,
} from "../git-integrations/report-refusals.ts";
import { approverOf, type Preview } from "../previews/preview.ts";
import { findPreview, findPreviewOfEnvironment } from "../previews/queries.ts";
import { type Project, isPublic } from "../projects/project.ts";
import { findEnvironment, findProject, listEnvironmentServices } from "../projects/queries.ts";
import { decidePreviewReports, decideStatuses, nameAtHost } from "./decide-reports.ts";
import type { Links, Report, SentReport } from "./report.ts";
import { gitReports } from "./store.ts";

/** After this time without a change, a host that does not take a report is not asked again. */
const GIVE_UP_MS = 24 * 3_600_000;
/** How soon we look again for the address of a preview that is live. */
const ADDRESS_MS = 3_000;

export type GitReportDeps = GitDeps &
  WorkDeps & {
    /** Where people open the console. */
    readonly publicUrl: string;
  };

/** @returns a reconciler of deployments and of previews, by their ids */
export function reconcileGitReport(deps: GitReportDeps): Reconcile {
  const { db } = deps;
  return async ({ organizationId, id }) => {
    const deployment = await findDeployment(db, organizationId, id);
    if (deployment === null) return await reportPreview(deps, organizationId, id);
    // A restart deploys no commit.
    if (deployment.trigger === "restart") return "done";
    if (!deployment.isPreview) return await reportOrdinary(deps, deployment);
    // One job at a time writes the comment of a preview.
    const preview = await findPreviewOfEnvironment(db, organizationId, deployment.environmentId ?? "");
    if (preview !== null)
      await db.transaction((tx) => deps.jobs.enqueue(tx, "git-report", { organizationId, id: preview.id }));
    return "done";
  };
}

function linksOf({ publicUrl }: GitReportDeps, projectId: string): Links {
  return {
    deployment: (id) => `${publicUrl}/console/deployments/${id}`,
    previews: `${publicUrl}/console/projects/${projectId}`,
  };
}

async function reportOrdinary(deps: GitReportDeps, deployment: Deployment): Promise<ReconcileResult> {
  const { db } = deps;
  const { organizationId, id, projectId, commitHash } = deployment;
  const project = await findProject(db, organizationId, projectId);
  if (project === null) return "done";
  const { runs } = await getDeploymentDetails(db, organizationId, id);
  const shown = [];
  for (const run of runs) {
    const environment = await findEnvironment(db, organizationId, run.environmentId);
    if (environment === null || environment.report === "none") continue;
    const newest = await findNewest(db, organizationId, run.environmentId);
    // A later deployment of the same commit says what its status is.
    if (newest === null || newest.id === id || newest.commitHash !== commitHash) shown.push(run);
  }
  const wanted = decideStatuses(deployment, shown, linksOf(deps, projectId));
  const subject = { id, changedAt: deployment.updatedAt };
  return await sendAll(deps, project, subject, wanted, await gitReports.list(db, organizationId, id));
}

async function findNewest(
  db: Database,
  organizationId: string,
  environmentId: string,
): Promise<Deployment | null> {
  const page = { limit: 0, after: null, order: "desc" } as const;
  const filter = { environmentId, isOfCommits: true };
  return (await listDeployments(db, organizationId, page, filter, null))[0] ?? null;
}

async function reportPreview(
  deps: GitReportDeps,
  organizationId: string,
  id: string,
): Promise<ReconcileResult> {
  const { db } = deps;
  const found = await findPreview(db, organizationId, id);
  const sent = await gitReports.list(db, organizationId, id);
  const projectId = found?.projectId ?? sent[0]?.projectId;
  const project = projectId === undefined ? null : await findProject(db, organizationId, projectId);
  if (project === null) return "done";
  // Its previews end with a project. The git host is asked until the project's resources are removed.
  const preview = project.deletionRequestedAt === null ? found : null;
  const links = linksOf(deps, project.id);
  const template = preview === null ? null : await findEnvironment(db, organizationId, preview.templateId);
  const { deployment, services, isWithoutAddress } = await readNewest(db, organizationId, preview);
  const templateName = template?.configId ?? "";
  const wanted = decidePreviewReports({
    preview,
    deployment,
    services,
    approver: approverOf(template),
    links,
    setting: template?.report ?? "none",
    templateName,
    environment: nameAtHost(project, templateName, preview?.key ?? ""),
    url: services.find(({ address }) => address !== null)?.address ?? null,
    sent,
  });
  const subject = { id, changedAt: preview?.updatedAt ?? deps.clock.now() };
  const result = await sendAll(deps, project, subject, wanted, sent);
  if (result !== "done") return result;
  if (preview === null) await gitReports.delete(db, organizationId, id);
  return isWithoutAddress ? { runAfterMs: ADDRESS_MS } : "done";
}

/** The newest deployment of a preview's environment, with the addresses of its services. */
async function readNewest(db: Database, organizationId: string, preview: Preview | null) {
  const environmentId = preview?.environmentId ?? null;
  const deployment = environmentId === null ? null : await findNewest(db, organizationId, environmentId);
  if (deployment === null) return { deployment, services: [], isWithoutAddress: false };
  const details = await getDeploymentDetails(db, organizationId, deployment.id);
  // Services that the commit left as they were have no row in its deployment.
  const all = await listEnvironmentServices(db, organizationId, deployment.environmentId ?? "");
  const kept = new Map(
    details.runs.flatMap(({ plan }) => plan?.kept ?? []).map((one) => [one.serviceId, one.commitHash]),
  );
  const services = [
    ...details.services,
    ...all
      .filter(({ id }) => kept.has(id))
      .map(({ id: serviceId, configId, type }) => ({
        serviceId,
        configId,
        type,
        status: "SUCCESS" as const,
      })),
  ];
  const ids = services.map(({ serviceId }) => serviceId);
  const hosts = await listDefaultDistributionHosts(db, organizationId, ids);
  const shown = services.map(({ serviceId, configId, type, status }) => {
    const host = isPublic(type) ? hosts.get(serviceId) : undefined;
    const address = host === undefined ? null : `https://${host}`;
    return { configId, status, keptCommit: kept.get(serviceId) ?? null, address, type };
  });
  const isWithoutAddress =
    deployment.status === "SUCCESS" && shown.some(({ type, address }) => isPublic(type) && address === null);
  return { deployment, services: shown, isWithoutAddress };
}

/**
 * Sends what differs. @returns when to try again, if the host says so
 * @throws GitError `HOST_UNAVAILABLE`, so that it is tried again
 */
async function sendAll(
  deps: GitReportDeps,
  project: Project,
  { id: subjectId, changedAt }: { readonly id: string; readonly changedAt: Date },
  wanted: readonly Report[],
  sent: readonly SentReport[],
): Promise<ReconcileResult> {
  const { db, clock } = deps;
  const { organizationId, id: projectId } = project;
  let away: GitError | null = null;
  const known = new Map(sent.map((one) => [one.key, one]));
  for (const report of wanted) {
    const before = known.get(report.key);
    if (before !== undefined && isDeepStrictEqual(before.report, report.report)) continue;
    if (await isReportRefused(db, project, report.operation, clock.now())) continue;
    try {
      const access = await openGitAccess(deps, organizationId, project.provider, project.host);
      const repository = parseRepositoryUrl(project.normalizedRepoUrl);
      const hostId = await send(deps.git, access, repository, report, before?.hostId ?? null);
      await gitReports.put(db, { organizationId, subjectId, projectId }, report, hostId);
      await recordReportAccepted(db, project, report.operation);
    } catch (error) {
      // Without an integration, nothing can be reported.
      if (error instanceof AppError) return "done";
      if (!(error instanceof GitError)) throw error;
      if (error.code === "REPORT_IMPOSSIBLE")
        // As if it was sent: it is not sent again before it changes.
        await gitReports.put(db, { organizationId, subjectId, projectId }, report, before?.hostId ?? null);
      else if (error.code !== "HOST_UNAVAILABLE")
        await recordReportRefusal(db, project, report.operation, error, clock.now());
      else if (error.retryAfterSeconds !== null) return { runAfterMs: error.retryAfterSeconds * 1_000 };
      else away = error;
    }
  }
  if (away !== null && clock.now().getTime() - changedAt.getTime() < GIVE_UP_MS) throw away;
  return "done";
}

async function send(
  git: Git,
  access: GitAccess,
  repository: Repository,
  { operation, report }: Report,
  id: string | null,
): Promise<string | null> {
  switch (operation) {
    case "deployment":
      return (await git.reportDeployment(access, repository, { ...report, id })).id;
    case "comment":
      return (await git.writeComment(access, repository, { ...report, id })).id;
    case "status":
      await git.reportStatus(access, repository, report);
      return null;
  }
}
