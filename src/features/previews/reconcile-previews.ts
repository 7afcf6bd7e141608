/**
 * Brings the previews of a project to its open pull requests. They are listed again after each delivery and at an
 * interval, so a lost delivery only delays. Each preview is decided on in a transaction of its own, with the project
 * locked, from what is there then; `decide-preview.ts` decides.
 */
import { GitError } from "../../git/git.ts";
import type { PullRequest } from "../../git/pull-requests.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import type { Reconcile } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { lockProject } from "../projects/commands.ts";
import type { Environment, PreviewRules, Project } from "../projects/project.ts";
import { findEnvironment, findProject } from "../projects/queries.ts";
import { isEnvironmentOnPlatform } from "../releases/queries.ts";
import { changePreview, deployPreview, endOf, endPreview, insertPreview, removePreview } from "./commands.ts";
import { decidePreview, matchesBranches } from "./decide-preview.ts";
import {
  LIST_AGAIN_MS,
  LIST_EVERY_MS,
  listOpen,
  listTemplates,
  NONE_OPEN,
  type PreviewDeps,
} from "./list-pull-requests.ts";
import { keyOfPullRequest, type Preview } from "./preview.ts";
import { previews, pullRequestReads } from "./store.ts";

/** How soon we look again whether domains still keep a preview. */
const DOMAINS_MS = 60_000;

export function reconcilePreviews(deps: PreviewDeps): Reconcile {
  const { db } = deps;
  return async ({ organizationId, id: projectId }) => {
    const project = await findProject(db, organizationId, projectId);
    if (project === null || project.deletionRequestedAt !== null) return "done";
    const known = await previews.listOfProject(db, organizationId, projectId);
    const before = await listTemplates(db, project);
    if (before.length === 0 && known.length === 0) return "done";
    const listed = before.length === 0 ? NONE_OPEN : await listOpen(deps, project, before);
    const { open, read } = listed;
    const templates = await listTemplates(db, project);
    let isDecided = true;
    for (const template of templates)
      isDecided = (await decideTemplate(deps, project, template, open, known)) && isDecided;
    for (const { id, templateId } of known)
      if (!templates.some((one) => one.id === templateId))
        await decideOne(deps, project, { id, template: null, pullRequest: null, changedFiles: null });
    const removalMs = await endRemoved(deps, project);
    // Last, so that after a crash pull requests are decided on again.
    if (read !== null)
      await pullRequestReads.put(db, organizationId, projectId, isDecided ? read : { ...read, tag: null });
    return { runAfterMs: Math.min(removalMs, isDecided ? listed.againMs : LIST_AGAIN_MS) };
  };
}

/**
 * @param open null if nothing changed: then pull requests are as their previews know them
 * @returns false if some could not be decided on, and the list has to be read again
 */
async function decideTemplate(
  deps: PreviewDeps,
  project: Project,
  template: Environment,
  open: readonly PullRequest[] | null,
  known: readonly Preview[],
): Promise<boolean> {
  let isDecided = true;
  const mine = known.filter(({ templateId }) => templateId === template.id);
  const numbers = new Set(open?.map(({ number }) => number));
  for (const preview of mine) {
    const { id, pullRequest, state } = preview;
    const isListed = open !== null && pullRequest !== null;
    // The decision when it closed, or when a client deleted it, still holds.
    if (!isListed && state === "DELETING") continue;
    const known = pullRequest ?? asPullRequest(preview, template);
    if (!isListed) await decideOne(deps, project, { id, template, pullRequest: known, changedFiles: null });
    else if (!numbers.has(known.number)) {
      // The list may be older than the preview.
      if (state !== "DELETING" && deps.clock.now().getTime() - preview.updatedAt.getTime() < LIST_AGAIN_MS)
        isDecided = false;
      else await decideOne(deps, project, { id, template, pullRequest: null, changedFiles: null });
    }
  }
  for (const pullRequest of open ?? []) {
    const preview = mine.find(({ key }) => key === keyOfPullRequest(pullRequest.number)) ?? null;
    try {
      const changedFiles = await listFiles(deps, project, template, pullRequest, preview);
      await decideOne(deps, project, { id: preview?.id ?? null, template, pullRequest, changedFiles });
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      isDecided = false;
    }
  }
  return isDecided;
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

/**
 * Ends previews of which nothing is left. The removal of an environment enqueues this when it ends.
 * @returns when to look again at the others, in ms
 */
async function endRemoved(deps: PreviewDeps, { organizationId, id: projectId }: Project): Promise<number> {
  const { db } = deps;
  const actor = slipwayOf(organizationId);
  let againMs = LIST_EVERY_MS;
  for (const { id, state } of await previews.listOfProject(db, organizationId, projectId)) {
    if (state !== "DELETING") continue;
    const leftMs = await db.transaction(async (tx) => {
      const project = await lockProject(tx, organizationId, projectId);
      const preview = await previews.find(tx, organizationId, id);
      if (project === null || preview?.state !== "DELETING") return LIST_EVERY_MS;
      const { environmentId, reason, staysEnded } = preview;
      if (environmentId !== null) {
        // Its services had domains.
        if ((await findEnvironment(tx, organizationId, environmentId)) !== null)
          await removePreview(tx, deps, actor, preview, project, { reason, staysEnded });
        if (await isEnvironmentOnPlatform(tx, organizationId, environmentId)) return LIST_EVERY_MS;
        if ((await findEnvironment(tx, organizationId, environmentId)) !== null) return DOMAINS_MS;
      }
      await endPreview(tx, actor, preview);
      return LIST_EVERY_MS;
    });
    againMs = Math.min(againMs, leftMs);
  }
  return againMs;
}
