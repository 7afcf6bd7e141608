import type { Sql } from "../../db/database.ts";
import { orNotFound } from "../../lib/errors.ts";
import { findProject, findService, getService } from "../projects/queries.ts";
import type { Invalidation } from "./invalidation.ts";
import { invalidations } from "./store.ts";

/** @throws AppError `NOT_FOUND`, also if its service was deleted */
export async function getInvalidation(sql: Sql, organizationId: string, id: string): Promise<Invalidation> {
  const invalidation = orNotFound(await invalidations.find(sql, organizationId, id));
  await getService(sql, organizationId, invalidation.serviceId);
  return invalidation;
}

/** The connection whose account has the distributions of a service; null if the service was deleted. */
export async function findAccountOfService(
  sql: Sql,
  organizationId: string,
  serviceId: string,
): Promise<string | null> {
  const service = await findService(sql, organizationId, serviceId);
  if (service === null) return null;
  return (await findProject(sql, organizationId, service.projectId))?.awsAccountId ?? null;
}

/** The same, by the id of an invalidation. */
export async function findAccountOfInvalidation(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const invalidation = await invalidations.find(sql, organizationId, id);
  return invalidation === null
    ? null
    : await findAccountOfService(sql, organizationId, invalidation.serviceId);
}
