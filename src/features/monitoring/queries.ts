import { type Cloud, CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { findServiceFacts } from "../console-lists/queries.ts";
import { urlsOf } from "../console-lists/row.ts";
import { findLiveRelease, getDeployment } from "../deployments/queries.ts";
import { type DeployedService, tokenOf } from "../deployments/deployment.ts";
import { listProviderIdsOfService } from "../distributions/commands.ts";
import { isPublic, isStore } from "../projects/project.ts";
import { getProject, getService } from "../projects/queries.ts";
import type { ServiceHealth } from "./health.ts";
import { pointsOf, type ServiceTraffic, stepSecondsOf, TRAFFIC_SOURCE_OF } from "./traffic.ts";

export type MonitoringDeps = {
  readonly db: Database;
  readonly cloud: Cloud;
  readonly platform: Platform | null;
  readonly clock: Clock;
};

const HOUR_MS = 3_600_000;

/** Asks the platform. If it does not say, the health is `UNKNOWN`, with the reason. @throws AppError `NOT_FOUND` */
export async function getServiceHealth(
  deps: MonitoringDeps,
  organizationId: string,
  serviceId: string,
): Promise<ServiceHealth> {
  const { db } = deps;
  const service = await getService(db, organizationId, serviceId);
  const [facts, live] = await Promise.all([
    findServiceFacts(db, organizationId, service),
    findLiveRelease(db, organizationId, serviceId),
  ]);
  const urls = facts === null ? [] : urlsOf(facts);
  if (isStore(service.type)) {
    const problem = "The service is a data store: Slipway does not check its health.";
    return { serviceId, urls, live: null, health: "UNKNOWN", problem };
  }
  if (live === null) return { serviceId, urls, live: null, health: "NOT_DEPLOYED", problem: null };
  const [deployment, observed] = await Promise.all([
    getDeployment(db, organizationId, live.deploymentId),
    askPlatform(deps, organizationId, service.projectId, live),
  ]);
  return { serviceId, urls, live: { release: live, deployment }, ...observed };
}

async function askPlatform(
  { db, platform }: MonitoringDeps,
  organizationId: string,
  projectId: string,
  live: DeployedService,
): Promise<Pick<ServiceHealth, "health" | "problem">> {
  const unknown = (problem: string) => ({ health: "UNKNOWN", problem }) as const;
  if (live.workload === null) return unknown("The service is external: Slipway does not check its health.");
  const account = await findAccount(db, organizationId, projectId, live.serviceId);
  if (account === null) return unknown("Its cloud account is not connected.");
  try {
    const answer = (await platform?.releases.health(account, tokenOf(live))) ?? null;
    if (answer === null) return unknown("The platform does not report it.");
    if (answer.isAsleep) return { health: "SLEEPING", problem: null };
    return { health: answer.isRunning ? "RUNNING" : "FAILING", problem: answer.problem };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return unknown(`The cloud did not report it: ${error.message}`);
  }
}

/** Asks the cloud. If it does not say, the traffic is unknown, with the reason. @throws AppError `NOT_FOUND` */
export async function getServiceTraffic(
  { db, cloud, clock }: MonitoringDeps,
  organizationId: string,
  serviceId: string,
  hours: number,
): Promise<ServiceTraffic> {
  const stepSeconds = stepSecondsOf(hours);
  const unknown = (problem: string) => ({ serviceId, stepSeconds, source: null, problem }) as const;
  const { projectId, type } = await getService(db, organizationId, serviceId);
  if (type === "web-private")
    return unknown("The service is private: requests of other services are not counted.");
  if (!isPublic(type)) return unknown(`The service is a ${type} and answers no requests over HTTP.`);
  const ids = await listProviderIdsOfService(db, organizationId, serviceId);
  if (ids.length === 0) return unknown("It has no distribution yet.");
  const account = await findAccount(db, organizationId, projectId, serviceId);
  if (account === null) return unknown("Its cloud account is not connected.");
  const since = new Date(clock.now().getTime() - hours * HOUR_MS);
  try {
    const traffic = await cloud.distributions.traffic(account, ids, since);
    if (traffic === null) return unknown("Its cloud does not report it.");
    const { from, until } = traffic;
    const source = TRAFFIC_SOURCE_OF[cloud.kind];
    return { serviceId, stepSeconds, source, from, until, points: pointsOf(traffic, stepSeconds) };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return unknown(`The cloud did not report it: ${error.message}`);
  }
}

/** The account of the service's project; null if it is not connected. */
async function findAccount(db: Database, organizationId: string, projectId: string, serviceId: string) {
  const { awsAccountId } = await getProject(db, organizationId, projectId);
  return await getConnectedAccount(db, organizationId, awsAccountId, serviceId);
}
