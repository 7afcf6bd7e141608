import type { Origin } from "../../cloud/cloud.ts";
import type { Sql } from "../../db/database.ts";
import { getEnvironment } from "./queries.ts";
import type { Project, Service } from "./project.ts";

/** Where a distribution of a service fetches what it serves: its live release, once there is one. */
export async function originOf(sql: Sql, project: Project, service: Service): Promise<Origin> {
  switch (service.type) {
    case "static": {
      const { branch } = await getEnvironment(sql, service.organizationId, service.environmentId);
      return {
        kind: "repository",
        repoUrl: project.normalizedRepoUrl,
        branch,
        directory: service.settings.outputDirectory,
        serviceId: service.id,
      };
    }
    case "external":
      return { kind: "host", hostname: service.settings.hostname };
    case "web":
    case "worker":
      return { kind: "none", serviceId: service.id };
  }
}
