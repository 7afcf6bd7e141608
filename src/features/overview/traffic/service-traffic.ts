import { type Cloud, CloudError, type Traffic } from "../../../cloud/cloud.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../lib/clock.ts";
import { getConnectedAccount } from "../../cloud-accounts/commands.ts";
import { listProviderIdsOfService } from "../../distributions/commands.ts";
import { getProject, getService } from "../../projects/queries.ts";
import { pointsOf, type ServiceTraffic, stepSecondsOf } from "./traffic.ts";

type Deps = { readonly db: Database; readonly cloud: Cloud; readonly clock: Clock };

const HOUR_MS = 3_600_000;

/** Asks the cloud. If it does not say, the traffic is unknown, with the reason. @throws AppError `NOT_FOUND` */
export async function getServiceTraffic(
  { db, cloud, clock }: Deps,
  organizationId: string,
  serviceId: string,
  hours: number,
): Promise<ServiceTraffic> {
  const stepSeconds = stepSecondsOf(hours);
  const unknown = (problem: string) => ({ serviceId, stepSeconds, source: null, problem }) as const;
  const { projectId, type } = await getService(db, organizationId, serviceId);
  if (type === "worker") return unknown("It is a worker: it answers no requests.");
  const ids = await listProviderIdsOfService(db, organizationId, serviceId);
  if (ids.length === 0) return unknown("It has no distribution yet.");
  const { awsAccountId } = await getProject(db, organizationId, projectId);
  const account = await getConnectedAccount(db, organizationId, awsAccountId, serviceId);
  if (account === null) return unknown("Its cloud account is not connected.");
  let traffic: Traffic | null;
  try {
    traffic = await cloud.distributions.traffic(
      account,
      ids,
      new Date(clock.now().getTime() - hours * HOUR_MS),
    );
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return unknown(`The cloud did not tell: ${error.message}`);
  }
  if (traffic === null) return unknown("Its cloud does not tell.");
  const { from, until } = traffic;
  const source = cloud.kind === "sandbox" ? "SANDBOX" : "CLOUDFRONT";
  return { serviceId, stepSeconds, source, from, until, points: pointsOf(traffic, stepSeconds) };
}
