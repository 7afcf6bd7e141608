/**
 * Changes of the rows of projects, environments and services. The features above decide what a change
 * means in the cloud, and who may ask for it.
 */
import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { changedFields } from "../../lib/changed-fields.ts";
import { AppError, orNotFound } from "../../lib/errors.ts";
import { emit } from "../events/emit.ts";
import { eventOf } from "../events/event.ts";
import { PROJECT_ERRORS } from "./errors.ts";
import { environmentData, PROJECT_EVENTS, projectData, serviceData } from "./events.ts";
import {
  type Environment,
  type Project,
  type ProjectAccess,
  type ProjectDetails,
  type Protection,
  type Service,
  statusOf,
} from "./project.ts";
import {
  type ChangedEnvironment,
  type DeletedService,
  environments,
  type New,
  projects,
  services,
} from "./store.ts";

/**
 * @param config as it was written; null with `iac`
 * @throws DatabaseError of `projects_aws_account_fk` or `projects_git_integration_fk`, if one of them was deleted
 */
export async function insertProject(
  tx: Transaction,
  actor: Actor,
  project: New<Project>,
  config: unknown,
): Promise<ProjectDetails> {
  const inserted = await projects.insert(tx, project, config);
  const { id } = inserted;
  const type = PROJECT_EVENTS["project.created"];
  emit(tx, actor, { type, subjectId: id, projectId: id, data: projectData(inserted) });
  return inserted;
}

/**
 * @param fields what differs from before
 * @param config null to keep the stored one
 * @throws AppError `NOT_FOUND`
 */
export async function updateProject(
  tx: Transaction,
  actor: Actor,
  project: Project,
  fields: readonly string[],
  config: unknown,
): Promise<ProjectDetails> {
  const changed = orNotFound(await projects.update(tx, project, config));
  announceChange(tx, project.id);
  emitProjectChange(tx, actor, project, changed, fields);
  return changed;
}

/** Sets who sees a project besides admins. @param project held until the transaction ends */
export async function setProjectAccess(
  tx: Transaction,
  actor: Actor,
  project: Project,
  access: ProjectAccess,
): Promise<ProjectDetails> {
  const changed = await projects.setAccess(tx, project, access);
  announceChange(tx, project.id);
  if (access !== project.access) emitProjectChange(tx, actor, project, changed, ["access"]);
  return changed;
}

/** Marks a project as `DELETING`. @param project held until the transaction ends */
export async function markProjectDeleting(
  tx: Transaction,
  actor: Actor,
  project: Project,
): Promise<ProjectDetails> {
  const deleting = await projects.requestDeletion(tx, project.organizationId, project.id);
  announceChange(tx, project.id);
  emitProjectChange(tx, actor, project, deleting, ["status"]);
  return deleting;
}

function emitProjectChange(
  tx: Transaction,
  actor: Actor,
  before: Project,
  after: Project,
  fields: readonly string[],
): void {
  const { id } = after;
  const data = { ...projectData(after), previousStatus: statusOf(before), fields: [...fields] };
  emit(tx, actor, { type: PROJECT_EVENTS["project.changed"], subjectId: id, projectId: id, data });
}

/**
 * Deletes the row of a project whose environments are deleted already.
 * @param isAbandoned whether its cloud resources are left in the account
 */
export async function deleteProjectRow(
  tx: Transaction,
  actor: Actor,
  id: string,
  isAbandoned: boolean,
): Promise<void> {
  const deleted = await projects.delete(tx, actor.organizationId, id);
  if (deleted === null) return;
  announceChange(tx, id);
  const data = { ...projectData(deleted), isAbandoned };
  emit(tx, actor, { type: PROJECT_EVENTS["project.deleted"], subjectId: id, projectId: id, data });
}

/** Holds a project until the transaction ends; null when it was deleted. */
export const lockProject = projects.lock;

/** Makes everything new in an environment wait until the transaction ends. */
export const lockEnvironment = environments.lock;

/** Makes everything new of a service wait until the transaction ends. */
export const lockService = services.lock;

/** How soon a client may check again whether the deletion of a project has ended. */
const DELETING_RETRY_SECONDS = 5;

/** A project that is being deleted is not changed, and nothing is built on it. @throws AppError `PROJECT_DELETING` */
export function requireActive({ id, name, deletionRequestedAt }: Project): void {
  if (deletionRequestedAt === null) return;
  throw new AppError(
    PROJECT_ERRORS.PROJECT_DELETING,
    `The project ${name} (${id}) is being deleted and cannot be changed. Wait until it is deleted, then create a new one.`,
    { retryAfterSeconds: DELETING_RETRY_SECONDS },
  );
}

/** Holds a project that is to be changed until the transaction ends. @throws AppError `NOT_FOUND`, `PROJECT_DELETING` */
export async function lockActiveProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<Project> {
  const project = orNotFound(await projects.lock(tx, organizationId, projectId));
  requireActive(project);
  return project;
}

