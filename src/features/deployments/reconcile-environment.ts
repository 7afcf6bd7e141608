/**
 * Brings an environment to the newest deployment that waits for it: read the run's state from the platform,
 * decide, take one step, record. An environment has one job at a time, so it has one run at a time. A worker
 * that was overtaken changes nothing: records are guarded by the status that it decided on, and its calls to
 * the platform carry the same tokens as the calls before.
 */
import { CloudError } from "../../cloud/cloud.ts";
import type { Platform } from "../../cloud/platform.ts";
import { announceChange } from "../../db/changes.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Reconcile, WorkDeps } from "../../jobs/jobs.ts";
import { getConnectedAccount } from "../cloud-accounts/queries.ts";
import { reportDenial } from "../cloud-accounts/commands.ts";
import { CLOUD_ACCOUNT_ERRORS } from "../cloud-accounts/errors.ts";
import type { RepositoryDeps } from "../configuration/read-configuration-file.ts";
import { findEnvironment, getProject } from "../projects/queries.ts";
import { listEffectiveVariables } from "../variables/queries.ts";
import { finishRun, startRun } from "./apply-run.ts";
import { decideRun, type RunLimits, type RunStep, type ObservedService } from "./decide-run.ts";
import { type DeployedService, hasEnded, type Run, tokenOf } from "./deployment.ts";
import { ENVIRONMENT_REMOVED } from "./errors.ts";
import { findChangedFiles } from "./find-kept.ts";
import { recordRun } from "./record.ts";
import { deployedServices, runs } from "./run-store.ts";
import { type Context, type StartPostDeploy, takeServiceStep } from "./service-step.ts";
import { deployments } from "./store.ts";

/** The platform ends a build at its limit. If it does not, Slipway waits this much longer. */
const BUILD_PATIENCE_MS = 300_000;
const NO_PLATFORM_MS = 3_600_000;

export type EnvironmentDeps = RepositoryDeps &
  WorkDeps & {
    readonly platform: Platform | null;
    readonly limits: RunLimits;
    readonly startPostDeploy: StartPostDeploy;
  };

export function reconcileEnvironment(deps: EnvironmentDeps): Reconcile {
  const { db, git, atRest, jobs, clock, platform, limits, startPostDeploy } = deps;
  return async ({ organizationId, id: environmentId }) => {
    const run = await runs.findNext(db, organizationId, environmentId);
    if (run === null) return "done";
    if (platform === null) return { runAfterMs: NO_PLATFORM_MS };
    const deployment = await deployments.find(db, organizationId, run.deploymentId);
    if (deployment === null) return "done";
    const environment = await findEnvironment(db, organizationId, environmentId);
    const atOnce = async (work: (tx: Transaction) => Promise<void>) => {
      await db.transaction(work);
      return { runAfterMs: 0 };
    };
    if (environment === null)
      return await atOnce((tx) => recordRun(tx, run, { status: "CANCELLED", error: ENVIRONMENT_REMOVED }));
    if (run.status === "PENDING") {
      const changed = await findChangedFiles(deps, deployment, environment);
      return await atOnce((tx) => startRun(tx, deps, run, changed));
    }
    const project = await getProject(db, organizationId, deployment.projectId);
    const account = await getConnectedAccount(db, organizationId, project.awsAccountId, run.deploymentId);
    if (account === null) return await atOnce((tx) => endUnconnected(tx, run));
    const buildLimitSeconds = limits.buildMs / 1_000;
    const of = { project, environment, deployment, run, startPostDeploy };
    const context = { db, git, atRest, jobs, platform, account, ...of, buildLimitSeconds, failures: [] };
    const services = await deployedServices.list(db, organizationId, run.deploymentId, environmentId);
    const observed = await gather(context, services);
    const isCancelRequested = deployment.cancelRequestedAt !== null;
    const overdue: RunLimits = { ...limits, buildMs: limits.buildMs + BUILD_PATIENCE_MS };
    const step = decideRun(observed, isCancelRequested, overdue, clock.now());
    switch (step.kind) {
      case "finish":
        return await atOnce((tx) => finishRun(tx, jobs, project, environment, run));
      case "end":
        return await atOnce((tx) => recordRun(tx, run, { status: step.status, error: step.error }));
      case "services": {
        const hasMoved = await takeServiceSteps(context, services, step);
        return { runAfterMs: hasMoved ? 0 : restMs(services, clock.now()) };
      }
    }
  };
}

