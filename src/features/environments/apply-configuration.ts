/**
 * Brings the rows of environments and services to what a configuration says: when a project is created or its
 * configuration is changed, and when a deployment starts in an environment. `remove-services.ts` removes what a
 * configuration no longer has; a deployment does so last, when everything else works without it.
 */
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { createDefaultDistribution, enqueueRoutes, moveOrigin } from "../distributions/commands.ts";
import { requestDataStores } from "../data-stores/commands.ts";
import { enqueueWithoutAccount } from "../../jobs/enqueue.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { Configuration, ConfiguredEnvironment } from "../configuration/configuration.ts";
import { type ConfiguredScope, setConfiguredVariables } from "../variables/commands.ts";
import { toStoredVariables } from "./configured-variables.ts";
import { findEnvironment, listServicesOfPreviews, originOf } from "../projects/queries.ts";
import { decidePreviewLabel, keyOfPreview, labelOf } from "./preview-host.ts";
import { type Environment, type Project, type Service, isPublic } from "../projects/project.ts";
import { type KeptService, deleteEnvironment, removeServices } from "./remove-services.ts";
import {
  insertEnvironment,
  insertService,
  lockEnvironment,
  updateEnvironment,
  updateService,
} from "../projects/commands.ts";

/** An environment with its services. */
export type PresentEnvironment = {
  readonly environment: Environment;
  readonly services: readonly Service[];
};

/**
 * Brings a whole project to what its configuration says. `decideProjectPlan` has checked before that this is possible.
 * Returns services that cannot be removed, because they have got domains since then: if there are any, the transaction
 * must not commit.
 */
export async function applyConfiguration(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  project: Project,
  present: readonly PresentEnvironment[],
  configuration: Configuration,
): Promise<readonly KeptService[]> {
  const refused: KeptService[] = [];
  const { organizationId, id } = project;
  const hasTemplates =
    configuration.environments.some(({ template }) => template !== null) ||
    present.some(({ environment }) => environment.template !== null);
  if (hasTemplates) await jobs.enqueue(tx, "previews", { organizationId, id });
  const left = new Map(present.map((one) => [one.environment.configId, one]));
  for (const configured of configuration.environments) {
    const known = left.get(configured.id);
    left.delete(configured.id);
    const environment = known?.environment ?? (await createEnvironment(tx, actor, project, configured));
    const services = known?.services ?? [];
    await applyEnvironment(tx, jobs, actor, { project, environment, services }, configuration, configured);
    const named = new Set(configured.services.map(({ id }) => id));
    const removed = services.filter(({ configId }) => !named.has(configId));
    refused.push(...(await removeServices(tx, jobs, actor, { project, environment }, removed)));
  }
  for (const { environment, services } of left.values()) {
    const kept = await removeServices(tx, jobs, actor, { project, environment, isRemoved: true }, services);
    refused.push(...kept);
    if (kept.length === 0) await deleteEnvironment(tx, jobs, actor, project, environment);
  }
  return refused;
}

/** An environment without services. */
export async function createEnvironment(
  tx: Transaction,
  actor: Actor,
  { organizationId, id: projectId }: Project,
  { id: configId, name, region, branch, trigger: deployTrigger, report, template }: ConfiguredEnvironment,
): Promise<Environment> {
  const of = { organizationId, projectId, configId, templateId: null, isFork: false, pullRequest: null };
  const rules = template?.rules ?? null;
  const written = { name, region, branch, deployTrigger, report, template: rules };
  return await insertEnvironment(tx, actor, { ...of, ...written });
}

/**
 * Creates and changes the services of an environment, and sets the variables that the configuration gives
 * it. `decideEnvironmentPlan` has checked before whether it can be applied. Returns the services in the
 * configuration's order. Services that it does not name stay unchanged.
 */
