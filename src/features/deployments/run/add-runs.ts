import type { Transaction } from "../../../db/database.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Environment } from "../../projects/project.ts";
import type { Deployment, DeploymentError, Run } from "../deployment.ts";
import type { Begin } from "./decide-begin.ts";
import { SUPERSEDED } from "../errors.ts";
import { runs } from "../run-store.ts";
import { awaitApproval, settleHeldRun, supersedeHeldRuns } from "./await-approval.ts";
import { recordRun, sumUpDeployment } from "./record.ts";

type NewRun = Pick<Run, "organizationId" | "deploymentId" | "environmentId" | "configId" | "change">;

/** A run that the configuration asks for. */
export type Planned = {
  readonly run: NewRun;
  readonly begin: Begin;
  /** As it is now. */
  readonly environment: Environment;
};

/**
 * Creates the runs of a deployment, or asks for their approval. The deployment's status sums them up, so all are there
 * before anything is recorded of one. The project is locked.
 */
export async function addRuns(
  tx: Transaction,
  { jobs, clock }: { readonly jobs: Jobs; readonly clock: Clock },
  deployment: Deployment,
  planned: readonly Planned[],
): Promise<void> {
  for (const { run, begin, environment } of planned) {
    if (begin === "held") await awaitApproval(tx, run, environment, clock);
    else await runs.insert(tx, run);
  }
  for (const { run, begin } of planned) {
    if (begin === "held") await settleHeldRun(tx, deployment, run);
    else if (typeof begin === "object") await recordNew(tx, run, begin, "ERROR");
    else await queueRun(tx, jobs, run);
  }
  if (planned.some(({ begin }) => begin === "held"))
    await sumUpDeployment(tx, { ...deployment, deploymentId: deployment.id });
}

/** Puts a new run in its environment's queue, of which the newest is next. */
export async function queueRun(tx: Transaction, jobs: Jobs, run: NewRun): Promise<void> {
  if (await runs.hasNewer(tx, run)) return await recordNew(tx, run, SUPERSEDED, "SUPERSEDED");
  for (const older of await runs.listWaitingBefore(tx, run))
    await recordRun(tx, older, { status: "SUPERSEDED", error: SUPERSEDED });
  await supersedeHeldRuns(tx, run);
  const first = await runs.findNext(tx, run.organizationId, run.environmentId);
  if (first !== null && first.deploymentId !== run.deploymentId) {
    const reason = `The environment ${run.configId} is busy with the deployment ${first.deploymentId}.`;
    const own = await runs.lock(tx, run);
    if (own !== null) await recordRun(tx, own, { status: "PENDING", reason });
  }
  await jobs.enqueue(tx, "environment-deployments", {
    organizationId: run.organizationId,
    id: run.environmentId,
  });
}

async function recordNew(
  tx: Transaction,
  run: NewRun,
  error: DeploymentError,
  status: "ERROR" | "SUPERSEDED",
): Promise<void> {
  const own = await runs.lock(tx, run);
  if (own !== null) await recordRun(tx, own, { status, error });
}
