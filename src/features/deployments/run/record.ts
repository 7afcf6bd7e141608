/** Writes the statuses of deployments and their runs; the deployment's own always together with its run's. */
import { announceChange } from "../../../db/changes.ts";
import type { Transaction } from "../../../db/database.ts";
import type { Actor } from "../../../lib/actor.ts";
import { slipwayOf } from "../../audit/record-audit.ts";
import {
  type Deployment,
  type DeploymentError,
  type DeploymentStatus,
  hasEnded,
  type Run,
} from "../deployment.ts";
import { deployedServices } from "../deployed-service-store.ts";
import { deployments } from "../store.ts";
import { runs } from "../run-store.ts";
import { sumUp } from "./sum-up.ts";
import { type RunBefore, emitEndOfRun, emitStatus } from "./emit-status.ts";

type Outcome = {
  readonly status: DeploymentStatus;
  readonly error?: DeploymentError;
  readonly reason?: string | null;
};

/**
 * Records the outcome of a run, unless another worker was faster, and updates its deployment.
 * @param actor who caused it, if not Slipway
 */
export async function recordRun(
  tx: Transaction,
  run: Run,
  outcome: Outcome,
  actor: Actor = slipwayOf(run.organizationId),
): Promise<void> {
  const { status, error = null } = outcome;
  const statusReason = outcome.reason ?? error?.message ?? null;
  const recorded = { status, statusReason, error };
  if (await runs.setStatus(tx, run, recorded, hasEnded(status))) await tellRecorded(tx, run, recorded, actor);
}

/** Emits the recorded outcome of a run, and updates its deployment. @param before the run until now */
export async function tellRecorded(
  tx: Transaction,
  before: RunBefore,
  recorded: Pick<Run, "status" | "error">,
  actor: Actor,
): Promise<void> {
  const { organizationId, deploymentId, environmentId } = before;
  const { status } = recorded;
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  if (deployment === null) return;
  const failed = status === "ERROR" || status === "BUILD_ERROR";
  const services = failed ? await deployedServices.list(tx, organizationId, deploymentId, environmentId) : [];
  emitEndOfRun(tx, actor, deployment, before, recorded, services);
  await sumUpLocked(tx, deployment, actor);
}

/** Updates a deployment's status from its runs. */
export async function sumUpDeployment(
  tx: Transaction,
  { organizationId, deploymentId }: Pick<Run, "organizationId" | "deploymentId">,
): Promise<void> {
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  if (deployment !== null) await sumUpLocked(tx, deployment, slipwayOf(organizationId));
}

/**
 * @param deployment locked: runs of one deployment end in jobs of different environments, and the last run to end must
 * see the others
 */
async function sumUpLocked(tx: Transaction, deployment: Deployment, actor: Actor): Promise<void> {
  const { organizationId, id } = deployment;
  const all = await runs.list(tx, organizationId, id);
  if (all.length === 0) return;
  const sum = sumUp(all);
  const phase = { started: all.some(({ startedAt }) => startedAt !== null), ended: hasEnded(sum.status) };
  await deployments.setStatus(tx, organizationId, id, sum, phase);
  emitStatus(tx, actor, deployment, sum, all);
  announceChange(tx, id);
}

/** Ends a deployment that has no runs, or records what it waits for. @param deployment locked, if its status changes */
export async function recordDeployment(
  tx: Transaction,
  deployment: Deployment,
  outcome: Outcome,
): Promise<void> {
  const { organizationId, id } = deployment;
  const { status, error = null, reason } = outcome;
  const statusReason = reason ?? error?.message ?? null;
  const phase = { started: false, ended: hasEnded(status) };
  await deployments.setStatus(tx, organizationId, id, { status, statusReason, error }, phase);
  emitStatus(tx, slipwayOf(organizationId), deployment, { status, error }, []);
  announceChange(tx, id);
}
