import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { GIT_PROVIDERS, type GitProvider } from "../git/git.ts";
import { PROBLEMS } from "../http/openapi.ts";
import { Words } from "../http/schemas.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import { takeDelivery } from "./commands.ts";

/** A push of thousands of commits has some; all of it is read before its signature can be checked. */
const MAX_BODY_BYTES = 5 * 1_048_576;

const Deployments = Type.Object({
  deploymentIds: Type.Array(Type.String(), { description: "What the delivery started; empty for nothing." }),
});

/** Where git hosts deliver push events. They have no API key: a signature tells who they are. */
export function registerGitHookRoute(
  app: FastifyInstance,
  deps: { db: Database; jobs: Jobs; atRest: AtRestSealing },
): void {
  app.post<{ Params: { provider: GitProvider } }>(
    "/v1/git-hooks/:provider",
    {
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        operationId: "takeGitHook",
        tags: ["Git integrations"],
        summary: "Deliver a push event",
        description:
          "For git hosts: GitHub's `push` signed in `X-Hub-Signature-256`, or GitLab's `Push Hook` with its `X-Gitlab-Token`. Deploys the branch that was pushed, once, where environments have `trigger: push`.",
        security: [],
        params: Type.Object({ provider: Words(GIT_PROVIDERS) }),
        response: { 200: Deployments, ...PROBLEMS },
      },
    },
    async (request, reply) => {
      const { rawBody, headers, body, id: requestId } = request;
      if (rawBody === null) {
        throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Have the git host deliver as application/json.");
      }
      const { provider } = request.params;
      const deploymentIds = await takeDelivery(deps, { provider, headers, rawBody, body, requestId });
      return await reply.send({ deploymentIds });
    },
  );
}
