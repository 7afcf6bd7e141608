import { type Cloud, type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import type { ObservedInstances, Platform, ServicePlace, WorkloadSize } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import { AppError, COMMON_ERRORS } from "../../lib/errors.ts";
import { requireConnected } from "../cloud-accounts/aws-account.ts";
import { getAwsAccount, getConnectedAccount } from "../cloud-accounts/queries.ts";
import { tokenOf } from "../deployments/deployment.ts";
import { findLiveRelease } from "../deployments/queries.ts";
import { hasProcess, type Service } from "../projects/project.ts";
import { getEnvironment, getProject, getService } from "../projects/queries.ts";
import { desiredOf } from "./decide-count.ts";
import { SCALING_ERRORS } from "./errors.ts";
import type { InstanceLimits, ServiceInstances } from "./scaling.ts";
import { scalings } from "./store.ts";

export type ScalingDeps = {
  readonly db: Database;
  readonly cloud: Pick<Cloud, "kind" | "scalesInstances">;
  readonly platform: Platform | null;
};

const RETRY_SECONDS = 5;

/** A cloud that runs one instance has other limits than the configuration says. */
const ONE: InstanceLimits = { minInstances: 1, maxInstances: 1 };

/** A service with what the platform runs of it. */
export type Observed = {
  readonly service: Service;
  readonly limits: InstanceLimits;
  readonly instances: ObservedInstances;
  /** How many numbers the platform had taken before it was asked. */
  readonly takesBefore: number;
};

/** Where a service runs, and what limits the number of its instances; null if it has no live process. */
export async function findLiveInstances(
  db: Database,
  service: Service,
): Promise<{ readonly token: string; readonly size: WorkloadSize; readonly place: ServicePlace } | null> {
  const { organizationId, id: serviceId, environmentId } = service;
  const live = await findLiveRelease(db, organizationId, serviceId);
  if (live === null || live.workload === null || !("size" in live.workload)) return null;
  const { region } = await getEnvironment(db, organizationId, environmentId);
  return { token: tokenOf(live), size: live.workload.size, place: { serviceId, region } };
}

/**
 * Asks the platform.
 * @throws AppError `NOT_FOUND`, `SERVICE_NOT_SCALABLE`, `AWS_ACCOUNT_NOT_CONNECTED`, `CLOUD_UNAVAILABLE`
 */
export async function observeInstances(
  { db, cloud, platform }: ScalingDeps,
  organizationId: string,
  serviceId: string,
): Promise<Observed> {
  const service = await getService(db, organizationId, serviceId);
  const live = await findLiveInstances(db, service);
  if (live === null || platform === null)
    throw notScalable(
      hasProcess(service.type)
        ? "The service has no live release. Deploy it first."
        : `A service of the type ${service.type} has no instances.`,
    );
  const account = await requireAccount(db, service);
  const { size, place, token } = live;
  const { takes: takesBefore } = await scalings.find(db, service);
  const instances = await ask(platform.services.instances(account, place, token));
  if (instances === null)
    throw notScalable(
      "The cloud does not say how many instances run: the release is of an earlier version of Slipway. Restart the service once, and try again.",
    );
  return { service, instances, takesBefore, limits: cloud.scalesInstances ? size : ONE };
}

/** Asks the platform. What it does not say is null, with the reason. @throws AppError `NOT_FOUND` */
export async function getInstances(
  deps: ScalingDeps,
  organizationId: string,
  serviceId: string,
): Promise<ServiceInstances> {
  try {
    const { service, limits, instances, takesBefore } = await observeInstances(
      deps,
      organizationId,
      serviceId,
    );
    const scaling = await scalings.find(deps.db, service);
    const desired = desiredOf(scaling, takesBefore, instances.desired);
    return { serviceId, instances: { ...instances, desired }, limits, problem: scaling.problem };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === COMMON_ERRORS.NOT_FOUND.code) throw error;
    return { serviceId, instances: null, limits: null, problem: error.message };
  }
}

export function notScalable(detail: string): AppError {
  return new AppError(SCALING_ERRORS.SERVICE_NOT_SCALABLE, detail);
}

async function requireAccount(db: Database, service: Service): Promise<CloudAccount> {
  const { organizationId, id, projectId } = service;
  const { awsAccountId } = await getProject(db, organizationId, projectId);
  requireConnected(await getAwsAccount(db, organizationId, awsAccountId));
  const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
  if (account === null)
    throw new AppError(
      COMMON_ERRORS.CLOUD_UNAVAILABLE,
      "The cloud account was just disconnected. Connect it again, then repeat the request.",
    );
  return account;
}

async function ask<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const detail = `The cloud did not say how many instances run: ${error.message}`;
    throw new AppError(COMMON_ERRORS.CLOUD_UNAVAILABLE, detail, {
      cause: error,
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}
