/**
 * Brings the rows of environments and services to what a configuration says: when a project is created, and
 * when a deployment's turn has come. What a configuration no longer has is removed by `remove-services.ts`,
 * after all the rest works without it.
 */
import { announceChange } from "../db/changes.ts";
import type { Transaction } from "../db/database.ts";
import { createDefaultDistribution } from "../distributions/commands.ts";
import { newId } from "../ids.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Configuration, ConfiguredEnvironment, ConfiguredService } from "./configuration.ts";
import { setConfiguredVariables } from "../variables/commands.ts";
import { toStoredVariables } from "./configured-variables.ts";
import { originOf } from "./origin.ts";
import { type Environment, type Project, type Service, servesHttp } from "./project.ts";
import { environments, services } from "./store.ts";

/** Makes what a configuration describes, for a project that has nothing yet. */
export async function applyConfiguration(
  tx: Transaction,
  jobs: Jobs,
  project: Project,
  configuration: Configuration,
): Promise<void> {
  for (const configured of configuration.environments) {
    const environment = await createEnvironment(tx, project, configured);
    await applyEnvironment(tx, jobs, { project, environment, services: [] }, configuration, configured);
  }
}

/** An environment without services. */
export async function createEnvironment(
  tx: Transaction,
  { organizationId, id: projectId }: Project,
  { id: configId, name, region, branch, trigger: deployTrigger }: ConfiguredEnvironment,
): Promise<Environment> {
  const id = newId("env");
  return await environments.insert(tx, {
    organizationId,
    id,
    projectId,
    configId,
    name,
    region,
    branch,
    deployTrigger,
  });
}

/**
 * Creates and changes the services of an environment, and sets the variables that the configuration gives
 * it. Whether it may be applied, `decideEnvironmentPlan` has said before. Returns the services in the
 * configuration's order; those that it does not name stay as they are.
 */
export async function applyEnvironment(
  tx: Transaction,
  jobs: Jobs,
  present: {
    readonly project: Project;
    readonly environment: Environment;
    readonly services: readonly Service[];
  },
  configuration: Configuration,
  configured: ConfiguredEnvironment,
): Promise<readonly Service[]> {
  const { project, environment } = present;
  const { organizationId } = project;
  const { name, branch, trigger } = configured;
  await environments.update(tx, organizationId, environment.id, { name, branch, deployTrigger: trigger });
  announceChange(tx, environment.id);
  const known = new Map(present.services.map((service) => [service.configId, service]));
  const made: { readonly service: Service; readonly configured: ConfiguredService }[] = [];
  for (const one of configured.services) {
    const before = known.get(one.id);
    if (before !== undefined) {
      await services.update(tx, organizationId, before.id, one);
      announceChange(tx, before.id);
      made.push({ service: { ...before, name: one.name, settings: one.settings }, configured: one });
      continue;
    }
    const service = await insertService(tx, environment, one);
    made.push({ service, configured: one });
    if (!servesHttp(service.type)) continue;
    await createDefaultDistribution(tx, jobs, service, {
      awsAccountId: project.awsAccountId,
      origin: await originOf(tx, project, service),
    });
  }
  const serviceIds = new Map(made.map(({ service }) => [service.configId, service.id]));
  const ofEnvironment = toStoredVariables(serviceIds, configuration.variables, configured.variables);
  await setConfiguredVariables(tx, organizationId, [
    { environmentId: environment.id, serviceId: null, variables: ofEnvironment },
    ...made.map(({ service, configured: { variables } }) => ({
      environmentId: environment.id,
      serviceId: service.id,
      variables: toStoredVariables(serviceIds, variables),
    })),
  ]);
  return made.map(({ service }) => service);
}

async function insertService(
  tx: Transaction,
  { organizationId, projectId, id: environmentId }: Environment,
  { id: configId, name, type, settings }: ConfiguredService,
): Promise<Service> {
  const id = newId("svc");
  return await services.insert(tx, {
    organizationId,
    id,
    projectId,
    environmentId,
    configId,
    name,
    type,
    settings,
  });
}
