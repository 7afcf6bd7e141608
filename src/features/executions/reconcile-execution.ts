/** Has the platform run the command of an execution once, and records how it ends. */
import { type CloudAccount, CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Reconcile, ReconcileResult, WorkDeps } from "../../jobs/jobs.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { tokenOf } from "../deployments/deployment.ts";
import { findLiveRelease } from "../deployments/queries.ts";
import { platformServiceOf } from "../projects/platform-service.ts";
import type { Service } from "../projects/project.ts";
import { findService, getEnvironment, getProject } from "../projects/queries.ts";
import { endExecution } from "./commands.ts";
import { decideExecution } from "./decide-execution.ts";
import { ENDINGS } from "./endings.ts";
import type { Execution, ExecutionState, Outcome } from "./execution.ts";
import { executions } from "./store.ts";

type Deps = WorkDeps & {
  readonly platform: Platform | null;
  /** Whether the schedule of its job has something to do after an execution. It holds the schedule until the commit. */
  readonly mayResume: (tx: Transaction, execution: Execution, status: ExecutionState) => Promise<boolean>;
};

/** @returns a reconciler of executions, by their ids */
export function reconcileExecution(deps: Deps): Reconcile {
  const { db, platform, clock } = deps;
  return async ({ organizationId, id }) => {
    const execution = await executions.find(db, organizationId, id);
    if (execution === null || execution.endedAt !== null || platform === null) return "done";
    const service = await findService(db, organizationId, execution.serviceId);
    // The platform stops what a deleted service runs.
    if (service === null)
      return await end(deps, execution, { status: "CANCELLED", error: ENDINGS.serviceDeleted });
    const { awsAccountId } = await getProject(db, organizationId, service.projectId);
    const account = await getConnectedAccount(db, organizationId, awsAccountId, id);
    try {
      return await step({ ...deps, platform }, execution, service, account);
    } catch (error) {
      if (!(error instanceof CloudError) || error.kind === "retryable") throw error;
      await reportDenial(deps, error, organizationId, awsAccountId);
      const now = clock.now().getTime();
      // A role that lost its rights may get them back while the command runs.
      if (execution.status === "RUNNING" && now - execution.createdAt.getTime() < GIVE_UP_MS)
        return { runAfterMs: 60_000 };
      return await end(deps, execution, { status: "FAILED", error: errorOf(error) });
    }
  };
}

const GIVE_UP_MS = 24 * 3_600_000;

function errorOf({ kind, code, message }: CloudError) {
  const update = " Update the connection's stack with the current template, and run the command again.";
  return { code, message: `${message}${kind === "denied" ? update : ""}` };
}

async function step(
  deps: Deps & { readonly platform: Platform },
  execution: Execution,
  service: Service,
  account: CloudAccount | null,
): Promise<ReconcileResult> {
  const { db, platform, clock } = deps;
  const { id, status } = execution;
  const observed =
    account === null
      ? "no-account"
      : status === "QUEUED"
        ? null
        : await platform.executions.describe(account, id);
  const decided = decideExecution(execution, observed, clock.now());
  switch (decided.kind) {
    case "end":
      return await end(deps, execution, decided.outcome);
    case "running":
      await db.transaction(async (tx) => {
        if (await executions.run(tx, execution, decided.startedAt)) announceChange(tx, id);
      });
      return { runAfterMs: 0 };
    case "cancel":
      if (account !== null) await platform.executions.cancel(account, id);
      return { runAfterMs: decided.runAfterMs };
    case "wait":
      return { runAfterMs: decided.runAfterMs };
    case "start":
      return account === null ? { runAfterMs: 60_000 } : await start(deps, execution, service, account);
  }
}

/** The release is recorded first, so that a repeated start names the same one. */
async function start(
  deps: Deps & { readonly platform: Platform },
  execution: Execution,
  service: Service,
  account: CloudAccount,
): Promise<ReconcileResult> {
  const { db, platform } = deps;
  const { organizationId, id: token, serviceId, command, cpu, memoryGb, timeLimitSeconds } = execution;
  const live = await findLiveRelease(db, organizationId, serviceId);
  const deploymentId = execution.deploymentId ?? live?.deploymentId ?? null;
  if (deploymentId === null)
    return await end(deps, execution, { status: "FAILED", error: ENDINGS.nothingLive });
  if (execution.status === "QUEUED") {
    const isMine = await db.transaction(async (tx) => {
      announceChange(tx, token);
      return await executions.start(tx, execution, deploymentId);
    });
    // It was cancelled meanwhile.
    if (!isMine) return { runAfterMs: 0 };
  }
  const environment = await getEnvironment(db, organizationId, service.environmentId);
  await platform.executions.start(account, {
    token,
    service: platformServiceOf(environment, { serviceId }),
    release: tokenOf({ deploymentId, serviceId }),
    command,
    size: { cpu, memoryGb },
    timeLimitSeconds,
  });
  return { runAfterMs: 200 };
}

async function end(deps: Deps, execution: Execution, outcome: Outcome): Promise<ReconcileResult> {
  await deps.db.transaction(async (tx) => {
    const mayResume = await deps.mayResume(tx, execution, outcome.status);
    await endExecution(tx, execution, outcome, slipwayOf(execution.organizationId), mayResume);
  });
  return "done";
}
