import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body, Id } from "../../http/schemas.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { DEPLOYMENTS_TAG } from "../deployments/routes.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { PROJECTS_TAG } from "../projects/routes.ts";
import { compareDeployments, getDrift, planRollback } from "./queries.ts";
import { listProjectBranches, listProjectCommits } from "./repository.ts";
import {
  DeploymentChangesSchema,
  DriftSchema,
  ProjectBranchesSchema,
  ProjectCommitsSchema,
  RollbackPlanSchema,
  viewBranches,
  viewCommits,
  viewComparison,
  viewDrift,
  viewRollbackPlan,
} from "./views.ts";

const OF_DEPLOYMENTS = { role: "viewer", scope: "read", tag: DEPLOYMENTS_TAG } as const;
const OF_PROJECTS = { role: "viewer", scope: "read", tag: PROJECTS_TAG } as const;

export function registerComparisonRoutes(http: Http, deps: GitDeps): void {
  const parse = createConfigurationParser(null);
  http.read({
    path: "/v1/deployments/:deploymentId/changes",
    ...OF_DEPLOYMENTS,
    operationId: "compareDeployments",
    sdk: "deployments.compare",
    summary: "Compare a deployment with an earlier one",
    description:
      "The differences in commit and configuration from the last successful deployment of the same branch before it, or from the deployment that `with` names. The `plan` of each environment says what the deployment changed there.",
    query: Body({ with: Type.Optional(Id("depl", "The deployment to compare with.")) }),
    response: DeploymentChangesSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ sql, actor, params, query }) =>
      viewComparison(await compareDeployments(sql, actor, parse, params.deploymentId, query.with ?? null)),
  });

  http.read({
    path: "/v1/deployments/:deploymentId/rollback-plan",
    ...OF_DEPLOYMENTS,
    operationId: "planRollback",
    sdk: "deployments.planRollback",
    summary: "Preview a rollback to a deployment",
    description:
      "The parts that its configuration adds, changes and removes, compared with the present configuration of each environment. Values of variables are not shown.",
    response: RollbackPlanSchema,
    handle: async ({ sql, actor, params }) =>
      viewRollbackPlan(await planRollback(sql, actor, parse, params.deploymentId)),
  });

  http.read({
    path: "/v1/projects/:projectId/branches",
    ...OF_PROJECTS,
    summary: "List the branches of a project's repository",
    description:
      "The git host is asked at each request. If it cannot be asked, the response is 200 with no branches, and `problem` says why.",
    query: Body({
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: "A part of the name, in any case." }),
      ),
    }),
    response: ProjectBranchesSchema,
    handle: async ({ actor, params, query }) =>
      viewBranches(await listProjectBranches(deps, actor.organizationId, params.projectId, query.search)),
  });

  http.read({
    path: "/v1/projects/:projectId/commits",
    ...OF_PROJECTS,
    summary: "List the recent commits of a branch",
    description:
      "At most 20 commits, the newest first. The git host is asked at each request. If it cannot be asked, or has no such branch, the response is 200 with no commits, and `problem` says why.",
    query: Body({
      branch: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The branch.",
        examples: ["main"],
      }),
    }),
    response: ProjectCommitsSchema,
    handle: async ({ actor, params, query }) =>
      viewCommits(await listProjectCommits(deps, actor.organizationId, params.projectId, query.branch)),
  });

  http.read({
    path: "/v1/environments/:environmentId/drift",
    ...OF_PROJECTS,
    summary: "Compare an environment with its branch",
    description:
      "Returns whether the services of the environment run the newest commit of the branch that it follows. The git host is asked at each request. If it does not answer, or has no such branch, the response is 200 with `newest: null`, and `problem` has the reason. `BEHIND` only means that another commit than the newest one runs, for example after a rollback.",
    response: DriftSchema,
    handle: async ({ actor, params }) =>
      viewDrift(await getDrift(deps, actor.organizationId, params.environmentId)),
  });
}
