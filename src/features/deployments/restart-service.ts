/**
 * Releases what a service runs once more, with the variables of now. It is a deployment of its own kind, to which the
 * protection and the approvals of its environment apply. It supersedes nothing; a newer deployment of a commit supersedes
 * it while it waits. An older one must have ended: the newest deployment of a service is what runs.
 */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { lockActiveProject } from "../projects/commands.ts";
import { type Environment, hasProcess, type Service } from "../projects/project.ts";
import { getEnvironment, getService } from "../projects/queries.ts";
import { createDeployment } from "./commands.ts";
import { NOT_APPROVED } from "./decide-begin.ts";
import type { DeployedService, Deployment, Run } from "./deployment.ts";
import { DEPLOYMENT_ERRORS } from "./errors.ts";
import { getDeployment } from "./queries.ts";
import { addRuns, checkBegin } from "./queue-runs.ts";
import { recordRun, sumUpDeployment } from "./record.ts";
import { deployedServices, runs } from "./run-store.ts";
import { deployments } from "./store.ts";

/**
 * Creates a deployment that starts a service's live release again, with the present variables.
 * @throws AppError `NOT_FOUND`, `PROJECT_DELETING`, `ENVIRONMENT_PROTECTED`, `SERVICE_NOT_RESTARTABLE`,
 * `DEPLOYMENT_UNDER_WAY`, `AWS_ACCOUNT_NOT_CONNECTED`
 */
export async function restartService(
  tx: Transaction,
  deps: { readonly jobs: Jobs; readonly clock: Clock },
  actor: Actor,
  serviceId: string,
): Promise<Deployment> {
  const { organizationId } = actor;
  const { projectId } = await getService(tx, organizationId, serviceId);
  await lockActiveProject(tx, organizationId, projectId);
  const service = await getService(tx, organizationId, serviceId);
  const environment = await getEnvironment(tx, organizationId, service.environmentId);
  const { id: environmentId, configId, templateId } = environment;
  const live = await findRestartable(tx, service);
  if (live === null)
    throw new AppError(
      DEPLOYMENT_ERRORS.SERVICE_NOT_RESTARTABLE,
      hasProcess(service.type)
        ? "The service has no live release. Deploy it: a deployment also applies its variables."
        : `A service of the type ${service.type} has no process to restart. A deployment applies its variables.`,
    );
  await requireNoneUnderWay(tx, service);
  const { deploymentId } = live;
  const { branch, commitHash } = await getDeployment(tx, organizationId, deploymentId);
  const deployment = await createDeployment(
    tx,
    deps.jobs,
    actor,
    {
      projectId,
      environmentId,
      isForOneEnvironment: true,
      isPreview: templateId !== null,
      branch,
      commitHash,
    },
    { trigger: "restart", rollbackOf: null, restarts: { serviceId, deploymentId } },
  );
  const { id } = deployment;
  await deployments.recordConfig(tx, deployment, null);
  const begin = await checkBegin(tx, deployment, environment, environment);
  const run = { organizationId, deploymentId: id, environmentId, configId, change: "KEPT" } as const;
  await addRuns(tx, deps, deployment, [{ run, begin, environment }]);
  return await getDeployment(tx, organizationId, id);
}

/** The release to start again; null if nothing of the service is live, or it has no process. */
async function findRestartable(
  tx: Transaction,
  { organizationId, id, type }: Service,
): Promise<DeployedService | null> {
  if (!hasProcess(type)) return null;
  const live = await deployedServices.findLive(tx, organizationId, id);
  return live === null || live.workload === null || live.artifact === null ? null : live;
}

/** @throws AppError `DEPLOYMENT_UNDER_WAY` */
async function requireNoneUnderWay(tx: Transaction, service: Service): Promise<void> {
  const other = await deployments.findBeforeRestart(tx, service);
  if (other === null) return;
  const { id, trigger, status } = other;
  throw new AppError(
    DEPLOYMENT_ERRORS.DEPLOYMENT_UNDER_WAY,
    trigger === "restart"
      ? `The restart ${id} of this service has not begun yet. It will use the variables that the service has then.`
      : `The deployment ${id} of the environment is ${status}, and releases the service, too. Wait until it has ended, or cancel it.`,
  );
}

const GONE = {
  code: DEPLOYMENT_ERRORS.SERVICE_NOT_RESTARTABLE.code,
  message: "The service was removed or has no live release, so it cannot restart.",
};

/** Starts the run of a restart, whose rows are locked. @param services of the environment */
export async function startRestart(
  tx: Transaction,
  run: Run,
  deployment: Deployment,
  environment: Environment,
  services: readonly Service[],
): Promise<void> {
  const { id: deploymentId, restartedServiceId } = deployment;
  const begin = await checkBegin(tx, deployment, environment, environment);
  if (typeof begin === "object") return await recordRun(tx, run, { status: "ERROR", error: begin });
  if (begin === "held") return await recordRun(tx, run, { status: "ERROR", error: NOT_APPROVED });
  const service = services.find(({ id }) => id === restartedServiceId);
  const live = service === undefined ? null : await findRestartable(tx, service);
  if (service === undefined || live === null)
    return await recordRun(tx, run, { status: "ERROR", error: GONE });
  await runs.start(tx, run, null);
  await deployedServices.insert(tx, {
    ...live,
    deploymentId,
    configId: service.configId,
    name: service.name,
    dependsOn: [],
    status: "INPROGRESS",
  });
  await sumUpDeployment(tx, run);
}
