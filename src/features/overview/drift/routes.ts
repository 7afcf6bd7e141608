import type { Database } from "../../../db/database.ts";
import type { Git } from "../../../git/git.ts";
import type { Http } from "../../../http/http.ts";
import type { AtRestSealing } from "../../../sealing/at-rest.ts";
import { PROJECTS_TAG as tag } from "../../projects/routes.ts";
import { getDrift } from "./get-drift.ts";
import { DriftSchema, viewDrift } from "./views.ts";

export function registerDriftRoute(
  http: Http,
  deps: { readonly db: Database; readonly git: Git; readonly atRest: AtRestSealing },
): void {
  http.read({
    path: "/v1/environments/:environmentId/drift",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getEnvironmentDrift",
    sdk: "environments.getDrift",
    summary: "Compare what runs with the branch",
    description:
      "Whether the services of the environment run the newest commit of the branch that it follows. The git host is asked at each request. If it cannot be asked, or has no such branch, the answer is 200 with `newest: null`, and `problem` says why. Commits are not counted: `BEHIND` means that another commit than the newest one runs, such as after a rollback.",
    response: DriftSchema,
    handle: async ({ actor, params }) =>
      viewDrift(await getDrift(deps, actor.organizationId, params.environmentId)),
  });
}
