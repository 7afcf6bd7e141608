/** Reads of deployments that other features may use. */
import type { Sql } from "../../db/database.ts";
import { AppError, orNotFound } from "../../lib/errors.ts";
import type { Deployment, DeploymentDetails, Run } from "./deployment.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";
import { approvals, deployedServices, runs } from "./run-store.ts";
import { deployments } from "./store.ts";

export const {
  list: listDeployments,
  findNewest: findNewestDeployment,
  findUnended: findDeploymentUnderWay,
  findConfig: findDeploymentConfiguration,
  findPreviousSuccess,
  find: findDeployment,
} = deployments;
export const { findApplied: findAppliedDeployment, findKept: findKeptServices } = runs;
export const { findLive: findLiveRelease, listLiveCommits } = deployedServices;

/** @throws AppError `NOT_FOUND` */
export async function getDeployment(sql: Sql, organizationId: string, id: string): Promise<Deployment> {
  return orNotFound(await deployments.find(sql, organizationId, id));
}

/** @throws AppError `NOT_FOUND` */
export async function getDeploymentDetails(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<DeploymentDetails> {
  const deployment = await getDeployment(sql, organizationId, id);
  return {
    deployment,
    runs: await runs.list(sql, organizationId, id),
    services: await deployedServices.list(sql, organizationId, id, null),
    approvals: await approvals.list(sql, organizationId, id),
  };
}

/** The runs of a deployment that can be rolled back to. @throws AppError `NOT_FOUND`, `DEPLOYMENT_NOT_RESTORABLE` */
export async function listRestorableRuns(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<readonly Run[]> {
  requireRestorable(await getDeployment(sql, organizationId, id));
  return await runs.list(sql, organizationId, id);
}

/** @throws AppError `DEPLOYMENT_NOT_RESTORABLE` */
export function requireRestorable({ status, trigger }: Deployment): void {
  if (trigger === "restart")
    throw new AppError(
      DEPLOYMENT_ERRORS.DEPLOYMENT_NOT_RESTORABLE,
      "The deployment restarted one service with what it ran. Roll back to the deployment that built it.",
    );
  if (status === "SUCCESS") return;
  throw new AppError(
    DEPLOYMENT_ERRORS.DEPLOYMENT_NOT_RESTORABLE,
    `The deployment is ${status}. You can only roll back to a deployment that ended with SUCCESS.`,
  );
}

/** Whether what a deployment released in an environment is all that runs there. */
export async function isLive(sql: Sql, run: Run): Promise<boolean> {
  return run.status === "SUCCESS" && !(await runs.isReplaced(sql, run));
}
