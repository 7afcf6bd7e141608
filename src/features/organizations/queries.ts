import type { Sql } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { orNotFound } from "../../lib/errors.ts";
import { findApiKey } from "../api-keys/queries.ts";
import { findShownUser } from "../users/queries.ts";
import type { Caller, Organization } from "./organization.ts";
import { organizations } from "./store.ts";

/** @throws AppError `NOT_FOUND` */
export async function getOrganization(sql: Sql, organizationId: string): Promise<Organization> {
  return orNotFound(await organizations.find(sql, organizationId));
}

/** How many organizations this installation has. */
export const countOrganizations = organizations.count;

/** The id of the installation's first organization, which is its operator's; null before the first start. */
export const findFirstOrganization = organizations.findFirst;

/** All organizations of this installation, oldest first; only for its operator. */
export const listOrganizations = organizations.list;

/** Who makes a request; null when the key or its user was deleted meanwhile. */
export async function findCaller(
  sql: Sql,
  { organizationId, userId, credential }: Actor,
): Promise<Caller | null> {
  const { kind, id } = credential;
  const [organization, user, apiKey] = await Promise.all([
    organizations.find(sql, organizationId),
    findShownUser(sql, organizationId, userId),
    kind === "api-key" ? findApiKey(sql, organizationId, id) : null,
  ]);
  const isKeyGone = kind === "api-key" && apiKey === null;
  if (organization === null || user === null || isKeyGone || kind === "none") return null;
  return { organization, user, apiKey, credential: { kind, id } };
}
