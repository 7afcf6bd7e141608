/** Where a resource is that a path names, for callers whose rights differ between projects. */
import type { Database } from "../db/database.ts";
import { getDomain, getGroup } from "../features/custom-domains/queries.ts";
import { getDeployment } from "../features/deployments/queries.ts";
import { getEnvironment, getService } from "../features/projects/queries.ts";
import type { ResolveScope } from "../http/admission.ts";

export function createResolveScope(db: Database): ResolveScope {
  return async function resolveScope(organizationId, parameter, id) {
    switch (parameter) {
      case "environmentId": {
        const { projectId } = await getEnvironment(db, organizationId, id);
        return { projectId, environmentId: id };
      }
      case "serviceId": {
        const { projectId, environmentId } = await getService(db, organizationId, id);
        return { projectId, environmentId };
      }
      case "domainGroupId":
        return await resolveScope(
          organizationId,
          "serviceId",
          (await getGroup(db, organizationId, id)).serviceId,
        );
      case "domainId":
        return await resolveScope(
          organizationId,
          "domainGroupId",
          (await getDomain(db, organizationId, id)).groupId,
        );
      case "deploymentId": {
        // Its environments are asked for where it is changed, because it may run in several.
        const { projectId } = await getDeployment(db, organizationId, id);
        return { projectId, environmentId: null };
      }
    }
  };
}
