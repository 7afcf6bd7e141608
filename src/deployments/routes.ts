import { Type } from "typebox";
import type { Platform } from "../cloud/platform.ts";
import type { Changes } from "../db/changes.ts";
import type { Database } from "../db/database.ts";
import type { Git } from "../git/git.ts";
import { identifyRepository } from "../git/repository-url.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body, Words } from "../http/schemas.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { cancelDeployment, createDeployment, getDeploymentDetails, rollBackTo } from "./commands.ts";
import { DEPLOYMENT_STATUSES } from "./deployment.ts";
import { followLogs } from "./follow-logs.ts";
import { prepareDeployment } from "./prepare-deployment.ts";
import { CURSOR_CHARACTERS_MAX, readLogs } from "./read-logs.ts";
import { deployments } from "./store.ts";
import {
  DeploymentDetailsSchema,
  DeploymentSchema,
  LogsSchema,
  NOT_RESTORED,
  RollbackSchema,
  viewDeployment,
  viewDeploymentDetails,
  viewLogs,
} from "./views.ts";

const tag = "Deployments";
const ID = Type.String({ minLength: 1, maxLength: 200 });
const BRANCH = Type.String({ minLength: 1, maxLength: 255 });

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

  http.write({
    method: "POST",
    path: "/v1/deployments",
    role: "developer",
    tag,
    summary: "Deploy a branch",
    description:
      "Builds and releases the commit that the git host has at the branch now, in every environment that follows the branch by the commit's configuration. Follow it with `Prefer: wait` at its address. A newer deployment of an environment supersedes those that still wait.",
    body: Body({
      repoUrl: Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          "Repository of the project; scheme, user-info, case of the host and `.git` do not matter.",
      }),
      branch: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: "The branch of the project's environments when left out, if they follow one only.",
        }),
      ),
      filter: Type.Optional(
        Body({
          projectId: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description: "Needed where several projects have the repository.",
            }),
          ),
        }),
      ),
    }),
    findFaults: (body) =>
      findRepoUrlFaults((body as { repoUrl?: unknown } | null)?.repoUrl, identifyRepository),
    responses: { 201: DeploymentSchema },
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
    tag,
    summary: "List deployments, newest first",
    query: Body({
      ...PAGE_QUERY,
      projectId: Type.Optional(ID),
      environmentId: Type.Optional(ID),
      branch: Type.Optional(BRANCH),
      status: Type.Optional(Words(DEPLOYMENT_STATUSES)),
    }),
    response: ListOf("deployments", DeploymentSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await deployments.list(db, actor.organizationId, page, query);
      const { items, nextCursor } = makePage(rows, page, (deployment) => deployment.id);
      return { deployments: items.map(viewDeployment), nextCursor };
    },
  });

  http.read({
    path: "/v1/deployments/:deploymentId",
    role: "viewer",
    tag,
    summary: "Get a deployment",
    description:
      "With its run in each environment, what applying the configuration changes, and each service.",
    response: DeploymentDetailsSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ actor, params }) =>
      viewDeploymentDetails(await getDeploymentDetails(db, actor.organizationId, params.deploymentId)),
  });

  http.read({
    path: "/v1/deployments/:deploymentId/logs",
    role: "viewer",
    tag,
    summary: "Read the logs of a deployment",
    description:
      "What its builds and the processes of its releases print, as the cloud has it. With `Accept: text/event-stream` it is followed live: events `status` and `line` until `end` says how the deployment ended. An event's id is a cursor.",
    query: Body({
      serviceId: Type.Optional(ID),
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: CURSOR_CHARACTERS_MAX,
          description: "The `nextCursor` of the page before.",
        }),
      ),
    }),
    response: LogsSchema,
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
          // Who comes again in the middle of a batch gets the batch again.
          yield { event: "line", id: index === lines.length - 1 ? event.cursor : null, data: line };
        }
      }
    },
  });

  http.write({
    method: "POST",
    path: "/v1/deployments/:deploymentId/cancel",
    role: "developer",
    tag,
    summary: "Cancel a deployment",
    description:
      "What is not live yet never will be; what was released already stays. Read the deployment to see when it has ended.",
    responses: { 202: DeploymentSchema },
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
    path: "/v1/deployments/:deploymentId/rollback",
    role: "developer",
    tag,
    summary: "Roll back to a deployment",
    description:
      "Makes a new deployment with that one's commit, configuration and built artifacts, in the environments that it was for. `notRestored` says what it leaves alone.",
    responses: { 201: RollbackSchema },
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
