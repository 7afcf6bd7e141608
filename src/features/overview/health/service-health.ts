import type { Platform, ReleaseHealth } from "../../../cloud/platform.ts";
import { CloudError } from "../../../cloud/cloud.ts";
import type { Database } from "../../../db/database.ts";
import { getConnectedAccount } from "../../cloud-accounts/commands.ts";
import { findLiveRelease, getDeployment } from "../../deployments/commands.ts";
import { type DeployedService, tokenOf } from "../../deployments/deployment.ts";
import { getProject, getService } from "../../projects/queries.ts";
import { findServiceFacts } from "../rows/queries.ts";
import { urlsOf } from "../rows/project-row.ts";
import type { ServiceHealth } from "./health.ts";

type Deps = { readonly db: Database; readonly platform: Platform | null };

/** Asks the platform. If it does not say, the health is `UNKNOWN`, with the reason. @throws AppError `NOT_FOUND` */
export async function getServiceHealth(
  deps: Deps,
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
  if (live === null) return { serviceId, urls, live: null, health: "NOT_DEPLOYED", problem: null };
  const [deployment, seen] = await Promise.all([
    getDeployment(db, organizationId, live.deploymentId),
    askPlatform(deps, organizationId, service.projectId, live),
  ]);
  return { serviceId, urls, live: { release: live, deployment }, ...seen };
}

type Seen = Pick<ServiceHealth, "health" | "problem">;

async function askPlatform(
  { db, platform }: Deps,
  organizationId: string,
  projectId: string,
  live: DeployedService,
): Promise<Seen> {
  if (live.workload === null) return unknown("It is a host of your own, which Slipway does not ask.");
  const { awsAccountId } = await getProject(db, organizationId, projectId);
  const account = await getConnectedAccount(db, organizationId, awsAccountId, live.serviceId);
  if (account === null) return unknown("Its cloud account is not connected.");
  let told: ReleaseHealth | null;
  try {
    told = (await platform?.releases.health(account, tokenOf(live))) ?? null;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return unknown(`The cloud did not tell: ${error.message}`);
  }
  if (told === null) return unknown("The platform does not tell.");
  return { health: told.isRunning ? "RUNNING" : "FAILING", problem: told.problem };
}

function unknown(problem: string): Seen {
  return { health: "UNKNOWN", problem };
}
