/**
 * Brings the previews of a project to its open pull requests. They are listed again after each delivery and at an
 * interval, so a lost delivery only delays. Each preview is decided on in a transaction of its own, with the project
 * locked, from what is there then; `decide-preview.ts` decides.
 */
import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { PullRequest } from "../../git/pull-requests.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { RANK, type Reconcile } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { lockProject } from "../projects/commands.ts";
import type { Environment, PreviewRules, Project } from "../projects/project.ts";
import { findEnvironment, findProject, listTemplatesWithGateway } from "../projects/queries.ts";
import { decidePreview, matchesBranches, type PreviewStep } from "./decide-preview.ts";
import {
  againAfter,
  describe,
  isRefusal,
  LIST_AGAIN_MS,
  listOpen,
  listRead,
  listTemplates,
  NONE_OPEN,
  type PreviewDeps,
  type Refusal,
} from "./list-pull-requests.ts";
import { keyOfPullRequest, type Preview, type PullRequestRead } from "./preview.ts";
import { type AccessDeps, announceAccess } from "./preview-access.ts";
import { previews, pullRequestReads } from "./store.ts";
import {
  changePreview,
  deployPreview,
  endOf,
  endPreview,
  insertPreview,
  removePreview,
} from "./take-step.ts";

export function reconcilePreviews(deps: PreviewDeps & AccessDeps): Reconcile {
  const { db } = deps;
  return async ({ organizationId, id: projectId }) => {
    const project = await findProject(db, organizationId, projectId);
    if (project === null || project.deletionRequestedAt !== null) return "done";
    const known = await previews.listOfProject(db, organizationId, projectId);
    const kept = await pullRequestReads.find(db, organizationId, projectId);
    const before = await listRead(db, project, kept);
    if (before.length === 0 && known.length === 0) {
      await keepRead(deps, project, NONE_OPEN.read, kept);
      await enqueueDomains(deps, project);
      return "done";
    }
    const listed = before.length === 0 ? NONE_OPEN : await listOpen(deps, project, before, kept);
    const { open, read } = listed;
    const isListed = open !== null && before.length > 0;
    const begun = isListed ? await beginDecisions(deps, project, kept) : kept;
    // A process that stood still meanwhile has an old list, and has lost its claim.
    if (begun === null) return { runAfterMs: LIST_AGAIN_MS };
    const templates = await listTemplates(db, project);
    for (const template of templates) await announceAccess(deps, template);
    const undecided: Undecided[] = [];
    for (const template of templates)
      undecided.push(...(await decideTemplate(deps, project, template, open, known, begun)));
    for (const { id, templateId } of known)
      if (!templates.some((one) => one.id === templateId))
        await decideOne(deps, project, { id, template: null, pullRequest: null, changedFiles: null });
    await endUnmade(deps, project);
    await enqueueDomains(deps, project);
    await enqueueSleep(deps, project, templates);
    const refusal = undecided.find((one) => one !== "too-early");
    // Last, so that after a crash pull requests are decided on again.
    const error = refusal === undefined ? read.error : describe(refusal);
    await keepRead(deps, project, { ...read, tag: undecided.length === 0 ? read.tag : null, error }, begun);
    const undecidedMs = refusal === undefined ? LIST_AGAIN_MS : againAfter(refusal);
    return { runAfterMs: undecided.length === 0 ? listed.againMs : undecidedMs };
  };
}

async function enqueueDomains(
  { db }: PreviewDeps,
  { organizationId, id: projectId }: Project,
): Promise<void> {
  const ids = await listTemplatesWithGateway(db, organizationId, projectId);
  if (ids.length === 0) return;
  await db.transaction((tx) => {
    for (const id of ids) enqueueWithoutAccount(tx, "preview-domain", { organizationId, id });
    return Promise.resolve();
  });
}

async function enqueueSleep(
  { db, jobs }: PreviewDeps,
  { organizationId, id, awsAccountId }: Project,
  templates: readonly Environment[],
): Promise<void> {
  const sleeps = ({ template }: Environment) => (template?.sleepAfterMinutes ?? null) !== null;
  if (!templates.some(sleeps)) return;
  await db.transaction((tx) =>
    jobs.enqueue(tx, "preview-sleep", { organizationId, id, awsAccountId }, RANK.routine),
  );
}

/**
 * Has the next read list all pull requests: after a crash amid the decisions, the host may say again what it said before
 * them, so that a pull request that was opened and closed meanwhile would not be noticed.
 * @returns what is kept then; null if another process has listed them since
 */
async function beginDecisions(
  deps: PreviewDeps,
  project: Project,
  kept: PullRequestRead,
): Promise<PullRequestRead | null> {
  const begun = { ...kept, tag: null, listedAt: deps.clock.now() };
  return (await keepRead(deps, project, begun, kept)) ? begun : null;
}

