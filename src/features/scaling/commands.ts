import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { lockService } from "../projects/commands.ts";
import { getProject, getService } from "../projects/queries.ts";
import { decideCount, desiredOf } from "./decide-count.ts";
import { SCALING_ERRORS } from "./errors.ts";
import { notScalable, type Observed, observeInstances, type ScalingDeps } from "./queries.ts";
import type { ScalingRequest } from "./scaling.ts";
import { scalings } from "./store.ts";

/** Asks the platform how many instances run. @throws the errors of `observeInstances` */
export async function prepareScaling(deps: ScalingDeps, actor: Actor, serviceId: string): Promise<Observed> {
  const observed = await observeInstances(deps, actor.organizationId, serviceId);
  if (deps.cloud.scalesInstances) return observed;
  throw notScalable(
    `The cloud ${deps.cloud.kind} runs one instance of each service. Scale services that are deployed to AWS.`,
  );
}

/**
 * Records how many instances a service is to have. `reconcile-scaling.ts` has the platform run them.
 * @throws AppError `NOT_FOUND`, `INSTANCES_OUT_OF_RANGE`
 */
export async function scaleService(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  { service: { id }, instances, limits, takesBefore }: Observed,
  request: ScalingRequest,
): Promise<{ readonly before: number; readonly after: number }> {
  const { organizationId } = actor;
  await lockService(tx, organizationId, id);
  const service = await getService(tx, organizationId, id);
  // Two requests to add one instance add two, however far the platform is.
  const before = desiredOf(await scalings.find(tx, service), takesBefore, instances.desired);
  const decided = decideCount(request, before, limits);
  if ("refusal" in decided) throw new AppError(SCALING_ERRORS.INSTANCES_OUT_OF_RANGE, decided.refusal);
  const { count: after } = decided;
  if (after === before) return { before, after };
  await scalings.request(tx, service, after);
  announceChange(tx, id);
  const instancesOf = (instance: number) => ({ instances: String(instance) });
  recordAudit(tx, actor, "service.scaled", id, { before: instancesOf(before), after: instancesOf(after) });
  const { awsAccountId } = await getProject(tx, organizationId, service.projectId);
  await jobs.enqueue(tx, "service-scaling", { organizationId, id, awsAccountId });
  return { before, after };
}
