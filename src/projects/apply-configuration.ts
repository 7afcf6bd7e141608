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
    const environment = await insertEnvironment(tx, project, configured);
    const made: { readonly service: Service; readonly configured: ConfiguredService }[] = [];
    for (const one of configured.services) {
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
    await setConfiguredVariables(tx, project.organizationId, [
      { environmentId: environment.id, serviceId: null, variables: ofEnvironment },
      ...made.map(({ service, configured: { variables } }) => ({
        environmentId: environment.id,
        serviceId: service.id,
        variables: toStoredVariables(serviceIds, variables),
      })),
    ]);
  }
}

async function insertEnvironment(
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
