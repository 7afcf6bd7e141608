import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { getEnvironment, listEnvironmentServices } from "../projects/queries.ts";
import { PROJECTS_TAG as tag } from "../projects/routes.ts";
import { decideEdges } from "./decide-graph.ts";
import { LINKS_MAX, listLinks } from "./store.ts";
import { GraphSchema, viewGraph } from "./views.ts";

export function registerGraphRoute(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/environments/:environmentId/graph",
    role: "viewer",
    scope: "read",
    tag,
    summary: "Get the references between the services of an environment",
    description: `Returns the services, and their references to each other: by \`dependsOn\`, and by variables that have another service's address. Of these variables, the first ${LINKS_MAX.toLocaleString("en")} are read.`,
    response: GraphSchema,
    watch: ({ params }) => [params.environmentId],
    handle: async ({ actor, params }) => {
      const { organizationId } = actor;
      const { id } = await getEnvironment(db, organizationId, params.environmentId);
      const [services, links] = await Promise.all([
        listEnvironmentServices(db, organizationId, id),
        listLinks(db, organizationId, id),
      ]);
      return viewGraph(services, decideEdges(services, links));
    },
  });
}
