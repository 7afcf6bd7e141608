import { Type } from "typebox";
import type { Actor } from "../../lib/actor.ts";
import type { Transaction } from "../../db/database.ts";
import { REPOSITORY_SORTS } from "../../git/git.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Defaulted, Words } from "../../http/schemas.ts";
import { newId } from "../../lib/ids.ts";
import { Secret } from "../../sealing/secret.ts";
import { recordAskedCheck, tryToken } from "./check-token.ts";
import {
  createGitIntegration,
  deleteGitIntegration,
  prepareHookSecret,
  prepareToken,
  replaceToken,
  setHookSecret,
} from "./commands.ts";
import { tokenIdentity } from "./git-integration.ts";
import { findHostFaults, PROVIDER_FIELDS, readHost } from "./provider-host.ts";
import { listRepositories } from "./list-repositories.ts";
import { getGitIntegration, type GitDeps } from "./queries.ts";
import { gitIntegrations } from "./store.ts";
import {
  GitIntegrationSchema,
  GitRepositorySchema,
  HookSecretSchema,
  viewGitIntegration,
  viewRepository,
} from "./views.ts";

/** Also the tag of the endpoint for git hosts' deliveries. */
export const GIT_INTEGRATIONS: Tag = {
  name: "Git integrations",
  description:
    "Access to the git providers of the organization: tokens that read repositories, and secrets that sign pushes.",
};
/** The same permissions as creating a project. */
export const PROJECT_CREATOR = {
  role: "developer",
  scope: "admin",
  reach: "organization",
  tag: GIT_INTEGRATIONS,
} as const;
const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag: GIT_INTEGRATIONS } as const;

const TOKEN = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[!-~]+$",
  description: "An access token of the provider. It must be able to read repositories and their members.",
  examples: ["ghp_0123456789abcdefghij"],
});

const REPOSITORY_FILTERS = {
  sort: Defaulted(
    Words(REPOSITORY_SORTS, {
      title: "GitRepositorySort",
      default: "created",
      description:
        "What `order` is about: `created`, or `pushed` for the last push (at GitLab, the last activity).",
    }),
  ),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "A part of the name, in any case." }),
  ),
};

const LOCKED = {
  lock: ({ tx, actor, params }: { tx: Transaction; actor: Actor; params: { gitIntegrationId: string } }) =>
    gitIntegrations.lock(tx, actor.organizationId, params.gitIntegrationId),
};

