import type { Sql } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { orNotFound } from "../../lib/errors.ts";
import type { ApiKey } from "./api-key.ts";
import { apiKeys } from "./store.ts";

/** Whether all of these are projects of the organization. */
export type HasProjects = (sql: Sql, organizationId: string, ids: readonly string[]) => Promise<boolean>;

/** Null for an unknown key. */
export const findApiKey = apiKeys.find;

/** @throws AppError `NOT_FOUND` */
export async function getApiKey(sql: Sql, organizationId: string, id: string): Promise<ApiKey> {
  return orNotFound(await findApiKey(sql, organizationId, id));
}

/** Who created the key of a request or of its session, if that is another user; null otherwise. */
export async function findOtherCreator(sql: Sql, actor: Actor): Promise<string | null> {
  const key = await apiKeys.findOf(sql, actor);
  return key === null || key.createdBy === actor.userId ? null : key.createdBy;
}

/** The owner of a key; null when the key does not exist. Only for authentication. */
export const { findPrincipal } = apiKeys;
