import type { Sql, Transaction } from "../db/database.ts";
import { notFound } from "../errors.ts";
import type { GitProvider } from "../git/git.ts";
import { ENVIRONMENTS_PER_PROJECT_MAX, SERVICES_PER_ENVIRONMENT_MAX } from "./limits.ts";
import type { Environment, Project, Service } from "./project.ts";
import { environments, projects, services } from "./store.ts";

/** @throws AppError `NOT_FOUND` */
export async function getProject(sql: Sql, organizationId: string, projectId: string): Promise<Project> {
  const project = await projects.find(sql, organizationId, projectId);
  if (project === null) throw notFound();
  return project;
}

/** @throws AppError `NOT_FOUND` */
export async function getEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<Environment> {
  const environment = await environments.find(sql, organizationId, environmentId);
  if (environment === null) throw notFound();
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
  return await services.list(sql, organizationId, environmentId, {
    limit: SERVICES_PER_ENVIRONMENT_MAX,
    after: null,
  });
}

/** All environments of a project, ordered by id; none for a project that does not exist. */
export async function listProjectEnvironments(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<readonly Environment[]> {
  return await environments.list(sql, organizationId, projectId, {
    limit: ENVIRONMENTS_PER_PROJECT_MAX,
    after: null,
  });
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

/** Holds a project until the transaction ends; null when it was deleted. */
export async function lockProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<Project | null> {
  return await projects.lock(tx, organizationId, projectId);
}

/** Null for an environment that was removed. */
export async function findEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<Environment | null> {
  return await environments.find(sql, organizationId, environmentId);
}

/** The connection whose account an environment is deployed to; null for one that was removed. */
export async function findAccountOfEnvironment(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<string | null> {
  const environment = await environments.find(sql, organizationId, environmentId);
  if (environment === null) return null;
  return (await projects.find(sql, organizationId, environment.projectId))?.awsAccountId ?? null;
}

/** The configuration that a project was created with, as it was written; null for a project that is gone. */
export async function findProjectConfiguration(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<unknown> {
  return await projects.findConfiguration(sql, organizationId, projectId);
}
