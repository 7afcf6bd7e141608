/** Where a resource is that a path names, for callers who are limited to projects. */
import type { Database } from "../db/database.ts";
import { getDomain, getGroup } from "../features/custom-domains/queries.ts";
import { getDeployment } from "../features/deployments/commands.ts";
import { getEnvironment, getProject, getService } from "../features/projects/queries.ts";
import type { FindPlace } from "../http/admission.ts";

export function createFindPlace(db: Database): FindPlace {
  return async function findPlace(organizationId, parameter, id) {
    switch (parameter) {
      case "projectId":
        return { projectId: (await getProject(db, organizationId, id)).id };
      case "environmentId":
        return await getEnvironment(db, organizationId, id);
      case "serviceId":
        return await getService(db, organizationId, id);
      case "domainGroupId":
        return await getService(db, organizationId, (await getGroup(db, organizationId, id)).serviceId);
      case "domainId":
        return await findPlace(
          organizationId,
          "domainGroupId",
          (await getDomain(db, organizationId, id)).groupId,
        );
      case "deploymentId":
        return await getDeployment(db, organizationId, id);
    }
  };
}
