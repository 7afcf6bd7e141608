/** Reads of releases and their removals that other features may use. */
import type { Sql } from "../../db/database.ts";
import { environmentRemovals, releases, removals, serviceRemovals } from "./store.ts";

export const { findLiveUrls, listLive: listLiveReleases } = releases;
export const { hasOfProject: isProjectOnPlatform, list: listPlatformParts } = removals;

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
