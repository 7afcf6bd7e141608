import { Type } from "typebox";
import type { Http } from "../../../http/http.ts";
import { Body, Id } from "../../../http/schemas.ts";
import { createConfigurationParser } from "../../configuration/configuration.ts";
import { DEPLOYMENTS_TAG as tag } from "../../deployments/routes.ts";
import { compareDeployments, planRollback } from "./compare-deployments.ts";
import { DeploymentChangesSchema, RollbackPlanSchema, viewComparison, viewRollbackPlan } from "./views.ts";

export function registerCompareRoute(http: Http): void {
  const parse = createConfigurationParser();
  http.read({
    path: "/v1/deployments/:deploymentId/changes",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "compareDeployments",
    sdk: "deployments.compare",
    summary: "Compare a deployment with an earlier one",
    description:
      "What differs in commit and configuration from the deployment of the same branch that last succeeded before it, or from the one that `with` names. What a deployment changed in its environments is in their `plan`.",
    query: Body({ with: Type.Optional(Id("depl", "The deployment to compare with.")) }),
    response: DeploymentChangesSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ sql, actor, params, query }) =>
      viewComparison(await compareDeployments(sql, actor, parse, params.deploymentId, query.with ?? null)),
  });

  http.read({
    path: "/v1/deployments/:deploymentId/rollback-plan",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "planRollback",
    sdk: "deployments.planRollback",
    summary: "Preview a rollback to a deployment",
    description:
      "What its configuration adds, changes and removes, compared with the configuration that each environment has now. Values of variables are not shown.",
    response: RollbackPlanSchema,
    handle: async ({ sql, actor, params }) =>
      viewRollbackPlan(await planRollback(sql, actor, parse, params.deploymentId)),
  });
}
