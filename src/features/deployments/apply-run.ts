/** Applies the configuration of a run: when it starts, and when all its services are live. */
import type { Transaction } from "../../db/database.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type {
  Configuration,
  ConfiguredEnvironment,
  ParseConfiguration,
} from "../configuration/configuration.ts";
import { findFailedStores } from "../data-stores/queries.ts";
import { findRestoreFaults } from "../data-stores/restore.ts";
import type { Fault } from "../../lib/errors.ts";
import {
  decideEnvironmentPlan,
  type EnvironmentPlan,
  listProtectedFaults,
} from "../configuration/decide-environment-plan.ts";
import { CONFIGURATION_ERRORS } from "../configuration/errors.ts";
import {
  applyEnvironment,
  configuredScopes,
  type PresentEnvironment,
} from "../environments/apply-configuration.ts";
import { configuredOf } from "../environments/preview-configuration.ts";
import {
  deleteEnvironment,
  findKeptServices,
  type KeptService,
  removeServices,
} from "../environments/remove-services.ts";
import { slipwayOf } from "../audit/record-audit.ts";
import { lockProject } from "../projects/commands.ts";
import { type Environment, isProtected, isStore, type Project, type Service } from "../projects/project.ts";
import { findEnvironment, listEnvironmentServices } from "../projects/queries.ts";
import { findConfiguredChanges } from "../variables/commands.ts";
import { configurationChanged, MOVED, NOT_APPROVED } from "./decide-begin.ts";
import { noEnvironment } from "./decide-targets.ts";
import {
  type Deployment,
  type DeploymentError,
  NOTHING_WATCHED,
  type Run,
  type RunPlan,
} from "./deployment.ts";
import { CANCELLED_WAITING } from "./errors.ts";
import { type ChangedFiles, findKept } from "./find-kept.ts";
import { checkBegin } from "./queue-runs.ts";
import { recordRun, sumUpDeployment } from "./record.ts";
import { startRestart } from "./restart-service.ts";
import { deployedServices, runs } from "./run-store.ts";
import { deployments } from "./store.ts";
import { workloadOf } from "./workload.ts";

/**
 * Starts a run: applies the configuration to its environment, and lists what to build and release. All
 * in one transaction, so that a run is either waiting or has all of its services.
 */
export async function startRun(
  tx: Transaction,
  deps: { readonly jobs: Jobs; readonly parseConfiguration: ParseConfiguration },
  waiting: Run,
  changed: ChangedFiles,
): Promise<void> {
  const { organizationId, deploymentId, environmentId } = waiting;
  const found = await deployments.find(tx, organizationId, deploymentId);
  const project = found === null ? null : await lockProject(tx, organizationId, found.projectId);
  // Lock the run before its deployment, like every writer of runs.
  const run = await runs.lock(tx, waiting);
  const deployment = await deployments.lock(tx, organizationId, deploymentId);
  const environment = await findEnvironment(tx, organizationId, environmentId);
  if (project === null || deployment === null || environment === null || run?.status !== "PENDING") return;
  if (deployment.cancelRequestedAt !== null) {
    return await recordRun(tx, run, { status: "CANCELLED", error: CANCELLED_WAITING });
  }
  const services = await listEnvironmentServices(tx, organizationId, environmentId);
  if (deployment.trigger === "restart") return await startRestart(tx, run, deployment, environment, services);
  const present = { project, environment, services };
  if (run.change === "REMOVED") return await startRemoval(tx, present, deployment, run);

  const config = await deployments.findConfig(tx, organizationId, deploymentId);
  await applyConfigured(tx, deps, present, deployment, run, deps.parseConfiguration(config), changed);
}

type Present = PresentEnvironment & { readonly project: Project };

