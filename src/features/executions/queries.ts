import type { Sql } from "../../db/database.ts";
import { orNotFound } from "../../lib/errors.ts";
import { findProject, getService } from "../projects/queries.ts";
import type { Execution } from "./execution.ts";
import { executions } from "./store.ts";

/** Those of a service that have not ended, oldest first. */
export const listUnderWay = executions.listUnderWay;

/** The newest execution of each of some jobs; none of a job that never had one. */
export const listLatestOfJobs = executions.listLatest;

/** The newest attempt that the schedule started, of each of some jobs. */
export const listLatestAttempts = executions.listLatestAttempts;

/** One page, and one more. */
export const listExecutions = executions.list;

/** @throws AppError `NOT_FOUND`, also if its service was deleted */
export async function getExecution(sql: Sql, organizationId: string, id: string): Promise<Execution> {
  const execution = orNotFound(await executions.find(sql, organizationId, id));
  await getService(sql, organizationId, execution.serviceId);
  return execution;
}

/** The connection to the account that it runs in; null if its project was deleted. */
export async function findAccountOfExecution(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const execution = await executions.find(sql, organizationId, id);
  if (execution === null) return null;
  return (await findProject(sql, organizationId, execution.projectId))?.awsAccountId ?? null;
}