/** @param replaced the read that is kept now @returns false if another one was kept since */
async function keepRead(
  { db }: PreviewDeps,
  { organizationId, id }: Project,
  read: PullRequestRead,
  replaced: PullRequestRead,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const before = await pullRequestReads.find(tx, organizationId, id);
    if (isDeepStrictEqual(before, read)) return true;
    const isKept = await pullRequestReads.put(tx, organizationId, id, read, replaced);
    if (isKept && !isDeepStrictEqual(before.error, read.error)) announceChange(tx, id);
    return isKept;
  });
}

/** Why a pull request could not be decided on yet, so that the list has to be read again. */
type Undecided = Refusal | "too-early";

/**
 * @param open null if nothing changed: then pull requests are as their previews know them
 * @param begun what is kept while they are decided on
 */
async function decideTemplate(
  deps: PreviewDeps,
  project: Project,
  template: Environment,
  open: readonly PullRequest[] | null,
  known: readonly Preview[],
  begun: PullRequestRead,
): Promise<readonly Undecided[]> {
  const undecided: Undecided[] = [];
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
        undecided.push("too-early");
      else await decideOne(deps, project, { id, template, pullRequest: null, changedFiles: null, begun });
    }
  }
  for (const pullRequest of open ?? []) {
    const preview = mine.find(({ key }) => key === keyOfPullRequest(pullRequest.number)) ?? null;
    const changedFiles = await listFiles(deps, project, template, pullRequest, preview).catch(asRefusal);
    if (isRefusal(changedFiles)) undecided.push(changedFiles);
    else {
      const decided = { id: preview?.id ?? null, template, pullRequest, changedFiles, begun };
      if ((await decideOne(deps, project, decided)) === "replace") undecided.push("too-early");
    }
  }
  return undecided;
}

function asRefusal(error: unknown): Refusal {
  if (isRefusal(error)) return error;
  throw error;
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
  /** The kept read while it is decided on; left out if it does not follow from a list. */
  readonly begun?: PullRequestRead;
};

/**
 * Takes one step of a preview, from what is there when the project is locked.
 * @returns the step; null if it was deleted, or another process has listed the pull requests since
 */
async function decideOne(
  deps: PreviewDeps,
  { organizationId, id: projectId }: Project,
  { id, template, pullRequest, changedFiles, begun }: Decided,
): Promise<PreviewStep["kind"] | null> {
  const { db, clock } = deps;
  const actor = slipwayOf(organizationId);
  return await db.transaction(async (tx) => {
    const project = await lockProject(tx, organizationId, projectId);
    if (project === null || project.deletionRequestedAt !== null) return null;
    const all = await previews.listOfProject(tx, organizationId, projectId);
    const preview = all.find((one) => one.id === id) ?? null;
    // A request deleted it meanwhile.
    if (id !== null && preview === null) return null;
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
    if (step.kind === "none") return step.kind;
    if (begun !== undefined) {
      const { listedAt } = await pullRequestReads.find(tx, organizationId, projectId);
      if (listedAt?.getTime() !== begun.listedAt?.getTime()) return null;
    }
    if (step.kind === "remove" || step.kind === "replace") {
      const staysEnded = step.staysEnded && !isOfClient;
      if (preview !== null) await removePreview(tx, deps, actor, preview, project, { ...step, staysEnded });
      return step.kind;
    }
    if (template === null || pullRequest === null) return null;
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
              ...(step.kind === "wait" ? { state, ...(await withoutRemoved(tx, preview)) } : {}),
            });
    if (step.kind === "deploy") await deployPreview(tx, deps, actor, current, template);
    return step.kind;
  });
}

/** For a preview that waits again while its environment is removed: it has none then. */
async function withoutRemoved(tx: Transaction, preview: Preview): Promise<Partial<Preview>> {
  const { organizationId, state, environmentId } = preview;
  if (state !== "DELETING") return {};
  const kept = environmentId === null ? null : await findEnvironment(tx, organizationId, environmentId);
  const removed = kept === null ? { environmentId: null, deployedCommit: null } : {};
  return { ...removed, staysEnded: false, problem: null };
}

/** Ends previews that never had an environment; `reconcile-preview-removal.ts` ends the others. */
async function endUnmade({ db }: PreviewDeps, { organizationId, id: projectId }: Project): Promise<void> {
  const isUnmade = (preview: Preview | null) =>
    preview?.state === "DELETING" && preview.environmentId === null;
  for (const { id } of (await previews.listOfProject(db, organizationId, projectId)).filter(isUnmade))
    await db.transaction(async (tx) => {
      await lockProject(tx, organizationId, projectId);
      const preview = await previews.find(tx, organizationId, id);
      if (preview !== null && isUnmade(preview)) await endPreview(tx, slipwayOf(organizationId), preview);
    });
}
