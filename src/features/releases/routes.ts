import type { Http } from "../../http/http.ts";
import { SNAPSHOTS_TAG } from "../data-stores/routes.ts";
import { listStoreDeletions } from "./queries.ts";
import { StoreDeletionsSchema, viewStoreDeletion } from "./views.ts";

export function registerRemovalRoutes(http: Http): void {
  http.read({
    path: "/v1/projects/:projectId/data-store-deletions",
    role: "viewer",
    scope: "read",
    tag: SNAPSHOTS_TAG,
    operationId: "listDataStoreDeletions",
    summary: "List the data stores that are being deleted",
    description:
      "Lists the removed data stores of a project, at most 100, with why they cannot be deleted, until nothing of them is left in the cloud account except their snapshots.",
    response: StoreDeletionsSchema,
    watch: ({ params }) => [params.projectId],
    handle: async ({ sql, actor, params }) => {
      const found = await listStoreDeletions(sql, actor.organizationId, params.projectId);
      return { dataStoreDeletions: found.map(viewStoreDeletion) };
    },
  });
}
