import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../../http/errors.ts";
import type { GitProvider } from "../../git/git.ts";
import { GIT_INTEGRATIONS } from "../git-integrations/routes.ts";
import { requirePlainUtf8 } from "../../http/requests/bodies.ts";
import { bodyTooLarge } from "../../http/problems/error-response.ts";
import type { ReadBody } from "../../http/requests/read-body.ts";
import { At, Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { getGitIntegration } from "../git-integrations/queries.ts";
import { receipts } from "./store.ts";
import { GitHookDeliverySchema, viewReceipt } from "./views.ts";
import { type HookDeps, hookRefused, noteTooLarge, takeDelivery } from "./commands.ts";
import { looksSigned } from "./delivery.ts";
import { GitProviderSchema } from "../projects/views.ts";

/** A push of thousands of commits is some MiB, and all of it is read before its signature can be checked. */
const MAX_BODY_BYTES = 5 * 1_048_576;
/** Of a larger body. GitHub and GitLab write the repository within the first 10 KiB. */
const START_BYTES = 65_536;

const Deployments = Type.Object(
  {
    deploymentIds: Type.Array(Type.String(), {
      description: "The deployments that were started; empty for none.",
      examples: [[EXAMPLE_IDS.depl]],
    }),
  },
  { title: "StartedDeployments", description: "The deployments that a delivery started." },
);

/**
 * The endpoint for the push events of git hosts. They have no API key: their signature identifies them. A delivery
 * without a signature is refused before its body is read, and a body is parsed only after its signature was checked.
 */
export function registerGitHookRoute(app: FastifyInstance, deps: HookDeps): void {
  void app.register(async (scope) => {
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", (request: FastifyRequest, payload: Readable) =>
      scope.bodies.readOrCut(request, payload, MAX_BODY_BYTES, START_BYTES),
    );
    scope.post<{ Params: { provider: GitProvider }; Body: ReadBody | undefined }>(
      "/v1/git-hooks/:provider",
      {
        bodyLimit: MAX_BODY_BYTES,
        schema: {
          operationId: "deliverPush",
          sdk: null,
          tag: GIT_INTEGRATIONS,
          summary: "Deliver a push event",
          description:
            "Git hosts call this endpoint: GitHub sends its `push` event with `X-Hub-Signature-256`, GitLab its `Push Hook` with `X-Gitlab-Token`. Deploys the pushed branch once to environments with `trigger: push`, if the branch is still at that commit.",
          needsKey: false,
          params: Type.Object({ provider: At(GitProviderSchema, "The provider that delivers.") }),
          response: { 200: Deployments },
        },
        onRequest: async (request) => requireSender(request),
      },
      async (request, reply) => {
        const { headers, id: requestId } = request;
        const { provider } = request.params;
        const { blocks: body, isCut } = request.body ?? { blocks: [], isCut: false };
        if (isCut) {
          await noteTooLarge(deps, { provider, headers, start: body });
          throw bodyTooLarge();
        }
        const deploymentIds = await takeDelivery(deps, { provider, headers, body, requestId });
        return await reply.send({ deploymentIds });
      },
    );
  });
}

export function registerGitHookReceiptRoute(http: Http, { db }: { readonly db: Database }): void {
  http.read({
    path: "/v1/git-integrations/:gitIntegrationId/deliveries",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: GIT_INTEGRATIONS,
    operationId: "listGitHookDeliveries",
    summary: "List the deliveries of a git host",
    description:
      "Lists each push and other event of the last 30 days with its outcome, and the reason if it deployed nothing. Of deliveries with a wrong signature or more than 5 MiB, Slipway keeps one per minute, without its contents.",
    query: Body(PAGE_QUERY),
    response: ListOf("deliveries", GitHookDeliverySchema),
    handle: async ({ actor, params, query }) => {
      const { id } = await getGitIntegration(db, actor.organizationId, params.gitIntegrationId);
      const page = readPage(query);
      const rows = await receipts.list(db, actor.organizationId, id, page);
      const { items, nextCursor } = makePage(rows, page, (receipt) => receipt.id);
      return { deliveries: items.map(viewReceipt), nextCursor };
    },
  });
}

/**
 * Checks only the head of a request. @throws AppError `INVALID_REQUEST`, `UNSUPPORTED_MEDIA_TYPE`,
 * `HOOK_SIGNATURE_REFUSED`
 */
function requireSender(request: FastifyRequest<{ Params: { provider: GitProvider } }>): void {
  const check = request.getValidationFunction("params") as unknown as (params: unknown) => { error?: Error };
  const { error } = check(request.params);
  if (error !== undefined) throw error;
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json")
    throw new AppError(
      HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE,
      "Configure the git host to deliver as application/json.",
    );
  requirePlainUtf8(request);
  if (!looksSigned(request.params.provider, request.headers)) throw hookRefused();
}
