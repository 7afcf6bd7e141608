/** The place of each resource of a project that a path names, for callers whose rights differ between projects. */
import type { Database } from "../db/database.ts";
import { getDomain, getGroup } from "../features/custom-domains/queries.ts";
import { findSnapshot } from "../features/data-stores/queries.ts";
import { getDeployment } from "../features/deployments/queries.ts";
import { getExecution } from "../features/executions/queries.ts";
import { getInvalidation } from "../features/invalidations/queries.ts";
import { getPreview } from "../features/previews/queries.ts";
import { getEnvironment, getService } from "../features/projects/queries.ts";
import { orNotFound } from "../lib/errors.ts";
import type { Places } from "../http/admission.ts";

export function createPlaces(db: Database) {
  const serviceId: Places[string] = async (organizationId, id) => {
    const { projectId, environmentId } = await getService(db, organizationId, id);
    return { projectId, environmentId };
  };
  const domainGroupId: Places[string] = async (organizationId, id) =>
    await serviceId(organizationId, (await getGroup(db, organizationId, id)).serviceId);
  return {
    projectId: async (_organizationId, id) => await Promise.resolve({ projectId: id, environmentId: null }),
    environmentId: async (organizationId, id) => {
      const { projectId } = await getEnvironment(db, organizationId, id);
      return { projectId, environmentId: id };
    },
    serviceId,
    domainGroupId,
    domainId: async (organizationId, id) =>
      await domainGroupId(organizationId, (await getDomain(db, organizationId, id)).groupId),
    executionId: async (organizationId, id) =>
      await serviceId(organizationId, (await getExecution(db, organizationId, id)).serviceId),
    snapshotId: async (organizationId, id) => {
      const snapshot = orNotFound(await findSnapshot(db, organizationId, id));
      return { projectId: snapshot.projectId, environmentId: snapshot.environmentId };
    },
    invalidationId: async (organizationId, id) =>
      await serviceId(organizationId, (await getInvalidation(db, organizationId, id)).serviceId),
    // Its environments are asked for where it is changed, because it may run in several.
    deploymentId: async (organizationId, id) => {
      const { projectId } = await getDeployment(db, organizationId, id);
      return { projectId, environmentId: null };
    },
    previewId: async (organizationId, id) => {
      const { projectId, templateId } = await getPreview(db, organizationId, id);
      return { projectId, environmentId: templateId };
    },
  } satisfies Places;
}
