/** Finds the services that a push leaves as they are. */
import type { Transaction } from "../../db/database.ts";
import { GitError } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { AppError } from "../../lib/errors.ts";
import type { ConfiguredEnvironment } from "../configuration/configuration.ts";
import type { RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { configuredOf } from "../environments/preview-configuration.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { type Environment, isStore, type Service } from "../projects/project.ts";
import { findEnvironment, getProject, listEnvironmentServices } from "../projects/queries.ts";
import type { TypedSettings } from "../projects/service-settings.ts";
import { hasNewerVariables } from "../variables/queries.ts";
import { isKept } from "./decide-kept.ts";
import type { Deployment, KeptService } from "./deployment.ts";
import { deployedServices } from "./run-store.ts";
import { deployments } from "./store.ts";
import { workloadOf } from "./workload.ts";

/**
 * The files that a push changes since each commit that runs; commits of which the git host does not say it are left out.
 * Null for other deployments, which keep no service.
 */
export type ChangedFiles = ReadonlyMap<string, readonly string[]> | null;

/**
 * Asks the git host what a push changes, if the commit's configuration makes it matter. No deployment fails or waits for
 * it: what is not known is built.
 */
export async function findChangedFiles(
  deps: RepositoryDeps,
  { organizationId, id, projectId, commitHash, trigger }: Deployment,
  environment: Environment,
): Promise<ChangedFiles> {
  const { db, git, parseConfiguration } = deps;
  const changed = new Map<string, readonly string[]>();
  if (trigger !== "push") return null;
  const { templateId } = environment;
  const template = templateId === null ? null : await findEnvironment(db, organizationId, templateId);
  const configuration = parseConfiguration(await deployments.findConfig(db, organizationId, id));
  const configured = configuredOf(configuration, environment, template)?.configured;
  if (configured === undefined) return changed;
  const services = (await listEnvironmentServices(db, organizationId, environment.id)).filter(
    ({ configId }) => watchedBy(configured, configId).some((patterns) => patterns.length > 0),
  );
  const live = await deployedServices.listLiveCommits(
    db,
    organizationId,
    services.map((service) => service.id),
  );
  if (live.size === 0) return changed;
  try {
    const { provider, host, normalizedRepoUrl } = await getProject(db, organizationId, projectId);
    const access = await openGitAccess(deps, organizationId, provider, host);
    const repository = parseRepositoryUrl(normalizedRepoUrl);
    for (const commit of new Set(live.values())) {
      const files = await git.listChangesBetween(access, repository, commit, commitHash);
      if (files !== null) changed.set(commit, files);
    }
  } catch (error) {
    if (!(error instanceof GitError || error instanceof AppError)) throw error;
  }
  return changed;
}

/** Leaves out services that have to be built. @param services whose settings the configuration does not change */
export async function findKept(
  tx: Transaction,
  environment: Environment,
  configured: ConfiguredEnvironment,
  services: readonly Service[],
  changed: ChangedFiles,
): Promise<readonly KeptService[]> {
  const candidates = services.filter(
    (service) => changed !== null && (changed.size > 0 || "image" in service.settings),
  );
  if (candidates.length === 0) return [];
  const { organizationId, id: environmentId, templateId } = environment;
  const commits = await deployedServices.listLiveCommits(
    tx,
    organizationId,
    candidates.map(({ id }) => id),
  );
  const stores = (await listEnvironmentServices(tx, organizationId, environmentId)).filter(({ type }) =>
    isStore(type),
  );
  const kept: KeptService[] = [];
  for (const service of candidates) {
    const { id: serviceId, configId } = service;
    const commitHash = commits.get(serviceId);
    const live = await deployedServices.findLive(tx, organizationId, serviceId);
    const since = live?.buildStartedAt ?? live?.releaseStartedAt ?? null;
    if (live === null || commitHash === undefined || since === null) continue;
    const scopeIds = [...(templateId === null ? [] : [templateId]), environmentId, serviceId];
    const pushed = {
      live: live.workload,
      wanted: workloadOf(service),
      // Its variables may have values of a data store that has changed.
      isReconfigured:
        stores.some(({ updatedAt }) => updatedAt > since) ||
        (await hasNewerVariables(tx, organizationId, scopeIds, since)),
      changedFiles: changed?.get(commitHash) ?? null,
      watchPaths: watchedBy(configured, configId),
    };
    const { deploymentId } = live;
    if (isKept(pushed)) kept.push({ service: configId, serviceId, deploymentId, commitHash });
  }
  return kept;
}

/** The lists of patterns of the environment, and of the service. */
function watchedBy(
  { watchPaths, services }: ConfiguredEnvironment,
  configId: string,
): readonly (readonly string[])[] {
  const service = services.find(({ id }) => id === configId);
  return [watchPaths, service === undefined ? [] : pathsOf(service)];
}

function pathsOf(service: TypedSettings): readonly string[] {
  return "watchPaths" in service.settings ? (service.settings.watchPaths ?? []) : [];
}
