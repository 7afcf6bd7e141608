import type { Sql } from "../../db/database.ts";
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import type { LiveRelease, PlatformPart } from "./removal.ts";
import { environmentRemovals, releases, removals, serviceRemovals } from "./store.ts";

/**
 * Addresses of the newest releases of some services, for other services of the environment. Services without an
 * address are left out.
 */
export async function findLiveUrls(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await releases.listLiveUrls(sql, organizationId, serviceIds);
  return new Map(rows.flatMap(({ serviceId, url }) => (url === null ? [] : [[serviceId, url] as const])));
}

/** What runs as some services, as far as it is known when it was given its variables. */
export async function listLiveReleases(
  sql: Sql,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<readonly (LiveRelease & { readonly since: Date })[]> {
  if (serviceIds.length === 0) return [];
  const rows = await releases.listLive(sql, organizationId, serviceIds);
  return rows.flatMap(({ since, ...row }) => (since === null ? [] : [{ ...row, since }]));
}

/** Whether a project that is being deleted still has something on the platform. */
export async function isProjectOnPlatform(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<boolean> {
  return await removals.hasOfProject(sql, organizationId, projectId);
}

/** What the platform has, or may have, of a project, or of the deleted projects in an account. */
export async function listPlatformParts(
  sql: Sql,
  organizationId: string,
  by: LeftBy,
): Promise<readonly PlatformPart[]> {
  return await removals.list(sql, organizationId, by);
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
