import type { Static } from "typebox";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { tag as domainsTag } from "../../custom-domains/api/group-routes.ts";
import { getGroup } from "../../custom-domains/queries.ts";
import { getDeployment } from "../../deployments/commands.ts";
import { DEPLOYMENTS_TAG } from "../../deployments/routes.ts";
import { showService } from "../../environments/show-service.ts";
import { getEnvironment, getProjectDetails, getService } from "../../projects/queries.ts";
import { PROJECTS_TAG } from "../../projects/routes.ts";
import { viewEnvironment, viewProject } from "../../projects/views.ts";
import { PlaceSchema } from "./views.ts";

type Place = Static<typeof PlaceSchema>;

const READ = {
  role: "viewer",
  scope: "read",
  response: PlaceSchema,
  watch: ({ body: { project, environment, service } }: { readonly body: Place }) =>
    [project, environment, service].flatMap((one) => (one === null ? [] : [one.id])),
} as const;

/** What a resource is in, for pages that show all of it. */
export function registerPlaceRoutes(http: Http, { db }: { readonly db: Database }): void {
  const showProject = async (organizationId: string, id: string) =>
    viewProject(await getProjectDetails(db, organizationId, id));

  const placeOfService = async (organizationId: string, id: string) => {
    const found = await getService(db, organizationId, id);
    const [project, environment, service] = await Promise.all([
      showProject(organizationId, found.projectId),
      getEnvironment(db, organizationId, found.environmentId),
      showService(db, found),
    ]);
    return { project, environment: viewEnvironment(environment), service };
  };

  http.read({
    ...READ,
    path: "/v1/environments/:environmentId/place",
    tag: PROJECTS_TAG,
    operationId: "getEnvironmentPlace",
    sdk: "environments.getPlace",
    summary: "Get an environment with its project",
    handle: async ({ actor: { organizationId }, params }) => {
      const environment = await getEnvironment(db, organizationId, params.environmentId);
      const project = await showProject(organizationId, environment.projectId);
      return { project, environment: viewEnvironment(environment), service: null };
    },
  });

  http.read({
    ...READ,
    path: "/v1/services/:serviceId/place",
    tag: PROJECTS_TAG,
    operationId: "getServicePlace",
    sdk: "services.getPlace",
    summary: "Get a service with its environment and project",
    handle: async ({ actor: { organizationId }, params }) =>
      await placeOfService(organizationId, params.serviceId),
  });

  http.read({
    ...READ,
    path: "/v1/domain-certificate-groups/:domainGroupId/place",
    tag: domainsTag,
    operationId: "getDomainCertificateGroupPlace",
    sdk: "domainGroups.getPlace",
    summary: "Get the service, environment and project of a group",
    handle: async ({ actor: { organizationId }, params }) => {
      const { serviceId } = await getGroup(db, organizationId, params.domainGroupId);
      return await placeOfService(organizationId, serviceId);
    },
  });

  http.read({
    ...READ,
    path: "/v1/deployments/:deploymentId/place",
    tag: DEPLOYMENTS_TAG,
    operationId: "getDeploymentPlace",
    sdk: "deployments.getPlace",
    summary: "Get the project of a deployment",
    handle: async ({ actor: { organizationId }, params }) => {
      const { projectId } = await getDeployment(db, organizationId, params.deploymentId);
      return { project: await showProject(organizationId, projectId), environment: null, service: null };
    },
  });
}
