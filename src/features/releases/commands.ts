/** Has what is on the platform removed, in the background; the rows of what had it there may go at once. */
import type { LeftBy } from "../cloud-accounts/left-in-account.ts";
import type { Sql, Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { EnvironmentPlace, PlatformPart } from "./removal.ts";
import { environmentRemovals, removals, serviceRemovals } from "./store.ts";
import { deployments } from "../deployments/store.ts";

/** Of services of one environment, while its deployments are there, which say what the platform may know. */
export async function requestServiceRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
  serviceIds: readonly string[],
): Promise<void> {
  const { organizationId } = place;
  for (const id of await serviceRemovals.insert(tx, place, serviceIds))
    await jobs.poke(tx, "service-removal", { organizationId, id });
}

/** What the services of an environment share is removed after all of them. */
export async function requestEnvironmentRemoval(
  tx: Transaction,
  jobs: Jobs,
  place: EnvironmentPlace,
): Promise<void> {
  const { organizationId, environmentId: id } = place;
  if (await environmentRemovals.insert(tx, place))
    await jobs.poke(tx, "environment-removal", { organizationId, id });
}

/** Ends all deployments of a project that is being deleted, and forgets them. */
export async function deleteDeploymentsOfProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await deployments.deleteOfProject(tx, organizationId, projectId);
}

/** Whether something of a project that is being deleted is still being removed from the platform. */
export async function isProjectOnPlatform(
  sql: Sql,
  organizationId: string,
  projectId: string,
): Promise<boolean> {
  return await removals.hasOfProject(sql, organizationId, projectId);
}

/** What the platform has, or may have, of a project, or of what deleted projects left in an account. */
export async function listPlatformParts(
  sql: Sql,
  organizationId: string,
  by: LeftBy,
): Promise<readonly PlatformPart[]> {
  return await removals.list(sql, organizationId, by);
}

/** Gives up what cannot be removed from the platform. */
export async function forgetRemovalsOfProject(
  tx: Transaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  await removals.forgetOfProject(tx, organizationId, projectId);
}