/** An environment without services. */
export async function insertEnvironment(
  tx: Transaction,
  actor: Actor,
  environment: New<Environment>,
): Promise<Environment> {
  const inserted = await environments.insert(tx, environment);
  const type = PROJECT_EVENTS["environment.created"];
  emit(tx, actor, { type, ...ofEnvironment(inserted), data: environmentData(inserted) });
  return inserted;
}

/** Changes an environment in place. @param before as it is, while its project is held */
export async function updateEnvironment(
  tx: Transaction,
  actor: Actor,
  before: Environment,
  changed: ChangedEnvironment,
): Promise<void> {
  const isChanged = await environments.update(tx, before.organizationId, before.id, changed);
  announceChange(tx, before.id);
  if (!isChanged) return;
  const now = environmentData({ ...before, ...changed });
  const data = { ...now, fields: [...changedFields(environmentData(before), now)] };
  emit(tx, actor, { type: PROJECT_EVENTS["environment.changed"], ...ofEnvironment(before), data });
}

/** @param before held until the transaction ends */
export async function protectEnvironment(
  tx: Transaction,
  actor: Actor,
  before: Environment,
  protection: Protection,
): Promise<Environment> {
  const changed = orNotFound(await environments.protect(tx, before, protection));
  announceChange(tx, before.id);
  if (isDeepStrictEqual(protectionOf(before), protectionOf(changed))) return changed;
  const data = { ...environmentData(changed), fields: ["protection"] };
  emit(tx, actor, { type: PROJECT_EVENTS["environment.changed"], ...ofEnvironment(changed), data });
  return changed;
}

/** Deletes an environment whose services are deleted already. */
export async function deleteEnvironmentRow(
  tx: Transaction,
  actor: Actor,
  environment: Environment,
): Promise<void> {
  const { organizationId, id } = environment;
  if (await environments.delete(tx, organizationId, id)) {
    const type = PROJECT_EVENTS["environment.deleted"];
    emit(tx, actor, { type, ...ofEnvironment(environment), data: environmentData(environment) });
  }
  announceChange(tx, id);
}

/**
 * Deletes the environments of a project with their services.
 * @throws DatabaseError of a foreign key, while one of the services has a domain certificate group
 */
export async function deleteEnvironmentsOfProject(
  tx: Transaction,
  actor: Actor,
  projectId: string,
): Promise<void> {
  const goneServices = await services.deleteOfProject(tx, actor.organizationId, projectId);
  const gone = await environments.deleteOfProject(tx, actor.organizationId, projectId);
  const type = PROJECT_EVENTS["environment.deleted"];
  emit(tx, actor, [
    ...goneServices.map(serviceDeleted),
    ...gone.map((one) => eventOf({ type, ...ofEnvironment(one), data: environmentData(one) })),
  ]);
}

function protectionOf({ deployers, approvers, approvalHours }: Protection): Protection {
  return { deployers, approvers, approvalHours };
}

function ofEnvironment({ id, projectId }: Environment) {
  return { subjectId: id, projectId, environmentId: id };
}

/** Without a distribution and without variables. */
export async function insertService(tx: Transaction, actor: Actor, service: New<Service>): Promise<Service> {
  const inserted = await services.insert(tx, service);
  const type = PROJECT_EVENTS["service.created"];
  emit(tx, actor, { type, ...ofService(inserted), data: serviceData(inserted) });
  return inserted;
}

/** Sets the address of a preview's service; null: the name of its own distribution. */
export async function setPreviewHost(
  tx: Transaction,
  { organizationId, id }: Service,
  host: string | null,
): Promise<void> {
  services.setPreviewHost(tx, organizationId, id, host);
  announceChange(tx, id);
}

/** Changes a service in place. @param before as it is, while its project is held */
export async function updateService(
  tx: Transaction,
  actor: Actor,
  before: Service,
  changed: Pick<Service, "name" | "settings">,
): Promise<void> {
  const isChanged = await services.update(tx, before.organizationId, before.id, changed);
  announceChange(tx, before.id);
  if (!isChanged) return;
  const { name, settings } = changed;
  const fields = changedFields({ ...before.settings, name: before.name }, { ...settings, name });
  const data = { ...serviceData({ ...before, name }), fields: [...fields] };
  emit(tx, actor, { type: PROJECT_EVENTS["service.changed"], ...ofService(before), data });
}

/** @throws DatabaseError of a foreign key, while one of them has a domain certificate group */
export async function deleteServiceRows(
  tx: Transaction,
  actor: Actor,
  ids: readonly string[],
): Promise<void> {
  const gone = await services.deleteAll(tx, actor.organizationId, ids);
  emit(tx, actor, gone.map(serviceDeleted));
  for (const id of ids) announceChange(tx, id);
}

function serviceDeleted(service: DeletedService) {
  const type = PROJECT_EVENTS["service.deleted"];
  return eventOf({ type, ...ofService(service), data: serviceData(service) });
}

function ofService({ id, projectId, environmentId }: DeletedService) {
  return { subjectId: id, projectId, environmentId, serviceId: id };
}
