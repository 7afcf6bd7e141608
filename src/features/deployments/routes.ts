import { Type } from "typebox";
import { identifyRepository } from "../../git/repository-url.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body, EXAMPLE_IDS, LINES_TEXT } from "../../http/schemas.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import { visibleTo } from "../../lib/access.ts";
import { COMMON_FAULTS } from "../../lib/errors.ts";
import type { IdPrefix } from "../../lib/ids.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import { approveDeployment, rejectDeployment } from "./approval-commands.ts";
import { cancelDeployment, createDeployment, prepareDeployment, redeploy, rollBackTo } from "./commands.ts";
import type { Deployment } from "./deployment.ts";
import { getDeploymentDetails, listDeployments } from "./queries.ts";
import { restartService } from "./restart-service.ts";
import {
  CANCELLING_EXAMPLE,
  DeploymentDetailsSchema,
  DeploymentSchema,
  DeploymentStatusSchema,
  NEW_DEPLOYMENT_EXAMPLE,
  NOT_RESTORED,
  RESTART_EXAMPLE,
  ROLLBACK_EXAMPLE,
  RollbackSchema,
  viewDeployment,
  viewDeploymentDetails,
} from "./views.ts";

export const DEPLOYMENTS_TAG: Tag = {
  name: "Deployments",
  description: "Commits that are built and released, their progress and their logs.",
};
const READ = { role: "viewer", scope: "read", tag: DEPLOYMENTS_TAG } as const;
const WRITE = { role: "developer", scope: "deploy", tag: DEPLOYMENTS_TAG } as const;

const idOf = (prefix: IdPrefix, description: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [EXAMPLE_IDS[prefix]] });

/** What lists of deployments are filtered by. */
export const DEPLOYMENT_FILTERS = {
  projectId: Type.Optional(idOf("proj", "Only deployments of this project.")),
  environmentId: Type.Optional(idOf("env", "Only deployments that run in this environment.")),
  serviceId: Type.Optional(idOf("svc", "Only deployments that build or release this service.")),
  branch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Only deployments of this branch.",
      examples: ["main"],
    }),
  ),
  status: Type.Optional(At(DeploymentStatusSchema, "Only deployments with this status.", "SUCCESS")),
};

const DECISION = {
  environmentId: Type.Optional(
    idOf(
      "env",
      "Decides only in this environment; by default, in every environment where the deployment waits for an approval.",
    ),
  ),
  comment: Type.Optional(
    Type.String({
      ...LINES_TEXT,
      maxLength: 500,
      description: "Shown with the deployment, in events and in audit entries.",
      examples: ["Read and tried."],
    }),
  ),
};

function answer<Status extends 201 | 202>(status: Status, deployment: Deployment) {
  return { status, location: `/v1/deployments/${deployment.id}`, body: viewDeployment(deployment) };
}

