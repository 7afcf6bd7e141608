import type { CloudAccount } from "../../cloud/cloud.ts";
import type { Sql } from "../../db/database.ts";
import { notFound } from "../../lib/errors.ts";
import type { AwsAccount } from "./aws-account.ts";
import { awsAccounts } from "./store.ts";

/**
 * Finds a connection by id or givenId. @param field the field of the body that names it, if any @throws AppError
 * `NOT_FOUND`
 */
export async function getAwsAccount(
  sql: Sql,
  organizationId: string,
  idOrGivenId: string,
  field?: string,
): Promise<AwsAccount> {
  const account = await awsAccounts.find(sql, organizationId, idOrGivenId);
  if (account === null) throw notFound(field);
  return account;
}

/**
 * The verified account of a connection; null while it is not connected.
 * @param purpose the id of the resource that needs the account
 */
export async function getConnectedAccount(
  sql: Sql,
  organizationId: string,
  id: string,
  purpose: string,
): Promise<CloudAccount | null> {
  const connection = await awsAccounts.findConnection(sql, organizationId, id);
  return connection === null ? null : { ...connection, purpose };
}

/** Some of the projects that are deployed to it. Projects that are not being deleted come first. */
export const listProjectsOfAccount = awsAccounts.listProjects;

/** The organization of a connection; null for an unknown id. For the sandbox's endpoints, which only know ids. */
export const findConnectionOwner = awsAccounts.findOwner;

/** The ids of an organization's newest connections. */
export async function listConnectionIds(
  sql: Sql,
  organizationId: string,
  limit: number,
): Promise<readonly string[]> {
  const page = { after: null, order: "desc", limit } as const;
  return (await awsAccounts.list(sql, organizationId, page)).map(({ id }) => id);
}