async function startRemoval(
  tx: Transaction,
  { environment, services }: Present,
  deployment: Deployment,
  run: Run,
): Promise<void> {
  const begin = await checkBegin(tx, deployment, environment, null);
  if (typeof begin === "object") return await recordRun(tx, run, { status: "ERROR", error: begin });
  const refused = await findKeptServices(tx, run.organizationId, services, environment.id);
  if (refused.length > 0) return await recordRun(tx, run, { status: "ERROR", error: cannotRemove(refused) });
  const faults = listProtectedFaults(services, "/environments");
  if (faults.length > 0) return await recordRun(tx, run, { status: "ERROR", error: notApplicable(faults) });
  const removed = services.map(({ configId }) => configId);
  await runs.start(tx, run, { environment: [], created: [], changed: [], removed, unchanged: [] });
  await sumUpDeployment(tx, run);
}

async function applyConfigured(
  tx: Transaction,
  { jobs }: { readonly jobs: Jobs },
  present: Present,
  deployment: Deployment,
  run: Run,
  commitConfiguration: Configuration,
  changed: ChangedFiles,
): Promise<void> {
  const { environment, services } = present;
  const { organizationId } = run;
  const template =
    environment.templateId === null
      ? null
      : await findEnvironment(tx, organizationId, environment.templateId);
  const failedStores = await findFailedStores(tx, organizationId, services);
  const withData = services.filter(({ id }) => failedStores.get(id) !== "creation");
  const found = configuredOf(commitConfiguration, environment, template, withData);
  if (found === null) return await recordRun(tx, run, { status: "ERROR", error: noEnvironment(deployment) });
  const { configuration, configured: written, index } = found;
  const begin = await checkBegin(tx, deployment, environment, written);
  if (typeof begin === "object") return await recordRun(tx, run, { status: "ERROR", error: begin });
  if (begin === "held") return await recordRun(tx, run, { status: "ERROR", error: NOT_APPROVED });
  // Who deploys it is part of its protection, which a commit does not change.
  const configured = isProtected(environment) ? { ...written, trigger: environment.deployTrigger } : written;
  const { plan, faults: planned } = decideEnvironmentPlan(
    environment,
    services,
    configured,
    index,
    failedStores,
  );
  const restored = { ...configured, index, environment: present };
  const faults = [...planned, ...(await findRestoreFaults(tx, present.project, [restored], failedStores))];
  if (faults.length > 0) return await recordRun(tx, run, { status: "ERROR", error: notApplicable(faults) });
  const refusal =
    begin === "as-configured" ? await findChange(tx, present, configuration, configured, plan) : null;
  if (refusal !== null) return await recordRun(tx, run, { status: "ERROR", error: refusal });
  const removed = services.filter(({ configId }) => plan.removed.includes(configId));
  const refused = await findKeptServices(tx, run.organizationId, removed, null);
  if (refused.length > 0) return await recordRun(tx, run, { status: "ERROR", error: cannotRemove(refused) });

  const slipway = slipwayOf(run.organizationId);
  const isSame =
    plan.environment.length === 0 &&
    (await findNewVariables(tx, present, configuration, configured)).length === 0;
  const applied = await applyEnvironment(tx, jobs, slipway, present, configuration, configured);
  const unchanged = applied.filter(({ configId }) => isSame && plan.unchanged.includes(configId));
  const kept = await findKept(tx, environment, configured, unchanged, changed);
  await listServices(tx, deployment, run, applied, { ...plan, kept });
  await sumUpDeployment(tx, run);
}

function notApplicable(faults: readonly Fault[]): DeploymentError {
  const places = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  return {
    code: CONFIGURATION_ERRORS.CONFIG_NOT_APPLICABLE.code,
    message: `The configuration cannot be applied: ${places}.`,
    faults,
  };
}

/** What a commit would change of the environment besides its code; null if nothing. */
async function findChange(
  tx: Transaction,
  { environment, services }: Present,
  configuration: Configuration,
  configured: ConfiguredEnvironment,
  plan: EnvironmentPlan,
): Promise<DeploymentError | null> {
  const changes = [
    ...plan.environment,
    ...plan.created.map((service) => `the new service ${service}`),
    ...plan.changed.map(({ service, fields }) => `${fields.join(", ")} of ${service}`),
    ...plan.removed.map((service) => `the removed service ${service}`),
  ];
  if (changes.length > 0) return configurationChanged(changes.join("; "));
  const names = await findNewVariables(tx, { environment, services }, configuration, configured);
  return names.length === 0 ? null : configurationChanged(`the variables ${names.join(", ")}`);
}