export async function applyEnvironment(
  tx: Transaction,
  jobs: Jobs,
  actor: Actor,
  present: PresentEnvironment & { readonly project: Project },
  configuration: Configuration,
  configured: ConfiguredEnvironment,
): Promise<readonly Service[]> {
  const { project, environment } = present;
  const { organizationId } = project;
  const { name, branch, trigger, report, template } = configured;
  const rules = template?.rules ?? null;
  const changed = { name, branch, deployTrigger: trigger, report, template: rules };
  await updateEnvironment(tx, actor, environment, changed);
  const known = new Map(present.services.map((service) => [service.configId, service]));
  const made: Service[] = [];
  const previewHosts = await openPreviewHosts(tx, environment);
  for (const one of configured.services) {
    const { id: configId, variables: _variables, ...written } = one;
    const before = known.get(configId);
    if (before !== undefined) {
      await updateService(tx, actor, before, written);
      const service = { ...before, ...written };
      await moveFiles(tx, jobs, project, service);
      made.push(service);
      continue;
    }
    const { projectId, id: environmentId } = environment;
    const previewHost = isPublic(written.type) ? previewHosts.choose(configId) : null;
    const of = { organizationId, projectId, environmentId, configId, previewHost };
    const service = await insertService(tx, actor, { ...of, ...written });
    made.push(service);
    if (previewHost !== null) await enqueueRoutes(tx, jobs, organizationId, environment.templateId);
    if (previewHost !== null || !isPublic(service.type)) continue;
    await createDefaultDistribution(tx, jobs, service, {
      awsAccountId: project.awsAccountId,
      origin: await originOf(tx, project, service),
    });
  }
  for (const { type, id } of made)
    if (type === "scheduler") enqueueWithoutAccount(tx, "job-schedule", { organizationId, id });
  await requestDataStores(tx, jobs, project, environment, made);
  await setConfiguredVariables(tx, actor, configuredScopes(environment, made, configuration, configured));
  return made;
}

/** The names that services of a preview get below the domain of its template; none without a domain. */
export async function openPreviewHosts(
  tx: Transaction,
  { organizationId, configId, templateId }: Environment,
): Promise<{ choose(serviceConfigId: string): string | null }> {
  const template = templateId === null ? null : await findEnvironment(tx, organizationId, templateId);
  const domain = template?.template?.domain ?? null;
  if (templateId === null || domain === null) return { choose: () => null };
  // Two previews do not choose one name.
  await lockEnvironment(tx, organizationId, templateId);
  const others = await listServicesOfPreviews(tx, organizationId, templateId);
  const taken = new Set(
    others.flatMap(({ previewHost }) => (previewHost === null ? [] : labelOf(previewHost))),
  );
  return {
    choose(serviceConfigId) {
      const label = decidePreviewLabel(serviceConfigId, keyOfPreview(configId), taken);
      taken.add(label);
      return `${label}.${domain}`;
    },
  };
}

/** The variables that a configuration gives an environment and its services. Pure. @param services all that it names */
export function configuredScopes(
  environment: Environment,
  services: readonly Pick<Service, "id" | "configId">[],
  configuration: Configuration,
  configured: ConfiguredEnvironment,
): readonly ConfiguredScope[] {
  const serviceIds = new Map(services.map(({ configId, id }) => [configId, id]));
  const ofEnvironment = toStoredVariables(serviceIds, configuration.variables, configured.variables);
  const ofServices = new Map(configured.services.map(({ id, variables }) => [id, variables]));
  return [
    { environmentId: environment.id, serviceId: null, variables: ofEnvironment },
    ...services.map(({ id, configId }) => ({
      environmentId: environment.id,
      serviceId: id,
      variables: toStoredVariables(serviceIds, ofServices.get(configId) ?? []),
    })),
  ];
}

/** A static service that was not released yet shows its repository as it is: this follows where the files are. */
export async function moveFiles(
  tx: Transaction,
  jobs: Jobs,
  project: Project,
  service: Service,
): Promise<void> {
  if (service.type === "static") await moveOrigin(tx, jobs, service, await originOf(tx, project, service));
}
