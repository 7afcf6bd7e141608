/** What happens to previews. Each command runs while its project is locked. */
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { type Git, requireBranch } from "../../git/git.ts";
import { parseRepositoryUrl } from "../../git/repository-url.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, COMMON_FAULTS, invalidRequest, notFound } from "../../lib/errors.ts";
import { shortHash } from "../../lib/short-hash.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { createDeployment, stopPreviewDeployments } from "../deployments/commands.ts";
import { deleteEnvironment, removeServices } from "../environments/remove-services.ts";
import { emit } from "../events/emit.ts";
import { openGitAccess } from "../git-integrations/queries.ts";
import { DEPLOY, requireMayChange } from "../project-access/may-change.ts";
import { insertEnvironment, lockActiveProject, updateEnvironment } from "../projects/commands.ts";
import type { Environment, Project } from "../projects/project.ts";
import {
  findEnvironment,
  getProject,
  listEnvironmentServices,
  listProjectEnvironments,
} from "../projects/queries.ts";
import { PREVIEW_ERRORS } from "./errors.ts";
import { PREVIEW_EVENTS, previewData } from "./events.ts";
import type { Preview } from "./preview.ts";
import { getPreview } from "./queries.ts";
import { type NewPreview, previews } from "./store.ts";

export type JobDeps = { readonly jobs: Jobs };

export async function insertPreview(tx: Transaction, actor: Actor, preview: NewPreview): Promise<Preview> {
  const inserted = await previews.insert(tx, preview);
  enqueueWithoutAccount(tx, "git-report", inserted);
  emitOf(tx, actor, inserted, "preview.created");
  if (inserted.state === "WAITING_FOR_APPROVAL") emitOf(tx, actor, inserted, "preview.approval_requested");
  return inserted;
}

export async function changePreview(
  tx: Transaction,
  actor: Actor,
  before: Preview,
  changed: Partial<Preview>,
): Promise<Preview> {
  const now = await previews.update(tx, before, changed);
  if (now === null) throw notFound();
  announceChange(tx, now.id);
  enqueueWithoutAccount(tx, "git-report", now);
  const hasMoved = now.state !== before.state || now.commitHash !== before.commitHash;
  if (hasMoved && now.state === "WAITING_FOR_APPROVAL") emitOf(tx, actor, now, "preview.approval_requested");
  return now;
}

/** Makes the environment if there is none, and deploys the preview's commit there instead of what is under way. */
export async function deployPreview(
  tx: Transaction,
  { jobs }: JobDeps,
  actor: Actor,
  before: Preview,
  template: Environment,
): Promise<Preview> {
  const { organizationId, projectId, branch, commitHash, isFork } = before;
  const existing =
    before.environmentId === null ? null : await findEnvironment(tx, organizationId, before.environmentId);
  const environment = existing ?? (await createPreviewEnvironment(tx, actor, before, template));
  if (existing !== null) {
    const { name, deployTrigger, report } = existing;
    await updateEnvironment(tx, actor, existing, { name, branch, deployTrigger, report, template: null });
    await stopPreviewDeployments(tx, jobs, actor, existing.id);
  }
  await createDeployment(
    tx,
    jobs,
    actor,
    {
      projectId,
      environmentId: environment.id,
      isForOneEnvironment: true,
      isPreview: true,
      branch,
      commitHash,
    },
    { trigger: "push", rollbackOf: null },
  );
  return await changePreview(tx, actor, before, {
    environmentId: environment.id,
    state: "ACTIVE",
    reason: null,
    staysEnded: false,
    deployedCommit: commitHash,
    isFork,
  });
}

async function createPreviewEnvironment(
  tx: Transaction,
  actor: Actor,
  { organizationId, projectId, key, branch, isFork, pullRequest }: Preview,
  { id: templateId, configId, name, region, report }: Environment,
): Promise<Environment> {
  const label = pullRequest === null ? key : `#${pullRequest.number}`;
  return await insertEnvironment(tx, actor, {
    organizationId,
    projectId,
    // No id of a configuration has a dot, so the configuration cannot have this one too.
    configId: `${configId}.${key}`,
    name: `${name} ${label}`,
    region,
    branch,
    deployTrigger: "manual",
    report,
    template: null,
    templateId,
    isFork,
    pullRequest: pullRequest?.number ?? null,
  });
}

/**
 * Begins to remove what a preview has in the cloud. If one of its services has domains, it says so instead, and the
 * reconciler tries again.
 */
