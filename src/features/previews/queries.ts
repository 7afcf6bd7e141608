import type { Sql } from "../../db/database.ts";
import { notFound, orNotFound } from "../../lib/errors.ts";
import type { Preview } from "./preview.ts";
import { previewRemovals } from "./removal-store.ts";
import { previews } from "./store.ts";

/** Null if it ended. */
export const findPreview = previews.find;

/** The preview that an environment is of; null for other environments. */
export const findPreviewOfEnvironment = previews.findOfEnvironment;

/** The connection to the account that a deleted environment of a preview was in; null once nothing of it is left. */
export async function findAccountOfPreviewRemoval(
  sql: Sql,
  organizationId: string,
  environmentId: string,
): Promise<string | null> {
  return (await previewRemovals.find(sql, organizationId, environmentId))?.awsAccountId ?? null;
}

/** @throws AppError `NOT_FOUND` */
export async function getPreview(sql: Sql, organizationId: string, id: string): Promise<Preview> {
  return orNotFound(await previews.find(sql, organizationId, id));
}

/** The oldest preview of a project with this key. @throws AppError `NOT_FOUND` */
export async function getPreviewByKey(
  sql: Sql,
  organizationId: string,
  projectId: string,
  key: string,
): Promise<Preview> {
  const all = await previews.listOfProject(sql, organizationId, projectId);
  const preview = all.find((one) => one.key === key);
  if (preview === undefined) throw notFound();
  return preview;
}
