/**
 * Brings the previews of a project to its open pull requests. They are listed again after each delivery and at an
 * interval, so a lost delivery only delays. Each preview is decided on in a transaction of its own, with the project
 * locked, from what is there then; `decide-preview.ts` decides.
 */
import type { Database } from "../../db/database.ts";
import { type Git, type GitAccess, GitError, type Repository } from "../../git/git.ts";
import type { PullRequest } from "../../git/pull-requests.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { Jobs, Reconcile } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import type { ParseConfiguration } from "../configuration/configuration.ts";
import { readConfigurationFile } from "../configuration/read-configuration-file.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { lockProject, updateEnvironment } from "../projects/commands.ts";
import type { Environment, PreviewRules, Project } from "../projects/project.ts";
import { findEnvironment, findProject, listProjectEnvironments } from "../projects/queries.ts";
import { isEnvironmentOnPlatform } from "../releases/queries.ts";
import { changePreview, deployPreview, endOf, endPreview, insertPreview, removePreview } from "./commands.ts";
import { decidePreview, matchesBranches } from "./decide-preview.ts";
import { keyOfPullRequest, type Preview } from "./preview.ts";
import { type PullRequestRead, previews, pullRequestReads } from "./store.ts";

/** How often pull requests are listed if no delivery comes. */
const LIST_EVERY_MS = 5 * 60_000;
/** How often they are listed without a tag, which does not show every change (`Git.listPullRequests`). */
const LIST_ALL_EVERY_MS = 60 * 60_000;
/** How soon we look again whether a preview is removed. */
const REMOVAL_MS = 2_000;

export type PreviewDeps = {
  readonly db: Database;
  readonly git: Git;
  readonly atRest: AtRestSealing;
  readonly parseConfiguration: ParseConfiguration;
  readonly clock: Clock;
  readonly jobs: Jobs;
};

export function reconcilePreviews(deps: PreviewDeps): Reconcile {
  const { db } = deps;
  return async ({ organizationId, id: projectId }) => {
    const project = await findProject(db, organizationId, projectId);
    if (project === null || project.deletionRequestedAt !== null) return "done";
    const known = await previews.listOfProject(db, organizationId, projectId);
    const before = await listTemplates(db, project);
    if (before.length === 0 && known.length === 0) return "done";
    const { open, read } = before.length === 0 ? NONE_OPEN : await listOpen(deps, project, before);
    const templates = await listTemplates(db, project);
    for (const template of templates) await decideTemplate(deps, project, template, open, known);
    for (const { id, templateId } of known)
      if (!templates.some((one) => one.id === templateId))
        await decideOne(deps, project, { id, template: null, pullRequest: null, changedFiles: null });
    const isRemoving = await endRemoved(deps, project);
    // Last, so that after a crash pull requests are decided on again.
    if (read !== null) await pullRequestReads.put(db, organizationId, projectId, read);
    return { runAfterMs: isRemoving ? REMOVAL_MS : LIST_EVERY_MS };
  };
}

async function listTemplates(db: Database, { organizationId, id }: Project): Promise<readonly Environment[]> {
  const all = await listProjectEnvironments(db, organizationId, id);
  return all.filter(({ template }) => template !== null);
}

type Listed = {
  /** Null if nothing changed, or the host cannot be asked now. */
  readonly open: readonly PullRequest[] | null;
  /** To be kept once all are decided on; null if there is nothing to keep. */
  readonly read: PullRequestRead | null;
};
const NONE_OPEN: Listed = { open: [], read: null };

async function listOpen(
  deps: PreviewDeps,
  project: Project,
  templates: readonly Environment[],
): Promise<Listed> {
  const { db, git, clock } = deps;
  const { organizationId } = project;
  const read = await pullRequestReads.find(db, organizationId, project.id);
  const rules = JSON.stringify(templates.map(({ id, template }) => [id, template]));
  const now = clock.now();
  const ageMs = read.listedAt === null ? Infinity : now.getTime() - read.listedAt.getTime();
  const isKnown = read.rules === rules && ageMs < LIST_ALL_EVERY_MS;
  const none = { errorCode: null, errorMessage: null };
  try {
    const access = await openGitAccess(deps, organizationId, project.provider, project.host);
    const repository = parseRepositoryUrl(project.normalizedRepoUrl);
    const listed = await git.listPullRequests(access, repository, isKnown ? read.tag : null);
    if (listed === null) return { open: null, read: { ...read, ...none } };
    await readTemplates(deps, project, access, repository, templates);
    const { tag, pullRequests } = listed;
    return { open: pullRequests, read: { tag, rules, listedAt: now, ...none } };
  } catch (error) {
    if (!(error instanceof GitError || error instanceof AppError)) throw error;
    return { open: null, read: { ...read, errorCode: error.code, errorMessage: error.message } };
  }
}

/** The file of the base branch says what a template makes, and not the file of a pull request. */
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
      if (now === null) return;
      const { name, branch, deployTrigger } = now;
      const report = written?.report ?? now.report;
      const changed = { name, branch, deployTrigger, report, template: rules };
      await updateEnvironment(tx, slipwayOf(project.organizationId), now, changed);
    });
  }
}

