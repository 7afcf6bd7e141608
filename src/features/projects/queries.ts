/** Reads of projects, environments and services that other features may use. */
import type { Sql } from "../../db/database.ts";
import { firstRows, type Page } from "../../db/page.ts";
import type { Visible } from "../../lib/access.ts";
import { notFound } from "../../lib/errors.ts";
import type { GitProvider } from "../../git/git.ts";
import { ENVIRONMENTS_PER_PROJECT_MAX, SERVICES_PER_ENVIRONMENT_MAX } from "./limits.ts";
import type { Environment, Project, ProjectDetails, Service } from "./project.ts";
import { environments, projects, services } from "./store.ts";

/** @param field of the body that names it, if one does @throws AppError `NOT_FOUND` */
export async function getProject(
  sql: Sql,
  organizationId: string,
  projectId: string,
  field?: string,
): Promise<Project> {
  const project = await projects.find(sql, organizationId, projectId);
  if (project === null) throw notFound(field);
  return project;
}

/** With its configuration. @throws AppError `NOT_FOUND` */
export async function getProjectDetails(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<ProjectDetails> {
  const project = await projects.findDetails(sql, organizationId, projectId);
  if (project === null) throw notFound();
  return project;
}

/** Whether all of these are projects of the organization. */
export async function hasProjects(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<boolean> {
  return (await projects.countOf(sql, organizationId, ids)) === new Set(ids).size;
}

/** Null if the project was deleted. */
export async function findProject(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<Project | null> {
  return await projects.find(sql, organizationId, projectId);
}

/** @param field of the body that names it, if one does @throws AppError `NOT_FOUND` */
export async function getEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
  field?: string,
): Promise<Environment> {
  const environment = await environments.find(sql, organizationId, environmentId);
  if (environment === null) throw notFound(field);
  return environment;
}

/** @throws AppError `NOT_FOUND` */
export async function getService(sql: Sql, organizationId: string, serviceId: string): Promise<Service> {
  const service = await services.find(sql, organizationId, serviceId);
  if (service === null) throw notFound();
  return service;
}

/** All services of an environment, ordered by id; none for an environment that does not exist. */
export async function listEnvironmentServices(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<readonly Service[]> {
  return await services.list(sql, organizationId, environmentId, firstRows(SERVICES_PER_ENVIRONMENT_MAX));
}

/** One page of them. */
export async function listServices(
  sql: Sql,
  organizationId: string,
  environmentId: string,
  page: Page,
): Promise<readonly Service[]> {
  return await services.list(sql, organizationId, environmentId, page);
}

/** One page of those of a project, of all its environments. */
export async function listProjectServices(
  sql: Sql,
  organizationId: string,
  projectId: string,
  page: Page,
): Promise<readonly Service[]> {
  return await services.listOfProject(sql, organizationId, projectId, page);
}

/** One page of an organization's projects, and one more. */
export async function listProjects(
  sql: Sql,
  organizationId: string,
  page: Page,
  visible: Visible,
): Promise<readonly ProjectDetails[]> {
  return await projects.list(sql, organizationId, page, visible);
}

/** All environments of a project, ordered by id; none for a project that does not exist. */
export async function listProjectEnvironments(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<readonly Environment[]> {
  return await environments.list(sql, organizationId, projectId, firstRows(ENVIRONMENTS_PER_PROJECT_MAX));
}

/** The organization's projects of one repository, at most `limit`. */
export async function listProjectsOfRepository(
  sql: Sql,
  organizationId: string,
  normalizedRepoUrl: string,
  limit: number,
): Promise<readonly Project[]> {
  return await projects.listOfRepository(sql, organizationId, normalizedRepoUrl, limit);
}

/** The organization's projects whose repository is at this provider and host, at most `limit`. */
export async function listProjectsOfProvider(
  sql: Sql,
  organizationId: string,
  provider: GitProvider,
  host: string | null,
  limit: number,
): Promise<readonly Project[]> {
  return await projects.listOfProvider(sql, organizationId, provider, host, limit);
}

/** Null for an environment that was removed. */
export async function findEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<Environment | null> {
  return await environments.find(sql, organizationId, environmentId);
}

/** The connection whose account an environment is deployed to; null if the environment was removed. */
export async function findAccountOfEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<string | null> {
  const environment = await environments.find(sql, organizationId, environmentId);
  if (environment === null) return null;
  return (await projects.find(sql, organizationId, environment.projectId))?.awsAccountId ?? null;
}

/** The configuration that a project was created with, as it was written; null for a deleted project. */
export async function findProjectConfiguration(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<unknown> {
  return await projects.findConfiguration(sql, organizationId, projectId);
}
