/** What users do with previews: approve a commit, delete one, and have one made for a key. */
import type { Transaction } from "../../db/database.ts";
import { requireBranch } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound } from "../../lib/errors.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { approving } from "../deployments/queue-runs.ts";
import { emit } from "../events/emit.ts";
import { type GitDeps, openGitAccess } from "../git-integrations/queries.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { lockActiveProject } from "../projects/commands.ts";
import type { Environment } from "../projects/project.ts";
import { findEnvironment, getProject, listProjectEnvironments } from "../projects/queries.ts";
import { PREVIEW_ERRORS } from "./errors.ts";
import { PREVIEW_EVENTS, previewData } from "./events.ts";
import type { Preview } from "./preview.ts";
import { getPreview } from "./queries.ts";
import { previews, pullRequestReads } from "./store.ts";
import { changePreview, endOf, eventOf, insertPreview, removePreview, type StepDeps } from "./take-step.ts";

/**
 * A member approves the commit of another repository, and only that commit.
 * @throws AppError `NOT_FOUND`, `PREVIEW_NOT_WAITING`, `PREVIEW_MOVED`, `ENVIRONMENT_PROTECTED`, `ROLE_TOO_LOW`
 */
export async function approvePreview(
  tx: Transaction,
  { jobs }: StepDeps,
  actor: Actor,
  id: string,
  commitHash: string,
): Promise<Preview> {
  const preview = await lockPreview(tx, actor, id);
  const { organizationId, projectId, templateId } = preview;
  const approvers = (await findEnvironment(tx, organizationId, templateId))?.approvers ?? null;
  if (approvers !== null) {
    const place = { projectId, environmentId: templateId };
    await requireMayChange(tx, actor, approving({ approvers, isBypass: false }), [place]);
  }
  if (preview.state !== "WAITING_FOR_APPROVAL")
    throw new AppError(
      PREVIEW_ERRORS.PREVIEW_NOT_WAITING,
      `The preview ${preview.key} waits for no approval: it is ${preview.state}.`,
    );
  if (preview.commitHash !== commitHash)
    throw new AppError(
      PREVIEW_ERRORS.PREVIEW_MOVED,
      `The pull request is at the commit ${preview.commitHash} now, not at ${shortHash(commitHash)}. Read that commit, and approve it.`,
    );
  const approved = await changePreview(tx, actor, preview, {
    approvedCommit: commitHash,
    approvedBy: actor.userId,
  });
  emit(tx, actor, {
    ...eventOf(approved),
    type: PREVIEW_EVENTS["preview.approved"],
    data: { ...previewData(approved), approvedBy: actor.userId },
  });
  recordAudit(tx, actor, "preview.approved", id, { after: { commitHash } });
  await jobs.enqueue(tx, "previews", { organizationId, id: projectId });
  return approved;
}

/** Deletes what it has. An open pull request gets a preview again with its next commit. @throws AppError `NOT_FOUND` */
export async function deletePreview(
  tx: Transaction,
  deps: StepDeps,
  actor: Actor,
  id: string,
): Promise<Preview> {
  const preview = await lockPreview(tx, actor, id);
  const { organizationId, projectId } = preview;
  const project = await getProject(tx, organizationId, projectId);
  const isOpen = preview.pullRequest !== null;
  if (preview.state !== "DELETING") {
    const reason = isOpen ? "A user deleted it. The next commit creates it again." : null;
    await removePreview(tx, deps, actor, preview, project, { reason, staysEnded: isOpen });
    recordAudit(tx, actor, "preview.deleted", id);
  }
  await deps.jobs.enqueue(tx, "previews", { organizationId, id: projectId });
  return await getPreview(tx, organizationId, id);
}

/** Has the git host shown that the previews of a project end, which is being deleted. */
export async function reportEndOfPreviews(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  for (const preview of await previews.listOfProject(tx, organizationId, projectId))
    enqueueWithoutAccount(tx, "git-report", preview);
}

async function lockPreview(tx: Transaction, actor: Actor, id: string): Promise<Preview> {
  const { organizationId } = actor;
  const { projectId, templateId } = await getPreview(tx, organizationId, id);
  await lockActiveProject(tx, organizationId, projectId);
  await requireMayChange(tx, actor, DEPLOY, [{ projectId, environmentId: templateId }]);
  return await getPreview(tx, organizationId, id);
}

export type PreviewRequest = {
  readonly key: string;
  readonly projectId: string;
  readonly environmentId?: string;
  readonly branch?: string;
  readonly commit?: string;
  readonly expiresAt?: string;
};

export type PreparedPreview = {
  readonly template: Environment;
  readonly branch: string;
  readonly commitHash: string;
};

/**
 * Finds the template, and the commit at the git host.
 * @throws AppError `NOT_FOUND`, `NO_PREVIEW_TEMPLATE`, `ENVIRONMENT_PROTECTED`, `INVALID_REQUEST`, `BRANCH_NOT_FOUND`,
 * `GIT_INTEGRATION_MISSING`; GitError
 */
