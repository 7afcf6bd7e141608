import type { Transaction } from "../../db/database.ts";
import { announceChange } from "../../db/changes.ts";
import type { Actor, Role } from "../../lib/actor.ts";
import { COMMON_FAULTS, invalidRequest, notFound, orNotFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { getUser } from "../users/queries.ts";
import { lockActiveProject, protectEnvironment, setProjectAccess } from "../projects/commands.ts";
import { PROJECT_EVENTS } from "../projects/events.ts";
import type { Environment, Project, ProjectAccess, ProjectDetails, Protection } from "../projects/project.ts";
import { getEnvironment } from "../projects/queries.ts";
import type { ProjectMember } from "./project-member.ts";
import { members } from "./store.ts";

/** @throws AppError `NOT_FOUND` for the project or the user, `PROJECT_DELETING` */
export async function setMember(
  tx: Transaction,
  actor: Actor,
  { projectId, userId }: { readonly projectId: string; readonly userId: string },
  role: Role,
): Promise<ProjectMember> {
  const { organizationId } = actor;
  const project = await lockActiveProject(tx, organizationId, projectId);
  await getUser(tx, organizationId, userId);
  const key = { organizationId, projectId, userId };
  const before = await members.find(tx, key);
  const member = await members.set(tx, key, role);
  if (member === undefined) throw notFound();
  if (before?.role !== role) emitMember(tx, actor, project, userId, before?.role ?? null, role);
  return member;
}

/** @throws AppError `NOT_FOUND` */
export async function removeMember(
  tx: Transaction,
  actor: Actor,
  { projectId, userId }: { readonly projectId: string; readonly userId: string },
): Promise<void> {
  const { organizationId } = actor;
  const project = await lockActiveProject(tx, organizationId, projectId);
  const removed = orNotFound(await members.remove(tx, { organizationId, projectId, userId }));
  emitMember(tx, actor, project, userId, removed.role, null);
}

function emitMember(
  tx: Transaction,
  actor: Actor,
  { id, name }: Project,
  userId: string,
  before: Role | null,
  role: Role | null,
): void {
  announceChange(tx, id);
  recordAudit(tx, actor, "project.member-changed", id, changeOf({ [userId]: before }, { [userId]: role }));
  const type = PROJECT_EVENTS["project.member_changed"];
  emit(tx, actor, { type, subjectId: id, projectId: id, data: { name, userId, role } });
}

/** @throws AppError `NOT_FOUND`, `PROJECT_DELETING` */
export async function changeAccess(
  tx: Transaction,
  actor: Actor,
  projectId: string,
  access: ProjectAccess,
): Promise<ProjectDetails> {
  const project = await lockActiveProject(tx, actor.organizationId, projectId);
  const changed = await setProjectAccess(tx, actor, project, access);
  const details = changeOf({ access: project.access }, { access: changed.access });
  recordAudit(tx, actor, "project.access-changed", projectId, details);
  return changed;
}

/**
 * Fields that are left out stay unchanged. Deployments that wait for an approval continue to wait for it.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `INVALID_REQUEST` for a preview
 */
export async function changeProtection(
  tx: Transaction,
  actor: Actor,
  environmentId: string,
  change: Partial<Protection>,
): Promise<Environment> {
  const { organizationId } = actor;
  const { projectId } = await getEnvironment(tx, organizationId, environmentId);
  await lockActiveProject(tx, organizationId, projectId);
  const before = await getEnvironment(tx, organizationId, environmentId);
  if (before.templateId !== null)
    throw invalidRequest([
      {
        path: "/protection",
        code: COMMON_FAULTS.NOT_ALLOWED.code,
        message: `cannot be set for a preview; protect the environment that it is made from, ${before.templateId}`,
      },
    ]);
  const { deployers, approvers, approvalHours } = { ...before, ...change };
  const changed = await protectEnvironment(tx, actor, before, { deployers, approvers, approvalHours });
  const details = changeOf(shownInAudit(before), shownInAudit(changed));
  recordAudit(tx, actor, "environment.protection-changed", environmentId, details);
  return changed;
}

function shownInAudit({ deployers, approvers, approvalHours }: Protection): Record<string, string | null> {
  return { deployers, approvers, approvalHours: approvalHours?.toString() ?? null };
}
