/** Writes the statuses of deployments and their runs; the deployment's own always together with its run's. */
import { announceChange } from "../../../db/changes.ts";
import type { Transaction } from "../../../db/database.ts";
import {
  type Deployment,
  type DeploymentError,
  type DeploymentStatus,
  hasEnded,
  type Run,
} from "../deployment.ts";
import { deployments } from "../store.ts";
import { runs } from "../run-store.ts";
import { sumUp } from "./sum-up.ts";

type Outcome = {
  readonly status: DeploymentStatus;
  readonly error?: DeploymentError;
  readonly reason?: string | null;
};

/** Records the outcome of a run, unless another worker was faster, and updates its deployment. */
export async function recordRun(tx: Transaction, run: Run, outcome: Outcome): Promise<void> {
  const { status, error = null } = outcome;
  const statusReason = outcome.reason ?? error?.message ?? null;
  const isNews = await runs.setStatus(tx, run, { status, statusReason, error }, hasEnded(status));
  if (isNews) await sumUpDeployment(tx, run);
}

/** Updates a deployment's status from its runs. */
export async function sumUpDeployment(
  tx: Transaction,
  { organizationId, deploymentId }: Pick<Run, "organizationId" | "deploymentId">,
): Promise<void> {
  // Runs of one deployment end in jobs of different environments. The last one to write must see the others.
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  if (deployment === null) return;
  const all = await runs.list(tx, organizationId, deploymentId);
  if (all.length === 0) return;
  const sum = sumUp(all);
  const phase = { started: all.some(({ startedAt }) => startedAt !== null), ended: hasEnded(sum.status) };
  await deployments.setStatus(tx, organizationId, deploymentId, sum, phase);
  announceChange(tx, deploymentId);
}

/** Ends a deployment that has no runs, or records what it waits for. */
export async function recordDeployment(
  tx: Transaction,
  { organizationId, id }: Deployment,
  outcome: Outcome,
): Promise<void> {
  const { status, error = null, reason } = outcome;
  const statusReason = reason ?? error?.message ?? null;
  const phase = { started: false, ended: hasEnded(status) };
  await deployments.setStatus(tx, organizationId, id, { status, statusReason, error }, phase);
  announceChange(tx, id);
}
