/** What the git host says of a project's pull requests, and of the templates in its base branches. */
import type { Database } from "../../db/database.ts";
import { type GitAccess, GitError, type Repository } from "../../git/git.ts";
import type { PullRequest, PullRequestList } from "../../git/pull-requests.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import { AppError } from "../../lib/errors.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { readConfigurationFile, type RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { lockProject, updateEnvironment } from "../projects/commands.ts";
import { type Environment, isProtected, type Project } from "../projects/project.ts";
import {
  findEnvironment,
  listConfiguredParts,
  listEnvironmentServices,
  listProjectEnvironments,
} from "../projects/queries.ts";
import { NO_READ, type PullRequestRead } from "./preview.ts";

/** How often pull requests are listed if no delivery comes. */
export const LIST_EVERY_MS = 5 * 60_000;
/** How often they are listed without a tag, which does not show every change (`Git.listPullRequests`). */
const LIST_ALL_EVERY_MS = 60 * 60_000;
/** Hosts may answer with a list that is seconds old, so a changed list is read again. */
export const LIST_AGAIN_MS = 10_000;
/** How soon a host is asked again that failed and does not say when. */
const HOST_AWAY_MS = 30_000;
/** A host that asks for less is asked after this time. */
const HOST_AWAY_MIN_MS = 2_000;
/** How many faults of a configuration file an error names. */
const FAULTS_MAX = 5;

export type PreviewDeps = RepositoryDeps & WorkDeps;

export async function listTemplates(
  db: Database,
  { organizationId, id }: Project,
): Promise<readonly Environment[]> {
  const all = await listProjectEnvironments(db, organizationId, id);
  return all.filter(({ template }) => template !== null);
}

/**
 * The environments whose branches' files are read: templates, and environments that may become templates again. A
 * template that left its file is such an environment, until a deployment removes it.
 */
export async function listRead(
  db: Database,
  { organizationId, id, configType }: Project,
  kept: PullRequestRead,
): Promise<readonly Environment[]> {
  const parts = await listConfiguredParts(db, organizationId, id);
  const hadTemplate = kept.listedAt !== null;
  return parts.flatMap(({ environment, services }) =>
    environment.template !== null || (hadTemplate && configType === "iac" && services.length === 0)
      ? [environment]
      : [],
  );
}

export type Listed = {
  /** Null if nothing changed, or the host cannot be asked now. */
  readonly open: readonly PullRequest[] | null;
  /** To be kept once all are decided on. */
  readonly read: PullRequestRead;
  readonly againMs: number;
};
/** Of a project without templates. */
export const NONE_OPEN: Listed = { open: [], read: NO_READ, againMs: LIST_EVERY_MS };

/** Lists the open pull requests, and brings the templates to their base branches. @param kept the read before */
export async function listOpen(
  deps: PreviewDeps,
  project: Project,
  templates: readonly Environment[],
  kept: PullRequestRead,
): Promise<Listed> {
  const { git, clock } = deps;
  const { organizationId } = project;
  const rules = JSON.stringify(templates.map(({ id, template }) => [id, template]));
  const now = clock.now();
  const ageMs = kept.listedAt === null ? Infinity : now.getTime() - kept.listedAt.getTime();
  const isKnown = kept.rules === rules && ageMs < LIST_ALL_EVERY_MS;
  let listed: PullRequestList | null = null;
  try {
    const access = await openGitAccess(deps, organizationId, project.provider, project.host);
    const repository = parseRepositoryUrl(project.normalizedRepoUrl);
    listed = await git.listPullRequests(access, repository, isKnown ? kept.tag : null);
    if (listed === null) return { open: null, read: { ...kept, error: null }, againMs: LIST_EVERY_MS };
    const { tag, pullRequests } = listed;
    await readTemplates(deps, project, access, repository, templates);
    const done = { tag, rules, listedAt: now, error: null };
    return { open: pullRequests, read: done, againMs: LIST_AGAIN_MS };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const failed = { ...kept, tag: null, error: describe(error) };
    // If only the base branch's file cannot be read, the templates stay as they are.
    return { open: listed?.pullRequests ?? null, read: failed, againMs: againAfter(error) };
  }
}

/** Why pull requests cannot be read: the git host, the git integration, or the file on a base branch. */
export type Refusal = GitError | AppError;

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof GitError || error instanceof AppError;
}

/** The texts that users read, while Slipway tries again. */
export function describe(error: Refusal): NonNullable<PullRequestRead["error"]> {
  const { code, message, faults, declaration } = error instanceof GitError ? error.toAppError() : error;
  if (error.code === "HOST_UNAVAILABLE")
    return {
      code,
      message,
      action: "If it is only temporarily unavailable, do nothing: Slipway asks again.",
    };
  const places = faults.slice(0, FAULTS_MAX).map((fault) => `${fault.path} ${fault.message}`);
  return {
    code,
    message,
    action: places.length === 0 ? declaration.remedy : `Correct ${places.join("; ")}.`,
  };
}

/** How soon to ask again, in ms. */
export function againAfter(error: Refusal): number {
  if (error.retryAfterSeconds !== null)
    return Math.min(Math.max(error.retryAfterSeconds * 1_000, HOST_AWAY_MIN_MS), LIST_ALL_EVERY_MS);
  return error.code === "HOST_UNAVAILABLE" ? HOST_AWAY_MS : LIST_EVERY_MS;
}

/**
 * The file of the base branch says what a template makes, and not the file of a pull request. A protected template
 * changes only with a deployment of someone who may.
 */
async function readTemplates(
  deps: PreviewDeps,
  project: Project,
  access: GitAccess,
  repository: Repository,
  templates: readonly Environment[],
): Promise<void> {
  const { db, git } = deps;
  if (project.configType === "gui") return;
  const branches = await git.listBranches(access, repository);
  for (const template of templates) {
    const head = branches.find(({ name }) => name === template.branch);
    // Without its branch, the last known rules stay.
    if (head === undefined) continue;
    const path = project.configFilePath ?? "";
    const at = { path, commit: head.commit, place: `on the branch ${template.branch}` };
    const { configuration } = await readConfigurationFile(deps, access, repository, at);
    const written = configuration.environments.find(({ id }) => id === template.configId);
    const rules = written?.template?.rules ?? null;
    await db.transaction(async (tx) => {
      await lockProject(tx, project.organizationId, project.id);
      const now = await findEnvironment(tx, project.organizationId, template.id);
      if (now === null || isProtected(now)) return;
      if (now.template === null) {
        const services = await listEnvironmentServices(tx, project.organizationId, now.id);
        if (rules === null || written?.branch !== now.branch || services.length > 0) return;
      }
      const { name, branch, deployTrigger } = now;
      const report = written?.report ?? now.report;
      const changed = { name, branch, deployTrigger, report, template: rules };
      await updateEnvironment(tx, slipwayOf(project.organizationId), now, changed);
    });
  }
}
