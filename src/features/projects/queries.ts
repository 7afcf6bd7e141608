/** Reads of projects, environments and services that other features may use. */
import type { Origin } from "../../cloud/cloud.ts";
import type { Sql } from "../../db/database.ts";
import { firstRows } from "../../db/page.ts";
import { notFound, orNotFound } from "../../lib/errors.ts";
import { ENVIRONMENTS_PER_PROJECT_MAX, PREVIEWS_MAX, SERVICES_PER_ENVIRONMENT_MAX } from "./limits.ts";
import type { Environment, Project, ProjectDetails, Service } from "./project.ts";
import { environments, projects, services } from "./store.ts";

/** A template has an environment for each preview, and one for their domain. */
const PARTS_MAX = ENVIRONMENTS_PER_PROJECT_MAX * (2 + PREVIEWS_MAX);

/** Null if the project was deleted. */
export const findProject = projects.find;

/** The configuration that a project was created with, as it was written; null for a deleted project. */
export const findProjectConfiguration = projects.findConfiguration;

/** One page of an organization's projects, and one more. */
export const listProjects = projects.list;

/** The organization's projects of one repository, at most `limit`. */
export const listProjectsOfRepository = projects.listOfRepository;

/** The organization's projects whose repository is at this provider and host, at most `limit`. */
export const listProjectsOfProvider = projects.listOfProvider;

/** Null for a service that was deleted. */
export const findService = services.find;

/** Null for an environment that was removed. */
export const findEnvironment = environments.find;

/** The ids that environments of a project have in its configuration or as previews, of those with a beginning. */
export const listEnvironmentConfigIds = environments.listConfigIds;

/** The service that has the domain of a template's previews; null if there is none. */
export const findPreviewGateway = services.findGateway;

/** Ids of the templates of a project whose previews have a domain, or a former domain that is not removed yet. */
export const listTemplatesWithGateway = services.listGatewayTemplates;

/** The services of a template's previews, ordered by id. */
export const listServicesOfPreviews = services.listOfTemplate;

/** One page of the services of an environment. */
export const listServices = services.list;

/** One page of the services of an organization, of the projects that are visible to the caller. */
export const listAllServices = services.listAll;

/** One page of the services of a project, of all its environments. */
export const listProjectServices = services.listOfProject;

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
  return orNotFound(await projects.findDetails(sql, organizationId, projectId));
}

/** Whether all of these are projects of the organization. */
export async function hasProjects(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<boolean> {
  return (await projects.countOf(sql, organizationId, ids)) === new Set(ids).size;
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
  return orNotFound(await services.find(sql, organizationId, serviceId));
}

/** The environments of a project's configuration, ordered by id, without previews; none for an unknown project. */
export async function listProjectEnvironments(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<readonly Environment[]> {
  return await environments.listConfigured(sql, organizationId, projectId, ENVIRONMENTS_PER_PROJECT_MAX);
}

/** All services of an environment, ordered by id; none for an environment that does not exist. */
export async function listEnvironmentServices(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<readonly Service[]> {
  return await services.list(sql, organizationId, environmentId, firstRows(SERVICES_PER_ENVIRONMENT_MAX));
}

/** All environments of a project, previews too, with their services. */
export async function listProjectParts(sql: Sql, organizationId: string, projectId: string) {
  const all = await environments.list(sql, organizationId, projectId, firstRows(PARTS_MAX));
  return await listPartsOf(sql, organizationId, all);
}

/** The environments of a project's configuration with their services, without previews. */
export async function listConfiguredParts(sql: Sql, organizationId: string, projectId: string) {
  return await listPartsOf(
    sql,
    organizationId,
    await listProjectEnvironments(sql, organizationId, projectId),
  );
}

async function listPartsOf(sql: Sql, organizationId: string, all: readonly Environment[]) {
  const parts: { readonly environment: Environment; readonly services: readonly Service[] }[] = [];
  for (const environment of all) {
    parts.push({
      environment,
      services: await listEnvironmentServices(sql, organizationId, environment.id),
    });
  }
  return parts;
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

/** Where a distribution of a service fetches what it serves: its live release, once there is one. */
export async function originOf(sql: Sql, project: Project, service: Service): Promise<Origin> {
  switch (service.type) {
    case "static": {
      const { branch } = await getEnvironment(sql, service.organizationId, service.environmentId);
      return {
        kind: "repository",
        repoUrl: project.normalizedRepoUrl,
        branch,
        directory: service.settings.outputDirectory,
        serviceId: service.id,
      };
    }
    case "external":
      return { kind: "host", hostname: service.settings.hostname };
    case "web":
    case "web-private":
    case "worker":
    case "postgres":
    case "mysql":
    case "redis":
    case "bucket":
    case "scheduler":
      return { kind: "none", serviceId: service.id };
    case "previews": {
      const { templateId } = await getEnvironment(sql, service.organizationId, service.environmentId);
      return { kind: "previews", environmentId: templateId ?? "" };
    }
  }
}