export function registerGitIntegrationRoutes(http: Http, deps: GitDeps & { publicUrl: string }): void {
  const { db, git, atRest } = deps;

  http.write({
    method: "POST",
    path: "/v1/git-integrations",
    ...ADMIN,
    summary: "Create a git integration",
    description:
      "`provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`. The token is checked with the provider, stored encrypted, and never shown. It must be able to read repositories and their members.",
    body: Body(
      { ...PROVIDER_FIELDS, token: TOKEN },
      { examples: [{ provider: "provider_a", token: "ghp_0123456789abcdefghij" }] },
    ),
    findFaults: (body) => findHostFaults(body, ""),
    responses: { 201: GitIntegrationSchema },
    prepare: async ({ actor, body }) => {
      const { provider } = body;
      const host = readHost(body);
      await git.checkToken({ provider, host, token: body.token });
      const id = newId("git");
      const identity = tokenIdentity({ organizationId: actor.organizationId, id });
      return { id, provider, host, sealedToken: await atRest.seal(identity, new Secret(body.token)) };
    },
    commit: async ({ tx, actor, prepared }) => {
      const integration = await createGitIntegration(tx, actor, prepared);
      return {
        status: 201,
        location: `/v1/git-integrations/${integration.id}`,
        body: viewGitIntegration(integration),
      };
    },
  });

  http.read({
    path: "/v1/git-integrations",
    ...PROJECT_CREATOR,
    summary: "List git integrations",
    description: "Tokens are never shown.",
    query: Body(PAGE_QUERY),
    response: ListOf("gitIntegrations", GitIntegrationSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await gitIntegrations.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (integration) => integration.id);
      return { gitIntegrations: items.map(viewGitIntegration), nextCursor };
    },
  });

  http.read({
    path: "/v1/git-integrations/:gitIntegrationId",
    ...PROJECT_CREATOR,
    summary: "Get a git integration",
    response: GitIntegrationSchema,
    watch: ({ params }) => [params.gitIntegrationId],
    handle: async ({ sql, actor, params }) =>
      viewGitIntegration(await getGitIntegration(sql, actor.organizationId, params.gitIntegrationId)),
  });

  http.write({
    method: "PATCH",
    path: "/v1/git-integrations/:gitIntegrationId",
    precondition: LOCKED,
    ...ADMIN,
    summary: "Replace the token of a git integration",
    description:
      "The new token is first checked with the provider, also on the repositories of the projects that use the integration. Until it is accepted, the old token stays in use. Projects and deployments are not interrupted.",
    body: Body({ token: TOKEN }),
    responses: { 200: GitIntegrationSchema },
    prepare: ({ actor, params, body }) => prepareToken(deps, actor, params.gitIntegrationId, body.token),
    commit: async ({ tx, actor, params, prepared }) => ({
      status: 200,
      body: viewGitIntegration(await replaceToken(tx, actor, params.gitIntegrationId, prepared)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/git-integrations/:gitIntegrationId/check",
    ...ADMIN,
    summary: "Check the token of a git integration now",
    description:
      "Slipway also checks it daily, and every hour while the check fails. The result is in `tokenStatus` and `lastCheckError`. A git host that does not answer is also an error.",
    responses: { 200: GitIntegrationSchema },
    prepare: ({ actor, params }) => tryToken(deps, actor, params.gitIntegrationId),
    commit: async ({ tx, actor, prepared }) => ({
      status: 200,
      body: viewGitIntegration(await recordAskedCheck(tx, actor, prepared)),
    }),
  });

  http.read({
    path: "/v1/git-integrations/:gitIntegrationId/repositories",
    ...PROJECT_CREATOR,
    operationId: "listGitRepositories",
    summary: "List the repositories that a token can read",
    description:
      "The git host is asked at each request. Admins see all repositories. Others see public repositories, and private repositories that their login at the git host may read. A page may have fewer than `limit` items although more pages follow. GitHub and GitLab order by creation, the sandbox by name.",
    query: Body({ ...PAGE_QUERY, ...REPOSITORY_FILTERS }),
    response: ListOf("repositories", GitRepositorySchema),
    handle: async ({ actor, params, query }) => {
      const { sort, search } = query;
      const asked = { ...readPage(query), sort, search };
      const { items, nextCursor } = await listRepositories(deps, actor, params.gitIntegrationId, asked);
      return { repositories: items.map(viewRepository), nextCursor };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/git-integrations/:gitIntegrationId/hook-secret",
    ...ADMIN,
    operationId: "createHookSecret",
    sdk: "gitIntegrations.createHookSecret",
    summary: "Create a hook secret",
    description:
      "Pushes deploy environments with `trigger: push` once the git host delivers its push events to `url`, as JSON, signed with `secret`. The secret is shown only once and stored encrypted. A new secret replaces the previous one.",
    responses: { 201: HookSecretSchema },
    prepare: ({ actor, params }) => prepareHookSecret(deps, actor, params.gitIntegrationId),
    commit: async ({ tx, actor, prepared: { integration, secret, sealed } }) => {
      await setHookSecret(tx, actor, integration, sealed);
      const url = `${deps.publicUrl}/v1/git-hooks/${integration.provider}`;
      return { status: 201, location: `/v1/git-integrations/${integration.id}`, body: { url, secret } };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/git-integrations/:gitIntegrationId",
    precondition: LOCKED,
    ...ADMIN,
    summary: "Delete a git integration",
    description: "The request is refused while a project reads its repository through the integration.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteGitIntegration(tx, actor, params.gitIntegrationId);
      return { status: 204 };
    },
  });
}
