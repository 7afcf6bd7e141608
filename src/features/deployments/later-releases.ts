/**
 * Finds rows if a later deployment brought anything live in the environment. A restart does not: what it releases was
 * live. Parameters are SQL expressions.
 */
export const REPLACING = (organizationId: string, deploymentId: string, environmentId: string): string =>
  `SELECT 1 FROM deployment_runs later
     JOIN deployments replacing ON replacing.organization_id = later.organization_id
      AND replacing.id = later.deployment_id AND replacing.restarted_service_id IS NULL
     JOIN deployment_services released ON released.organization_id = later.organization_id
      AND released.deployment_id = later.deployment_id AND released.environment_id = later.environment_id
      AND released.status = 'SUCCESS' AND released.workload IS NOT NULL
    WHERE later.organization_id = ${organizationId} AND later.environment_id = ${environmentId}
      AND later.deployment_id > ${deploymentId}`;