export async function removePreview(
  tx: Transaction,
  { jobs }: JobDeps,
  actor: Actor,
  before: Preview,
  project: Project,
  { reason, staysEnded }: { readonly reason: string | null; readonly staysEnded: boolean },
): Promise<void> {
  const { organizationId, environmentId } = before;
  const environment =
    environmentId === null ? null : await findEnvironment(tx, organizationId, environmentId);
  let problem: string | null = null;
  if (environment !== null) {
    await stopPreviewDeployments(tx, jobs, actor, environment.id);
    const services = await listEnvironmentServices(tx, organizationId, environment.id);
    const attached = await removeServices(tx, jobs, actor, { project, environment }, services);
    if (attached.length === 0) await deleteEnvironment(tx, jobs, actor, project, environment);
    else
      problem = `It has domains: ${attached.flatMap(({ domains }) => domains).join(", ") || "an empty group"}. Delete their groups, then the preview is deleted.`;
  }
  await changePreview(tx, actor, before, { state: "DELETING", reason: problem ?? reason, staysEnded });
}

/** Nothing of it is left in the cloud. */
export async function endPreview(tx: Transaction, actor: Actor, preview: Preview): Promise<void> {
  if (preview.staysEnded) {
    const ended = { state: "ENDED", environmentId: null, deployedCommit: null } as const;
    await changePreview(tx, actor, preview, { ...ended, approvedCommit: null, approvedBy: null });
    return;
  }
  if (!(await previews.delete(tx, preview))) return;
  announceChange(tx, preview.id);
  enqueueWithoutAccount(tx, "git-report", preview);
  emitOf(tx, actor, preview, "preview.deleted");
}

/**
 * A member approves the commit of another repository, and only that commit.
 * @throws AppError `NOT_FOUND`, `PREVIEW_NOT_WAITING`, `PREVIEW_MOVED`, `ENVIRONMENT_PROTECTED`
 */
export async function approvePreview(
  tx: Transaction,
  { jobs }: JobDeps,
  actor: Actor,
  id: string,
  commitHash: string,
): Promise<Preview> {
  const preview = await lockPreview(tx, actor, id);
  const { organizationId, projectId } = preview;
  if (preview.state !== "WAITING_FOR_APPROVAL")
    throw new AppError(
      PREVIEW_ERRORS.PREVIEW_NOT_WAITING,
      `The preview ${preview.key} waits for no approval: it is ${preview.state}.`,
    );
  if (preview.commitHash !== commitHash)
    throw new AppError(
      PREVIEW_ERRORS.PREVIEW_MOVED,
      `The pull request is at the commit ${preview.commitHash} now, not at ${shortHash(commitHash)}. Look at that commit, and approve it.`,
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
  deps: JobDeps,
  actor: Actor,
  id: string,
): Promise<Preview> {
  const preview = await lockPreview(tx, actor, id);
  const { organizationId, projectId } = preview;
  const project = await getProject(tx, organizationId, projectId);
  const isOpen = preview.pullRequest !== null;
  if (preview.state !== "DELETING") {
    const reason = isOpen ? "A user deleted it. The next commit makes it again." : null;
    await removePreview(tx, deps, actor, preview, project, { reason, staysEnded: isOpen });
    recordAudit(tx, actor, "preview.deleted", id);
  }
  await deps.jobs.enqueue(tx, "previews", { organizationId, id: projectId });
  return await getPreview(tx, organizationId, id);
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
  deps: { readonly db: Database; readonly git: Git; readonly atRest: AtRestSealing },
  actor: Actor,
  { key, projectId, environmentId, branch, commit }: PreviewRequest,
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
  const { db, git } = deps;
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
  { jobs }: JobDeps,
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

/** When a preview ends that gets a commit now. */
export function endOf({ template }: Environment, now: Date): Date {
  const days = template?.lifetimeDays ?? 1;
  return new Date(now.getTime() + days * 86_400_000);
}

function eventOf({ id, projectId, environmentId }: Preview) {
  return { subjectId: id, projectId, environmentId };
}

function emitOf(
  tx: Transaction,
  actor: Actor,
  preview: Preview,
  name: "preview.created" | "preview.approval_requested" | "preview.deleted",
): void {
  emit(tx, actor, { ...eventOf(preview), type: PREVIEW_EVENTS[name], data: previewData(preview) });
}