/** @param open null if nothing changed: then pull requests are as their previews know them */
async function decideTemplate(
  deps: PreviewDeps,
  project: Project,
  template: Environment,
  open: readonly PullRequest[] | null,
  known: readonly Preview[],
): Promise<void> {
  const mine = known.filter(({ templateId }) => templateId === template.id);
  const numbers = new Set(open?.map(({ number }) => number));
  for (const preview of mine) {
    const { id, pullRequest, state } = preview;
    const isListed = open !== null && pullRequest !== null;
    // The decision when it closed, or when a client deleted it, still holds.
    if (!isListed && state === "DELETING") continue;
    const known = pullRequest ?? asPullRequest(preview, template);
    if (!isListed) await decideOne(deps, project, { id, template, pullRequest: known, changedFiles: null });
    else if (!numbers.has(known.number))
      await decideOne(deps, project, { id, template, pullRequest: null, changedFiles: null });
  }
  for (const pullRequest of open ?? []) {
    const preview = mine.find(({ key }) => key === keyOfPullRequest(pullRequest.number)) ?? null;
    const changedFiles = await listFiles(deps, project, template, pullRequest, preview);
    await decideOne(deps, project, { id: preview?.id ?? null, template, pullRequest, changedFiles });
  }
}

/** A client asked for exactly this preview. */
function withoutFilter(rules: PreviewRules | null): PreviewRules | null {
  return rules && { ...rules, labels: [], toBranches: ["**"], fromBranches: [], watchPaths: [] };
}

/** A client's preview is wanted until it ends. */
function asPullRequest({ branch, commitHash }: Preview, { branch: base }: Environment): PullRequest {
  return {
    number: 0,
    title: "",
    url: "",
    author: null,
    base,
    headRepository: null,
    isFork: false,
    head: {
      branch,
      commit: commitHash,
    },
    labels: [],
  };
}

/** Asks for the files only if they decide and the pull request has a commit that was not decided on. */
async function listFiles(
  deps: PreviewDeps,
  { organizationId, provider, host, normalizedRepoUrl }: Project,
  { template }: Environment,
  pullRequest: PullRequest,
  preview: Preview | null,
): Promise<readonly string[] | null> {
  if (template === null || template.watchPaths.length === 0) return null;
  if (!matchesBranches(template, pullRequest) || preview?.commitHash === pullRequest.head.commit) return null;
  const access = await openGitAccess(deps, organizationId, provider, host);
  return await deps.git.listChangedFiles(access, parseRepositoryUrl(normalizedRepoUrl), pullRequest.number);
}

type Decided = {
  /** Of the preview; null if there is none. */
  readonly id: string | null;
  readonly template: Environment | null;
  readonly pullRequest: PullRequest | null;
  readonly changedFiles: readonly string[] | null;
};

/** Takes one step of a preview, from what is there when the project is locked. */
async function decideOne(
  deps: PreviewDeps,
  { organizationId, id: projectId }: Project,
  { id, template, pullRequest, changedFiles }: Decided,
): Promise<void> {
  const { db, clock } = deps;
  const actor = slipwayOf(organizationId);
  await db.transaction(async (tx) => {
    const project = await lockProject(tx, organizationId, projectId);
    if (project === null || project.deletionRequestedAt !== null) return;
    const all = await previews.listOfProject(tx, organizationId, projectId);
    const preview = all.find((one) => one.id === id) ?? null;
    // A request deleted it meanwhile.
    if (id !== null && preview === null) return;
    const others = all.filter(
      (one) =>
        one.templateId === template?.id &&
        one.id !== id &&
        one.environmentId !== null &&
        one.state !== "DELETING",
    ).length;
    const now = clock.now();
    const isOfClient = preview !== null && preview.pullRequest === null;
    const rules = isOfClient ? withoutFilter(template?.template ?? null) : (template?.template ?? null);
    const step = decidePreview({ rules, pullRequest, changedFiles, preview, others, now });
    if (step.kind === "none") return;
    if (step.kind === "remove") {
      const staysEnded = step.staysEnded && !isOfClient;
      if (preview !== null) await removePreview(tx, deps, actor, preview, project, { ...step, staysEnded });
      return;
    }
    if (template === null || pullRequest === null) return;
    const { head, isFork } = pullRequest;
    const wanted = { branch: head.branch, commitHash: head.commit, isFork, expiresAt: endOf(template, now) };
    const state = step.kind === "wait" ? step.for : "WAITING_FOR_CAPACITY";
    const current =
      preview === null
        ? await insertPreview(tx, actor, {
            organizationId,
            projectId,
            templateId: template.id,
            key: keyOfPullRequest(pullRequest.number),
            ...wanted,
            pullRequest,
            state,
          })
        : isOfClient
          ? preview
          : await changePreview(tx, actor, preview, {
              ...wanted,
              pullRequest,
              reason: null,
              ...(step.kind === "wait" ? { state } : {}),
            });
    if (step.kind === "deploy") await deployPreview(tx, deps, actor, current, template);
  });
}

/** Ends previews of which nothing is left. @returns whether there are others that are being removed */
async function endRemoved(deps: PreviewDeps, { organizationId, id: projectId }: Project): Promise<boolean> {
  const { db } = deps;
  const actor = slipwayOf(organizationId);
  let isRemoving = false;
  for (const { id, state } of await previews.listOfProject(db, organizationId, projectId)) {
    if (state !== "DELETING") continue;
    const isLeft = await db.transaction(async (tx) => {
      const project = await lockProject(tx, organizationId, projectId);
      const preview = await previews.find(tx, organizationId, id);
      if (project === null || preview?.state !== "DELETING") return false;
      const { environmentId, reason, staysEnded } = preview;
      if (environmentId !== null) {
        // Its services had domains.
        if ((await findEnvironment(tx, organizationId, environmentId)) !== null)
          await removePreview(tx, deps, actor, preview, project, { reason, staysEnded });
        if (await isEnvironmentOnPlatform(tx, organizationId, environmentId)) return true;
        if ((await findEnvironment(tx, organizationId, environmentId)) !== null) return true;
      }
      await endPreview(tx, actor, preview);
      return false;
    });
    isRemoving ||= isLeft;
  }
  return isRemoving;
}
