/**
 * Changes of the rows of projects, environments and services. What goes with a change in the cloud, and who may ask for
 * it, is for the features above.
 */
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { PROJECT_ERRORS } from "./errors.ts";
import { newId } from "../../lib/ids.ts";
import type { Environment, Project, ProjectDetails, Service } from "./project.ts";
import { environments, projects, services } from "./store.ts";

/** Of each member of a union by itself. */
type New<T> = T extends unknown ? Omit<T, "id" | "deletionRequestedAt" | "createdAt" | "updatedAt"> : never;

/**
 * @param config as it was written; null with `iac`
 * @throws DatabaseError of `projects_aws_account_fk` or `projects_git_integration_fk`, where one of them is gone
 */
export async function insertProject(
  tx: Transaction,
  project: New<Project>,
  config: unknown,
): Promise<ProjectDetails> {
  return await projects.insert(tx, { ...project, id: newId("proj") }, config);
}

/** @param config null to keep the one that is there @throws AppError `NOT_FOUND` */
export async function updateProject(
  tx: Transaction,
  project: Project,
  config: unknown,
): Promise<ProjectDetails> {
  const changed = await projects.update(tx, project, config);
  if (changed === null) throw notFound();
  announceChange(tx, project.id);
  return changed;
}

/** From now on it is `DELETING`. */
export async function markProjectDeleting(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<ProjectDetails> {
  const project = await projects.requestDeletion(tx, organizationId, id);
  announceChange(tx, id);
  return project;
}

/** The last of a project, whose environments are gone already. */
export async function deleteProjectRow(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await projects.delete(tx, organizationId, id);
  announceChange(tx, id);
}

/** Holds a project until the transaction ends; null when it was deleted. */
export async function lockProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<Project | null> {
  return await projects.lock(tx, organizationId, projectId);
}

/** Has what is new in an environment wait until the transaction ends. */
export async function lockEnvironment(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await environments.lock(tx, organizationId, id);
}

/** Has what is new of a service wait until the transaction ends. */
export async function lockService(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await services.lock(tx, organizationId, id);
}

/** How soon a client may look again whether a project that is being deleted is gone. */
const DELETING_RETRY_SECONDS = 5;

/** A project that is being deleted is not changed, and nothing is built on it. @throws AppError `PROJECT_DELETING` */
export function requireActive({ id, name, deletionRequestedAt }: Project): void {
  if (deletionRequestedAt === null) return;
  throw new AppError(
    PROJECT_ERRORS.PROJECT_DELETING,
    `The project ${name} (${id}) is being deleted and cannot be changed. Wait until GET /v1/projects/${id} answers 404, and create a new one.`,
    { retryAfterSeconds: DELETING_RETRY_SECONDS },
  );
}

/** Holds a project that is to be changed until the transaction ends. @throws AppError `NOT_FOUND`, `PROJECT_DELETING` */
export async function lockActiveProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<Project> {
  const project = await projects.lock(tx, organizationId, projectId);
  if (project === null) throw notFound();
  requireActive(project);
  return project;
}

/** An environment without services. */
export async function insertEnvironment(
  tx: Transaction,
  environment: New<Environment>,
): Promise<Environment> {
  return await environments.insert(tx, { ...environment, id: newId("env") });
}

/** What can change of an environment in place. */
export async function updateEnvironment(
  tx: Transaction,
  { organizationId, id }: Environment,
  changed: Pick<Environment, "name" | "branch" | "deployTrigger">,
): Promise<void> {
  await environments.update(tx, organizationId, id, changed);
  announceChange(tx, id);
}

/** One whose services are gone already. */
export async function deleteEnvironmentRow(
  tx: Transaction,
  { organizationId, id }: Environment,
): Promise<void> {
  await environments.delete(tx, organizationId, id);
  announceChange(tx, id);
}

/** With their services. @throws DatabaseError of a foreign key, while one of the services has a domain certificate group */
export async function deleteEnvironmentsOfProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await environments.deleteOfProject(tx, organizationId, projectId);
}

/** Without a distribution and without variables. */
export async function insertService(tx: Transaction, service: New<Service>): Promise<Service> {
  return await services.insert(tx, { ...service, id: newId("svc") });
}

/** What can change of a service in place. */
export async function updateService(
  tx: Transaction,
  { organizationId, id }: Service,
  changed: Pick<Service, "name" | "settings">,
): Promise<void> {
  await services.update(tx, organizationId, id, changed);
  announceChange(tx, id);
}

/** @throws DatabaseError of a foreign key, while one of them has a domain certificate group */
export async function deleteServiceRows(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await services.deleteAll(tx, organizationId, ids);
  for (const id of ids) announceChange(tx, id);
}
