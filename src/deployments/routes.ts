import { Type } from "typebox";
import type { Database } from "../db/database.ts";
import type { Git } from "../git/git.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body, Words } from "../http/schemas.ts";
import { findRepoUrlFaults } from "../projects/repo-url-faults.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import { createDeployment, getDeployment } from "./commands.ts";
import { DEPLOYMENT_STATUSES } from "./deployment.ts";
import { prepareDeployment } from "./prepare-deployment.ts";
import { deployments } from "./store.ts";
import { DeploymentSchema, viewDeployment } from "./views.ts";

const tag = "Deployments";
const PROJECT_ID = Type.String({ minLength: 1, maxLength: 200 });
const BRANCH = Type.String({ minLength: 1, maxLength: 255 });

export function registerDeploymentRoutes(
  http: Http,
  deps: { db: Database; git: Git; atRest: AtRestSealing },
): void {
  const { db } = deps;

  http.write({
    method: "POST",
    path: "/v1/deployments",
    role: "developer",
    tag,
    summary: "Deploy a branch",
    description:
      "Records a deployment of the commit that the git host has at the branch now. This release does not build or release it yet: it stays `PENDING`, and `statusReason` says so.",
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
    findFaults: (body) => findRepoUrlFaults((body as { repoUrl?: unknown } | null)?.repoUrl),
    responses: { 201: DeploymentSchema },
    prepare: ({ actor, body }) => prepareDeployment(deps, actor, body),
    commit: async ({ tx, actor, prepared }) => {
      const deployment = await createDeployment(tx, actor, prepared);
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
      projectId: Type.Optional(PROJECT_ID),
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
    response: DeploymentSchema,
    watch: ({ params }) => [params.deploymentId],
    handle: async ({ actor, params }) =>
      viewDeployment(await getDeployment(db, actor.organizationId, params.deploymentId)),
  });
}
