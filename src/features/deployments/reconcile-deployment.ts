/**
 * Reads the configuration of a deployment's commit and creates a run in each of its environments.
 * `reconcile-environment.ts` does the rest.
 */
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { GitError } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { Jobs, Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { AppError } from "../../lib/errors.ts";
import { shortHash } from "../../lib/short-hash.ts";
import type { Configuration } from "../configuration/configuration.ts";
import {
  type ReadConfiguration,
  readConfigurationFile,
  type RepositoryDeps,
} from "../configuration/read-configuration-file.ts";
import { createEnvironment } from "../environments/apply-configuration.ts";
import { configuredOf } from "../environments/preview-configuration.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { lockProject, updateEnvironment } from "../projects/commands.ts";
import type { Environment, Project } from "../projects/project.ts";
import {
  findEnvironment,
  findProjectConfiguration,
  getProject,
  listEnvironmentServices,
  listProjectEnvironments,
} from "../projects/queries.ts";
import { decideTargets, limitTargets, noEnvironment } from "./decide-targets.ts";
import { type Deployment, type DeploymentError, hasEnded } from "./deployment.ts";
import { CANCELLED_UNRELEASED, ENVIRONMENT_REMOVED, SUPERSEDED } from "./errors.ts";
import { addRuns, checkBegin, type Planned, timeOut } from "./queue-runs.ts";
import { recordDeployment } from "./record.ts";
import { approvals, runs } from "./run-store.ts";
import { deployments } from "./store.ts";

const NO_PLATFORM_MS = 3_600_000;
/** After this time without an answer from the git host, the deployment fails. */
const HOST_AWAY_MS = 15 * 60_000;

/** The reason of a deployment in a cloud that Slipway cannot build in. */
export const NO_PLATFORM =
  "This release of Slipway cannot build or release in the configured cloud, so the deployment stays PENDING.";

export type DeploymentDeps = RepositoryDeps & WorkDeps & { readonly platform: Platform | null };

export function reconcileDeployment(deps: DeploymentDeps): Reconcile {
  const { db, platform } = deps;
  return async ({ organizationId, id }) => {
    const deployment = await deployments.find(db, organizationId, id);
    if (deployment === null || hasEnded(deployment.status)) return "done";
    if (deployment.configReadAt !== null) return await awaitApprovals(deps, deployment);
    const end = async (status: "CANCELLED" | "SUPERSEDED" | "ERROR", error: DeploymentError) => {
      await db.transaction((tx) => recordUnprepared(tx, deployment, status, error));
      return "done" as const;
    };
    if (deployment.cancelRequestedAt !== null) return await end("CANCELLED", CANCELLED_UNRELEASED);
    if (platform === null) {
      await db.transaction((tx) =>
        recordDeployment(tx, deployment, { status: "PENDING", reason: NO_PLATFORM }),
      );
      return { runAfterMs: NO_PLATFORM_MS };
    }
    if (await deployments.hasNewerRead(db, deployment)) return await end("SUPERSEDED", SUPERSEDED);
    const project = await getProject(db, organizationId, deployment.projectId);
    const [read] = await Promise.all([
      readConfiguration(deps, project, deployment),
      recordCommit(deps, project, deployment),
    ]);
    if ("error" in read) return await end("ERROR", read.error);
    await db.transaction((tx) => prepare(tx, deps, deployment, read));
    return await awaitApprovals(deps, deployment);
  };
}

/** Ends approvals that timed out, and comes back when the next approval times out. */
async function awaitApprovals(
  { db, clock }: DeploymentDeps,
  { organizationId, id, projectId }: Deployment,
): Promise<ReconcileResult> {
  const all = await approvals.list(db, organizationId, id);
  const waiting = all.filter(({ status }) => status === "WAITING");
  const now = clock.now();
  const overdue = waiting.filter(({ expiresAt }) => expiresAt <= now);
  if (overdue.length > 0)
    await db.transaction(async (tx) => {
      await lockProject(tx, organizationId, projectId);
      for (const approval of overdue) await timeOut(tx, approval);
    });
  const ends = waiting.filter(({ expiresAt }) => expiresAt > now).map(({ expiresAt }) => expiresAt.getTime());
  return ends.length === 0 ? "done" : { runAfterMs: Math.min(...ends) - now.getTime() };
}

async function recordUnprepared(
  tx: Transaction,
  { organizationId, id }: Deployment,
  status: "CANCELLED" | "SUPERSEDED" | "ERROR",
  error: DeploymentError,
): Promise<void> {
  const deployment = await deployments.lock(tx, organizationId, id);
  if (deployment === null || deployment.configReadAt !== null || hasEnded(deployment.status)) return;
  await recordDeployment(tx, deployment, { status, error });
}

/** What the git host says of the commit. A deployment does not depend on it. */
async function recordCommit(deps: DeploymentDeps, project: Project, deployment: Deployment): Promise<void> {
  const { db, git } = deps;
  // A rollback has what the deployment had that it goes back to.
  if (deployment.rollbackOf !== null || deployment.commitMessage !== null) return;
  try {
    const access = await openGitAccess(deps, project.organizationId, project.provider, project.host);
    const repository = parseRepositoryUrl(project.normalizedRepoUrl);
    const commit = await git.readCommit(access, repository, deployment.commitHash);
    if (commit === null) return;
    await deployments.recordCommit(db, deployment, commit);
    announceChange(db, deployment.id);
  } catch (error) {
    if (error instanceof GitError || error instanceof AppError) return;
    throw error;
  }
}

/** @throws GitError `HOST_UNAVAILABLE` while the host may still come back */
async function readConfiguration(
  deps: DeploymentDeps,
  project: Project,
  deployment: Deployment,
): Promise<ReadConfiguration | { readonly error: DeploymentError }> {
  const { db, parseConfiguration, clock } = deps;
  const { organizationId, id, branch, commitHash } = deployment;
  try {
    const kept = deployment.rollbackOf === null ? null : await deployments.findConfig(db, organizationId, id);
    if (kept !== null) return { rawConfig: kept, configuration: parseConfiguration(kept) };
    if (project.configType === "gui") {
      const rawConfig = await findProjectConfiguration(db, organizationId, project.id);
      return { rawConfig, configuration: parseConfiguration(rawConfig) };
    }
    const access = await openGitAccess(deps, organizationId, project.provider, project.host);
    return await readConfigurationFile(deps, access, parseRepositoryUrl(project.normalizedRepoUrl), {
      path: project.configFilePath ?? "",
      commit: commitHash,
      place: `at the commit ${shortHash(commitHash)} of the branch ${branch}`,
    });
  } catch (error) {
    const waitedMs = clock.now().getTime() - deployment.createdAt.getTime();
    if (error instanceof GitError && error.code === "HOST_UNAVAILABLE" && waitedMs < HOST_AWAY_MS) {
      const reason = `Waiting for the git host. ${error.message}`;
      if (deployment.statusReason !== reason)
        await db.transaction((tx) => recordDeployment(tx, deployment, { status: "PENDING", reason }));
      throw error;
    }
    if (error instanceof GitError) return { error: { code: error.code, message: error.message } };
    if (!(error instanceof AppError)) throw error;
    const { code, message, faults } = error;
    return { error: { code, message, ...(faults.length === 0 ? {} : { faults }) } };
  }
}

async function prepare(
  tx: Transaction,
  deps: Pick<DeploymentDeps, "jobs" | "clock">,
  { organizationId, id }: Deployment,
  { rawConfig, configuration }: ReadConfiguration,
): Promise<void> {
  const project = await lockProjectOf(tx, organizationId, id);
  const deployment = await deployments.lock(tx, organizationId, id);
  if (project === null || deployment === null || deployment.configReadAt !== null) return;
  if (hasEnded(deployment.status)) return;
  // If two deployments are prepared at the same time, the project's lock lets one see the other.
  if (await deployments.hasNewerRead(tx, deployment)) {
    return await recordDeployment(tx, deployment, { status: "SUPERSEDED", error: SUPERSEDED });
  }
  if (deployment.isPreview) return await preparePreview(tx, deps, deployment, { rawConfig, configuration });
  const present = await listProjectEnvironments(tx, organizationId, project.id);
  if (deployment.trigger !== "rollback")
    await applyTemplates(tx, deps.jobs, project, present, configuration, deployment);
  const before =
    deployment.rollbackOf === null ? [] : await runs.list(tx, organizationId, deployment.rollbackOf);
  const following = decideTargets(
    deployment,
    configuration,
    present,
    before.map(({ configId }) => configId),
  );
  const targets = limitTargets(deployment, following);
  if (targets.deployed.length + targets.removed.length === 0) {
    const { isForOneEnvironment, environmentId } = deployment;
    const isRemoved = isForOneEnvironment && !present.some((environment) => environment.id === environmentId);
    const error = isRemoved ? ENVIRONMENT_REMOVED : noEnvironment(deployment);
    return await recordDeployment(tx, deployment, { status: "ERROR", error });
  }
  await deployments.recordConfig(tx, deployment, rawConfig);
  const key = { organizationId, deploymentId: id };
  const planned: Planned[] = [];
  for (const { configId, environmentId } of targets.deployed) {
    const configured = configuration.environments.find((environment) => environment.id === configId);
    if (configured === undefined) throw new Error(`The configuration lost its environment ${configId}.`);
    const environment = present.find((one) => one.id === environmentId) ?? null;
    const at = environment ?? (await createEnvironment(tx, slipwayOf(organizationId), project, configured));
    const change = environment === null ? "CREATED" : "KEPT";
    const begin = environment === null ? "free" : await checkBegin(tx, deployment, environment, configured);
    planned.push({ run: { ...key, environmentId: at.id, configId, change }, begin, environment: at });
  }
  for (const environment of targets.removed) {
    const { id: environmentId, configId } = environment;
    const begin = await checkBegin(tx, deployment, environment, null);
    planned.push({ run: { ...key, environmentId, configId, change: "REMOVED" }, begin, environment });
  }
  await addRuns(tx, deps, deployment, planned);
}

/** A preview has one environment, which exists already. */
async function preparePreview(
  tx: Transaction,
  deps: Pick<DeploymentDeps, "jobs" | "clock">,
  deployment: Deployment,
  { rawConfig, configuration }: ReadConfiguration,
): Promise<void> {
  const { organizationId, id: deploymentId } = deployment;
  const environment = await findEnvironment(tx, organizationId, deployment.environmentId ?? "");
  if (environment === null || environment.templateId === null) {
    return await recordDeployment(tx, deployment, { status: "CANCELLED", error: ENVIRONMENT_REMOVED });
  }
  const template = await findEnvironment(tx, organizationId, environment.templateId);
  if (template === null || configuredOf(configuration, environment, template) === null) {
    return await recordDeployment(tx, deployment, { status: "ERROR", error: noEnvironment(deployment) });
  }
  await deployments.recordConfig(tx, deployment, rawConfig);
  const { id: environmentId, configId } = environment;
  const run = { organizationId, deploymentId, environmentId, configId, change: "KEPT" } as const;
  await addRuns(tx, deps, deployment, [{ run, begin: "free", environment }]);
}

/**
 * Brings the templates of a branch to what its commit says, if it may change them. They are not deployed. An environment
 * without services becomes a template again.
 */
async function applyTemplates(
  tx: Transaction,
  jobs: Jobs,
  project: Project,
  present: readonly Environment[],
  { environments }: Configuration,
  deployment: Deployment,
): Promise<void> {
  const { organizationId, id } = project;
  const { branch } = deployment;
  const actor = slipwayOf(organizationId);
  const written = environments.filter((one) => one.template !== null && one.branch === branch);
  for (const configured of written) {
    const { name, trigger: deployTrigger, report, template } = configured;
    const before = present.find(({ configId }) => configId === configured.id);
    if (before === undefined) await createEnvironment(tx, actor, project, configured);
    else if (
      before.branch === branch &&
      (await checkBegin(tx, deployment, before, configured)) === "free" &&
      (before.template !== null ||
        (await listEnvironmentServices(tx, organizationId, before.id)).length === 0)
    )
      await updateEnvironment(tx, actor, before, {
        name,
        branch,
        deployTrigger,
        report,
        template: template?.rules ?? null,
      });
  }
  if (written.length > 0) await jobs.enqueue(tx, "previews", { organizationId, id });
}

/** Locks the project before the deployment, as every transaction does, to prevent deadlocks. */
async function lockProjectOf(tx: Transaction, organizationId: string, id: string): Promise<Project | null> {
  const deployment = await deployments.find(tx, organizationId, id);
  return deployment === null ? null : await lockProject(tx, organizationId, deployment.projectId);
}