export async function preparePreview(
  deps: GitDeps & { readonly clock: Clock },
  actor: Actor,
  { key, projectId, environmentId, branch, commit, expiresAt }: PreviewRequest,
): Promise<PreparedPreview> {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(key) || /^pr-\d+$/.test(key))
    throw invalidRequest([
      {
        path: "params/previewKey",
        code: COMMON_FAULTS.WRONG_FORM.code,
        message:
          "must have 1 to 40 lower-case letters, digits or -, such as change-4711; pr- and a number is for pull requests",
      },
    ]);
  const { db, git, clock } = deps;
  if (expiresAt !== undefined && new Date(expiresAt) <= clock.now())
    throw invalidRequest([
      { path: "/expiresAt", code: COMMON_FAULTS.TOO_SMALL.code, message: "must be in the future" },
    ]);
  const { organizationId } = actor;
  const project = await getProject(db, organizationId, projectId);
  const all = await listProjectEnvironments(db, organizationId, projectId);
  if (environmentId !== undefined && !all.some(({ id }) => id === environmentId))
    throw notFound("environmentId");
  const templates = all.filter((one) => one.template !== null && one.id === (environmentId ?? one.id));
  const [template, ...others] = templates;
  if (template === undefined || others.length > 0)
    throw new AppError(
      PREVIEW_ERRORS.NO_PREVIEW_TEMPLATE,
      template === undefined
        ? `The project ${project.name} has no ${environmentId === undefined ? "" : "such "}environment with source.pr.`
        : `Several environments of the project have source.pr: ${templates.map(({ id, name }) => `${id} (${name})`).join(", ")}. Name one in environmentId.`,
    );
  await requireMayChange(db, actor, DEPLOY, [{ projectId, environmentId: template.id }]);
  const access = await openGitAccess(deps, organizationId, project.provider, project.host);
  const repository = parseRepositoryUrl(project.normalizedRepoUrl);
  const branchName = branch ?? template.branch;
  if (commit === undefined) {
    const commitHash = requireBranch(await git.listBranches(access, repository), branchName);
    return { template, branch: branchName, commitHash };
  }
  if ((await git.readCommit(access, repository, commit)) === null)
    throw invalidRequest([
      {
        path: "/commit",
        code: COMMON_FAULTS.NOT_ALLOWED.code,
        message: "is not a commit of the repository; push it first",
      },
    ]);
  return { template, branch: branchName, commitHash: commit };
}

/** Creates the preview of a key, or brings it to another commit. @throws AppError `NOT_FOUND`, `PROJECT_DELETING` */
export async function putPreview(
  tx: Transaction,
  { jobs }: StepDeps,
  actor: Actor,
  { key, projectId, expiresAt: givenEnd }: PreviewRequest,
  { template, branch, commitHash }: PreparedPreview,
  now: Date,
): Promise<Preview> {
  const { organizationId } = actor;
  await lockActiveProject(tx, organizationId, projectId);
  await requireMayChange(tx, actor, DEPLOY, [{ projectId, environmentId: template.id }]);
  const expiresAt = givenEnd === undefined ? endOf(template, now) : new Date(givenEnd);
  const place = { organizationId, projectId, templateId: template.id, key };
  const before = await previews.findByKey(tx, place);
  const wanted = { branch, commitHash, expiresAt };
  await jobs.enqueue(tx, "previews", { organizationId, id: projectId });
  if (before?.state === "DELETING")
    throw new AppError(PREVIEW_ERRORS.PREVIEW_DELETING, `The preview ${key} is being deleted.`, {
      retryAfterSeconds: 5,
    });
  if (before !== null) {
    const isGone = before.state === "ENDED";
    return await changePreview(tx, actor, before, {
      ...wanted,
      ...(isGone ? { state: "WAITING_FOR_CAPACITY" as const, reason: null } : {}),
    });
  }
  const fresh = { ...place, ...wanted, pullRequest: null, isFork: false };
  return await insertPreview(tx, actor, { ...fresh, state: "WAITING_FOR_CAPACITY" });
}

/**
 * Has the pull requests of projects read again, after a delivery of their git host. A push matters where a template is
 * on its branch, because the file there may have changed though no pull request did.
 */
export async function readPreviewsAgain(
  tx: Transaction,
  jobs: Jobs,
  {
    organizationId,
    projectIds,
    push,
  }: {
    readonly organizationId: string;
    readonly projectIds: readonly string[];
    readonly push: { readonly branch: string; readonly commit: string } | null;
  },
): Promise<void> {
  for (const id of projectIds) {
    if (push !== null) {
      const all = await listProjectEnvironments(tx, organizationId, id);
      if (!all.some(({ branch }) => branch === push.branch)) continue;
      if (!(await pullRequestReads.forget(tx, organizationId, id, `before ${push.commit}`))) continue;
    }
    await jobs.enqueue(tx, "previews", { organizationId, id });
  }
}
