/** What happens to previews, for requests and for pull requests. Each step runs while its project is locked. */
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { orNotFound } from "../../lib/errors.ts";
import { createDeployment, stopPreviewDeployments } from "../deployments/commands.ts";
import { type KeptService, deleteEnvironment, removeServices } from "../environments/remove-services.ts";
import { emit } from "../events/emit.ts";
import { insertEnvironment, updateEnvironment } from "../projects/commands.ts";
import type { Environment, Project } from "../projects/project.ts";
import { findEnvironment, listEnvironmentConfigIds, listEnvironmentServices } from "../projects/queries.ts";
import { PREVIEW_EVENTS, previewData } from "./events.ts";
import type { Preview } from "./preview.ts";
import type { CleanupProblem, PreviewRemoval } from "./preview-removal.ts";
import { previewRemovals } from "./removal-store.ts";
import { type NewPreview, previews } from "./store.ts";

export type StepDeps = { readonly jobs: Jobs };

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
  const now = orNotFound(await previews.update(tx, before, changed));
  announceChange(tx, now.id);
  enqueueWithoutAccount(tx, "git-report", now);
  const hasMoved = now.state !== before.state || now.commitHash !== before.commitHash;
  if (hasMoved && now.state === "WAITING_FOR_APPROVAL") emitOf(tx, actor, now, "preview.approval_requested");
  return now;
}

/** Makes the environment if there is none, and deploys the preview's commit there instead of what is under way. */
export async function deployPreview(
  tx: Transaction,
  { jobs }: StepDeps,
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
    // The new release wakes it.
    state: before.state === "SLEEPING" ? "SLEEPING" : "ACTIVE",
    reason: null,
    staysEnded: false,
    problem: null,
    deployedCommit: commitHash,
    isFork,
  });
}

async function createPreviewEnvironment(
  tx: Transaction,
  actor: Actor,
  preview: Preview,
  { id: templateId, configId, name, region, report }: Environment,
): Promise<Environment> {
  const { organizationId, projectId, key, branch, isFork, pullRequest } = preview;
  const label = pullRequest === null ? key : `#${pullRequest.number}`;
  return await insertEnvironment(tx, actor, {
    organizationId,
    projectId,
    configId: await chooseConfigId(tx, preview, configId),
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
 * `<template>.<key>`. No id of a configuration has a dot, so the configuration cannot have this one too. A preview of a
 * former template with the same id may have it, until its domains are deleted: then a number follows.
 */
async function chooseConfigId(
  tx: Transaction,
  { organizationId, projectId, key }: Preview,
  templateConfigId: string,
): Promise<string> {
  const wanted = `${templateConfigId}.${key}`;
  const taken = await listEnvironmentConfigIds(tx, organizationId, projectId, wanted);
  let chosen = wanted;
  for (let number = 2; taken.includes(chosen); number += 1) chosen = `${wanted}-${number}`;
  return chosen;
}

/**
 * Begins to remove what a preview has in the cloud. If one of its services has domains, it says so instead, and
 * `reconcile-preview-removal.ts` tries again.
 */
export async function removePreview(
  tx: Transaction,
  { jobs }: StepDeps,
  actor: Actor,
  before: Preview,
  project: Project,
  { reason, staysEnded }: { readonly reason: string | null; readonly staysEnded: boolean },
): Promise<void> {
  const { organizationId, environmentId } = before;
  const environment =
    environmentId === null ? null : await findEnvironment(tx, organizationId, environmentId);
  let problem: CleanupProblem | null = null;
  if (environment !== null) {
    await stopPreviewDeployments(tx, jobs, actor, environment.id);
    const services = await listEnvironmentServices(tx, organizationId, environment.id);
    const attached = await removeServices(
      tx,
      jobs,
      actor,
      { project, environment, isRemoved: true },
      services,
    );
    if (attached.length === 0) {
      const { id: previewId, projectId, key } = before;
      const place = { organizationId, projectId, previewId, key, awsAccountId: project.awsAccountId };
      await previewRemovals.insert(tx, { ...place, environmentId: environment.id });
      await deleteEnvironment(tx, jobs, actor, project, environment);
    } else problem = keptBy(attached);
    await jobs.enqueue(tx, "preview-removal", { organizationId, id: environment.id });
  }
  if (problem !== null && before.problem?.code !== problem.code)
    emitCleanupFailed(tx, actor, { ...before, previewId: before.id }, problem);
  await changePreview(tx, actor, before, { state: "DELETING", reason, staysEnded, problem });
}

function keptBy(attached: readonly KeptService[]): CleanupProblem {
  const names = attached.flatMap(({ domains }) => domains ?? []).join(", ") || "an empty group";
  return {
    code: "HAS_DOMAINS",
    message: `It has domains: ${names}. Delete their groups, then the preview is deleted.`,
    waitsFor: "developer",
  };
}

/** Records whether the processes of a preview's environment are stopped. */
export async function recordSleep(
  tx: Transaction,
  actor: Actor,
  before: Preview,
  sleepingSince: Date | null,
): Promise<void> {
  const state = sleepingSince === null ? "ACTIVE" : "SLEEPING";
  if (state === before.state || (before.state !== "ACTIVE" && before.state !== "SLEEPING")) return;
  const preview = await changePreview(tx, actor, before, { state, sleepingSince });
  emitOf(tx, actor, preview, sleepingSince === null ? "preview.woke" : "preview.slept");
}

/** Nothing of it is left in the cloud. */
export async function endPreview(tx: Transaction, actor: Actor, preview: Preview): Promise<void> {
  if (preview.staysEnded) {
    const ended = { state: "ENDED", environmentId: null, deployedCommit: null, problem: null } as const;
    const kept = await changePreview(tx, actor, preview, {
      ...ended,
      approvedCommit: null,
      approvedBy: null,
    });
    return emitOf(tx, actor, kept, "preview.ended");
  }
  if (!(await previews.delete(tx, preview))) return;
  announceChange(tx, preview.id);
  enqueueWithoutAccount(tx, "git-report", preview);
  emitOf(tx, actor, preview, "preview.deleted");
}

/** When a preview ends that gets a commit now. */
export function endOf({ template }: Environment, now: Date): Date {
  const days = template?.lifetimeDays ?? 1;
  return new Date(now.getTime() + days * 86_400_000);
}

/** What an event of a preview is about. */
export function eventOf({ id, projectId, environmentId }: Preview) {
  return { subjectId: id, projectId, environmentId };
}

type FailedCleanup = Pick<PreviewRemoval, "previewId" | "projectId" | "key"> & {
  readonly environmentId: string | null;
};

/** It is retried nevertheless. */
export function emitCleanupFailed(
  tx: Transaction,
  actor: Actor,
  { previewId, projectId, environmentId, key }: FailedCleanup,
  problem: CleanupProblem,
): void {
  emit(tx, actor, {
    type: PREVIEW_EVENTS["preview.cleanup_failed"],
    subjectId: previewId,
    projectId,
    environmentId,
    data: { key, ...problem },
  });
}

function emitOf(
  tx: Transaction,
  actor: Actor,
  preview: Preview,
  name:
    | "preview.created"
    | "preview.approval_requested"
    | "preview.slept"
    | "preview.woke"
    | "preview.ended"
    | "preview.deleted",
): void {
  emit(tx, actor, { ...eventOf(preview), type: PREVIEW_EVENTS[name], data: previewData(preview) });
}
