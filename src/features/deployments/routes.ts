import { Type } from "typebox";
import type { Platform } from "../../cloud/platform.ts";
import type { Changes } from "../../db/changes.ts";
import type { Database } from "../../db/database.ts";
import type { Git } from "../../git/git.ts";
import { identifyRepository } from "../../git/repository-url.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { At, Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import { visibleTo } from "../../lib/access.ts";
import type { IdPrefix } from "../../lib/ids.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import {
  cancelDeployment,
  createDeployment,
  getDeploymentDetails,
  listDeployments,
  redeploy,
  rollBackTo,
} from "./commands.ts";
import { followLogs } from "./logs/follow-logs.ts";
import { prepareDeployment } from "./prepare-deployment.ts";
import { CURSOR_CHARACTERS_MAX, readLogs } from "./logs/read-logs.ts";
import {
  CANCELLING_EXAMPLE,
  DeploymentDetailsSchema,
  DeploymentSchema,
  NEW_DEPLOYMENT_EXAMPLE,
  NOT_RESTORED,
  ROLLBACK_EXAMPLE,
  RollbackSchema,
  viewDeployment,
  viewDeploymentDetails,
} from "./views.ts";
import { DeploymentStatusSchema } from "./run-views.ts";
import { LogEventSchema, LogsSchema, viewLogs } from "./logs/views.ts";

export const DEPLOYMENTS_TAG: Tag = {
  name: "Deployments",
  description: "Commits that are built and released, their progress and their logs.",
};
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

export function registerDeploymentRoutes(
  http: Http,
  deps: {
    db: Database;
    git: Git;
    atRest: AtRestSealing;
    jobs: Jobs;
    changes: Changes;
    platform: Platform | null;
  },
): void {
  const { db, jobs } = deps;
  const tag = DEPLOYMENTS_TAG;

  http.write({
    method: "POST",
    path: "/v1/deployments",
    role: "developer",
    scope: "deploy",
    reach: "projects",
    tag,
    summary: "Deploy a branch",
    description:
      "Builds and releases the branch's current commit in every environment that follows the branch, as configured in that commit; with `filter.environmentId`, in that environment only. Follow the deployment with `Prefer: wait` at its address. A newer deployment of an environment supersedes those that are still waiting.",
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
    commit: async ({ tx, actor, prepared }) => {
      const deployment = await createDeployment(tx, jobs, actor, prepared);
      return {
        status: 201,
        location: `/v1/deployments/${deployment.id}`,
        body: viewDeployment(deployment),
      };
    },
  });

  http.read({
    path: "/v1/deployments",
    role: "viewer",
    scope: "read",
    reach: "projects",
    tag,
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
    role: "viewer",
    scope: "read",
    tag,
    summary: "Get a deployment",
    description: "Includes its run in each environment, what its configuration changes, and each service.",
    response: DeploymentDetailsSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ actor, params }) =>
      viewDeploymentDetails(await getDeploymentDetails(db, actor.organizationId, params.deploymentId)),
  });

  http.read({
    path: "/v1/deployments/:deploymentId/logs",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getDeploymentLogs",
    sdk: "deployments.getLogs",
    summary: "Read the logs of a deployment",
    description:
      "The output of its builds and releases, read from the cloud. With `Accept: text/event-stream` it is streamed live: events `status` and `line`, then `end` when the deployment has ended, or `refused` when the key may no longer read it. An event's id is a cursor.",
    query: Body({
      serviceId: Type.Optional(idOf("svc", "Only lines about this service.")),
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: CURSOR_CHARACTERS_MAX,
          description: "The `nextCursor` of the page before.",
        }),
      ),
    }),
    response: LogsSchema,
    eventSchema: LogEventSchema,
    handle: async ({ actor, params, query }) =>
      viewLogs(await readLogs(deps, actor.organizationId, params.deploymentId, query)),
    async *events({ actor, params, query, lastEventId, signal }) {
      const from = lastEventId === null ? query : { ...query, cursor: lastEventId };
      for await (const event of followLogs(deps, actor.organizationId, params.deploymentId, from, signal)) {
        if (event.kind !== "lines") {
          yield { event: event.kind, id: null, data: { status: event.status } };
          continue;
        }
        const { lines } = viewLogs({ lines: event.lines, next: event.cursor });
        for (const [index, line] of lines.entries()) {
          // A client that reconnects in the middle of a batch gets the whole batch again.
          yield { event: "line", id: index === lines.length - 1 ? event.cursor : null, data: line };
        }
      }
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/cancel",
    role: "developer",
    scope: "deploy",
    tag,
    summary: "Cancel a deployment",
    description:
      "What is not live yet will not go live; what was already released stays. Read the deployment to see when it has ended.",
    responses: { 202: DeploymentSchema },
    examples: { 202: CANCELLING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const deployment = await cancelDeployment(tx, jobs, actor, params.deploymentId);
      return {
        status: 202,
        location: `/v1/deployments/${deployment.id}`,
        body: viewDeployment(deployment),
      };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/redeploy",
    role: "developer",
    scope: "deploy",
    tag,
    sdk: "deployments.redeploy",
    summary: "Deploy the commit of a deployment again",
    description:
      "Creates a new deployment of the same commit and branch, however the first one ended. Everything is built again, with the present variables. To deploy the branch's newest commit, create a deployment.",
    responses: { 201: DeploymentSchema },
    examples: { 201: NEW_DEPLOYMENT_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const deployment = await redeploy(tx, jobs, actor, params.deploymentId);
      return {
        status: 201,
        location: `/v1/deployments/${deployment.id}`,
        body: viewDeployment(deployment),
      };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/rollback",
    role: "developer",
    scope: "deploy",
    tag,
    operationId: "rollBackToDeployment",
    summary: "Roll back to a deployment",
    description:
      "Creates a new deployment with that deployment's commit, configuration, artifacts and environments. `notRestored` lists what is not rolled back.",
    responses: { 201: RollbackSchema },
    examples: { 201: { deployment: ROLLBACK_EXAMPLE } },
    commit: async ({ tx, actor, params }) => {
      const deployment = await rollBackTo(tx, jobs, actor, params.deploymentId);
      return {
        status: 201,
        location: `/v1/deployments/${deployment.id}`,
        body: { deployment: viewDeployment(deployment), notRestored: NOT_RESTORED },
      };
    },
  });
}