export function registerDeploymentRoutes(http: Http, deps: GitDeps & WorkDeps): void {
  const { db, jobs } = deps;

  http.write({
    method: "POST",
    path: "/v1/deployments",
    ...WRITE,
    reach: "projects",
    summary: "Deploy a branch",
    description:
      "Builds and releases the branch's current commit in every environment that follows the branch, as configured in that commit. With `filter.environmentId`, it does so only in that environment. Follow the deployment with `Prefer: wait` at its address. A newer deployment of an environment supersedes the deployments that still wait.",
    body: Body({
      repoUrl: Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          "Repository of the project. The scheme, user info, `.git` and the host's letter case do not matter.",
        examples: ["https://github.com/acme/shop"],
      }),
      branch: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            "Defaults to the branch of the environment in `filter`, or of the project's environments if they all follow the same one.",
          examples: ["main"],
        }),
      ),
      filter: Type.Optional(
        Body(
          {
            projectId: Type.Optional(idOf("proj", "Required if several projects have the repository.")),
            environmentId: Type.Optional(
              idOf("env", "Deploy to this environment only, and from its branch if `branch` is absent."),
            ),
          },
          {
            title: "DeploymentFilter",
            description: "Selects the project if several have the repository, and the environment.",
          },
        ),
      ),
    }),
    findFaults: (body) =>
      findRepoUrlFaults((body as { repoUrl?: unknown } | null)?.repoUrl, identifyRepository),
    responses: { 201: DeploymentSchema },
    examples: { 201: NEW_DEPLOYMENT_EXAMPLE },
    prepare: ({ actor, body }) => prepareDeployment(deps, actor, body),
    commit: async ({ tx, actor, prepared }) => answer(201, await createDeployment(tx, jobs, actor, prepared)),
  });

  http.read({
    path: "/v1/deployments",
    ...READ,
    reach: "projects",
    summary: "List deployments",
    query: Body({ ...PAGE_QUERY, ...DEPLOYMENT_FILTERS }),
    response: ListOf("deployments", DeploymentSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await listDeployments(db, actor.organizationId, page, query, visibleTo(actor));
      const { items, nextCursor } = makePage(rows, page, (deployment) => deployment.id);
      return { deployments: items.map(viewDeployment), nextCursor };
    },
  });

  http.read({
    path: "/v1/deployments/:deploymentId",
    ...READ,
    summary: "Get a deployment",
    description:
      "The response includes its run in each environment, what its configuration changes, and each service.",
    response: DeploymentDetailsSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ actor, params }) =>
      viewDeploymentDetails(await getDeploymentDetails(db, actor.organizationId, params.deploymentId)),
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/cancel",
    ...WRITE,
    summary: "Cancel a deployment",
    description:
      "Services that are not live yet will not go live; services that it has released stay live. Read the deployment to see when it has ended.",
    responses: { 202: DeploymentSchema },
    examples: { 202: CANCELLING_EXAMPLE },
    commit: async ({ tx, actor, params }) =>
      answer(202, await cancelDeployment(tx, jobs, actor, params.deploymentId)),
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/redeploy",
    ...WRITE,
    summary: "Deploy the commit of a deployment again",
    description:
      "Creates a new deployment of the same commit and branch, however the first one ended. Everything is built again, with the present variables. To deploy the branch's newest commit, create a deployment.",
    responses: { 201: DeploymentSchema },
    examples: { 201: NEW_DEPLOYMENT_EXAMPLE },
    commit: async ({ tx, actor, params }) =>
      answer(201, await redeploy(tx, jobs, actor, params.deploymentId)),
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/rollback",
    ...WRITE,
    operationId: "rollBackToDeployment",
    summary: "Roll back to a deployment",
    description:
      "Creates a new deployment with that deployment's commit, configuration, artifacts and environments. `notRestored` lists what does not change.",
    responses: { 201: RollbackSchema },
    examples: { 201: { deployment: ROLLBACK_EXAMPLE } },
    commit: async ({ tx, actor, params }) => {
      const { body, ...created } = answer(201, await rollBackTo(tx, jobs, actor, params.deploymentId));
      return { ...created, body: { deployment: body, notRestored: NOT_RESTORED } };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/restart",
    ...WRITE,
    summary: "Restart a service",
    description:
      "Creates a deployment that starts the release that a web or worker service runs again, with the present variables and without a build. The new processes replace the old ones when they are healthy. A variable that the build reads changes nothing until the next deployment of a commit.",
    responses: { 201: DeploymentSchema },
    examples: { 201: RESTART_EXAMPLE },
    commit: async ({ tx, actor, params }) =>
      answer(201, await restartService(tx, deps, actor, params.serviceId)),
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/approve",
    ...WRITE,
    summary: "Approve a deployment",
    description:
      "The deployment begins in the environments that require an approval. The caller must be a person who may deploy there, has the role that the environment requires, and did not start the deployment.",
    body: Body({
      ...DECISION,
      isBypass: Type.Optional(
        Type.Boolean({
          description:
            "Bypasses the approval in an emergency. Requires an admin of the project and a `comment`; events and audit entries show it.",
          examples: [false],
        }),
      ),
    }),
    findFaults: (body) => {
      const { isBypass, comment } = (body ?? {}) as {
        readonly isBypass?: unknown;
        readonly comment?: unknown;
      };
      if (isBypass !== true || comment !== undefined) return [];
      const { code } = COMMON_FAULTS.REQUIRED;
      return [{ path: "/comment", code, message: "is required to bypass an approval: say why" }];
    },
    responses: { 200: DeploymentDetailsSchema },
    examples: { 200: { status: "PENDING", startedAt: null, endedAt: null } },
    commit: async ({ tx, actor, params, body }) => {
      const { environmentId = null, comment = null, isBypass = false } = body;
      const decision = { environmentId, comment, isBypass };
      const details = await approveDeployment(tx, jobs, actor, params.deploymentId, decision);
      return { status: 200, body: viewDeploymentDetails(details) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/reject",
    ...WRITE,
    summary: "Reject a deployment",
    description:
      "The deployment is cancelled in the environments where it waits for an approval. The caller must be a person who may approve it. The user who started it can cancel it instead.",
    body: Body(DECISION),
    responses: { 200: DeploymentDetailsSchema },
    examples: { 200: { status: "CANCELLED" } },
    commit: async ({ tx, actor, params, body }) => {
      const { environmentId = null, comment = null } = body;
      const decision = { environmentId, comment };
      const details = await rejectDeployment(tx, jobs, actor, params.deploymentId, decision);
      return { status: 200, body: viewDeploymentDetails(details) };
    },
  });
}
