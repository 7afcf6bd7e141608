import type { Transaction } from "../../../db/database.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import { findEnvironment, listEnvironmentServices } from "../../projects/queries.ts";
import { type Environment, isProtected, type Project } from "../../projects/project.ts";
import {
  type AttachedService,
  deleteEnvironment,
  removeServices,
} from "../../environments/remove-services.ts";
import type { DeploymentError, Run } from "../deployment.ts";
import { MOVED } from "./decide-begin.ts";
import { recordRun } from "./record.ts";
import { runs } from "../run-store.ts";
import { lockProject } from "../../projects/commands.ts";

/**
 * All services of a run are live: removes the services that its configuration no longer has, and the
 * environment itself if the configuration no longer has it.
 */
export async function finishRun(
  tx: Transaction,
  jobs: Jobs,
  { organizationId, id }: Project,
  environment: Environment,
  decided: Run,
): Promise<void> {
  const project = await lockProject(tx, organizationId, id);
  const run = await runs.lock(tx, decided);
  if (project === null || run === null || run.status !== decided.status) return;
  const now = await findEnvironment(tx, organizationId, environment.id);
  // It may be protected since the removal began.
  if (run.change === "REMOVED" && now !== null && isProtected(now))
    return await recordRun(tx, run, { status: "ERROR", error: MOVED });
  const services = await listEnvironmentServices(tx, organizationId, environment.id);
  const going = services.filter(({ configId }) => run.plan?.removed.includes(configId) ?? false);
  const attached = await removeServices(tx, jobs, slipwayOf(organizationId), { project, environment }, going);
  // Domain groups that were created since the run began.
  if (attached.length > 0) return await recordRun(tx, run, { status: "ERROR", error: hasDomains(attached) });
  if (run.change === "REMOVED")
    await deleteEnvironment(tx, jobs, slipwayOf(organizationId), project, environment);
  await recordRun(tx, run, { status: "SUCCESS" });
}

/** Why services cannot be removed. */
export function hasDomains(attached: readonly AttachedService[]): DeploymentError {
  const named = attached
    .map(({ service, domains }) => `${service.configId} (${domains.join(", ") || "an empty group"})`)
    .join("; ");
  return {
    code: "SERVICE_HAS_DOMAINS",
    message: `The configuration no longer has services whose domain certificate groups are still there: ${named}. Delete those groups first, or keep the services.`,
  };
}