/** @returns whether the status of a service changed @throws the first failure, after the rest is recorded */
async function takeServiceSteps(
  context: Context,
  services: readonly DeployedService[],
  { status, steps }: Extract<RunStep, { kind: "services" }>,
): Promise<boolean> {
  const { db, run } = context;
  const taken = await Promise.allSettled(
    services.map(async (service) => {
      const step = steps.get(service.serviceId);
      return step !== undefined && (await takeServiceStep(context, service, step));
    }),
  );
  const failed = [
    ...taken.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])),
    ...context.failures,
  ];
  const reason = failed.find((error) => error instanceof CloudError)?.message ?? null;
  const moved = services.filter((_service, index) => {
    const one = taken[index];
    return one?.status === "fulfilled" && one.value;
  });
  await db.transaction(async (tx) => {
    await recordRun(tx, run, { status, reason });
    if (moved.length > 0) announceChange(tx, run.deploymentId);
    // Variables may link to the address of a release.
    for (const { serviceId } of moved) announceChange(tx, serviceId);
  });
  if (failed.length > 0) throw failed[0];
  return moved.length > 0;
}

const NOT_CONNECTED = {
  code: CLOUD_ACCOUNT_ERRORS.AWS_ACCOUNT_NOT_CONNECTED.code,
  message: "The cloud account is not connected. Fix its stack, then deploy again.",
};

/** The account cannot be used any longer. What the platform has begun may still end there. */
async function endUnconnected(tx: Transaction, run: Run): Promise<void> {
  const { organizationId, deploymentId, environmentId } = run;
  const services = await deployedServices.list(tx, organizationId, deploymentId, environmentId);
  for (const service of services.filter(({ status }) => !hasEnded(status))) {
    await deployedServices.setStatus(tx, service, { status: "CANCELLED", error: NOT_CONNECTED });
  }
  await recordRun(tx, run, { status: "ERROR", error: NOT_CONNECTED });
}

async function gather(
  context: Context,
  services: readonly DeployedService[],
): Promise<readonly ObservedService[]> {
  const { db, platform, account } = context;
  return await Promise.all(
    services.map(async (service): Promise<ObservedService> => {
      const { serviceId, configId, status, dependsOn, organizationId } = service;
      const token = tokenOf(service);
      const isBuilding = status === "BUILDING";
      const isReleasing = status === "DEPLOYING";
      return {
        serviceId,
        configId,
        status,
        dependsOn,
        linksTo: status === "INPROGRESS" ? await listLinkedServices(db, organizationId, serviceId) : [],
        since: isBuilding ? service.buildStartedAt : isReleasing ? service.releaseStartedAt : null,
        build: isBuilding ? await observe(context, () => platform.builds.describe(account, token)) : null,
        release: isReleasing
          ? await observe(context, () => platform.releases.describe(account, token))
          : null,
      };
    }),
  );
}

async function listLinkedServices(
  db: Database,
  organizationId: string,
  serviceId: string,
): Promise<readonly string[]> {
  const effective = await listEffectiveVariables(db, organizationId, serviceId);
  return effective.flatMap(({ variable }) => variable.linkedServiceId ?? []);
}

async function observe<T>(context: Context, describe: () => Promise<T>): Promise<T | "unknown"> {
  try {
    return await describe();
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    await reportDenial(context, error, context.project.organizationId, context.project.awsAccountId);
    context.failures.push(error);
    return "unknown";
  }
}

/** A build that has just begun may end soon; a build that has run for minutes will not. */
function restMs(services: readonly DeployedService[], now: Date): number {
  const since = services.flatMap(({ status, buildStartedAt, releaseStartedAt }) => {
    if (hasEnded(status)) return [];
    return (status === "DEPLOYING" ? releaseStartedAt : buildStartedAt)?.getTime() ?? [];
  });
  const ageMs = now.getTime() - Math.max(0, ...since);
  if (ageMs < 10_000) return 200;
  return ageMs < 60_000 ? 1_000 : 3_000;
}
