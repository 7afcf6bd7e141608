/** Reads of releases and their removals that other features may use. */
import type { Sql } from "../../db/database.ts";
import { getProject } from "../projects/queries.ts";
import type { StoreDeletion } from "./removal.ts";
import { environmentRemovals, releases, removals, serviceRemovals } from "./store.ts";

export const { findLiveUrls, listLive: listLiveReleases } = releases;
export const { hasOfProject: isProjectOnPlatform, list: listPlatformParts } = removals;

const STORES_MAX = 100;

/** The removed data stores of a project that are not deleted yet. @throws AppError `NOT_FOUND` */
export async function listStoreDeletions(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<readonly StoreDeletion[]> {
  await getProject(sql, organizationId, projectId);
  return await serviceRemovals.listStores(sql, organizationId, projectId, STORES_MAX);
}

/** The connection whose account a removed service was deployed to; null once nothing of it is left. */
export async function findAccountOfRemoval(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  return (await serviceRemovals.find(sql, organizationId, serviceId))?.awsAccountId ?? null;
}

/** The same for a removed environment. */
export async function findAccountOfEnvironmentRemoval(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<string | null> {
  return (await environmentRemovals.find(sql, organizationId, environmentId))?.awsAccountId ?? null;
}