/** The names of variables that a commit's configuration would change. */
async function findNewVariables(
  tx: Transaction,
  { environment, services }: PresentEnvironment,
  configuration: Configuration,
  configured: ConfiguredEnvironment,
): Promise<readonly string[]> {
  const known = new Set(services.map(({ configId }) => configId));
  // A link to a service that will be created changes its variable, too.
  const created = configured.services.flatMap(({ id }) => (known.has(id) ? [] : [{ id, configId: id }]));
  const scopes = configuredScopes(environment, [...services, ...created], configuration, configured).filter(
    ({ serviceId }) => !created.some(({ id }) => id === serviceId),
  );
  return await findConfiguredChanges(tx, environment.organizationId, scopes);
}

async function listServices(
  tx: Transaction,
  { organizationId, id: deploymentId, rollbackOf }: Deployment,
  run: Run,
  services: readonly Service[],
  plan: RunPlan,
): Promise<void> {
  const ids = new Map(services.map(({ configId, id }) => [configId, id]));
  const before =
    rollbackOf === null ? [] : await deployedServices.list(tx, organizationId, rollbackOf, run.environmentId);
  await runs.start(tx, run, plan);
  const kept = new Set(plan.kept?.map(({ serviceId }) => serviceId));
  for (const service of services.filter(({ id, type }) => !kept.has(id) && !isStore(type))) {
    const workload = workloadOf(service);
    // If a service was removed and created again, its earlier artifacts no longer exist.
    const artifact = before.find(({ serviceId }) => serviceId === service.id)?.artifact ?? null;
    await deployedServices.insert(tx, {
      organizationId,
      deploymentId,
      environmentId: run.environmentId,
      serviceId: service.id,
      configId: service.configId,
      name: service.name,
      type: service.type,
      workload,
      dependsOn: service.settings.dependsOn.flatMap((configId) => ids.get(configId) ?? []),
      status: workload === null ? "SUCCESS" : artifact === null ? "PENDING" : "INPROGRESS",
      artifact: workload === null ? null : artifact,
    });
  }
}

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
  const removed = services.filter(({ configId }) => run.plan?.removed.includes(configId) ?? false);
  const refused = await removeServices(
    tx,
    jobs,
    slipwayOf(organizationId),
    { project, environment, isRemoved: run.change === "REMOVED" },
    removed,
  );
  // Domain groups that were created, and variables that were set, since the run began.
  if (refused.length > 0) return await recordRun(tx, run, { status: "ERROR", error: cannotRemove(refused) });
  if (run.change === "REMOVED")
    await deleteEnvironment(tx, jobs, slipwayOf(organizationId), project, environment);
  const reason = (await keepsAll(tx, run)) ? NOTHING_WATCHED : null;
  await recordRun(tx, run, { status: "SUCCESS", reason });
}

/** Whether all services of a run keep their releases. */
async function keepsAll(
  tx: Transaction,
  { organizationId, deploymentId, environmentId, plan }: Run,
): Promise<boolean> {
  if (plan === null || plan.removed.length > 0 || (plan.kept ?? []).length === 0) return false;
  const released = await deployedServices.list(tx, organizationId, deploymentId, environmentId);
  return released.every(({ workload }) => workload === null);
}

/** Why services cannot be removed. */
function cannotRemove(refused: readonly KeptService[]): DeploymentError {
  const attached = refused.flatMap(({ service, domains }) =>
    domains === null ? [] : `${service.configId} (${domains.join(", ") || "an empty group"})`,
  );
  if (attached.length > 0)
    return {
      code: "SERVICE_HAS_DOMAINS",
      message: `The configuration no longer has services whose domain certificate groups still exist: ${attached.join("; ")}. Delete those groups first, or keep the services.`,
    };
  const linked = refused.map(({ service, links }) => `${service.configId} (${links.join(", ")})`);
  return {
    code: "SERVICE_IS_LINKED",
    message: `The configuration no longer has services that variables link to: ${linked.join("; ")}. Delete or change those variables first, or keep the services.`,
  };
}
