import { Type } from "typebox";
import type { Database } from "../db/database.ts";
import { type Git, GIT_PROVIDERS } from "../git/git.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body, Words } from "../http/schemas.ts";
import { newId } from "../ids.ts";
import type { AtRestSealing } from "../sealing/at-rest.ts";
import { Secret } from "../sealing/secret.ts";
import { createGitIntegration, deleteGitIntegration, getGitIntegration } from "./commands.ts";
import { tokenIdentity } from "./git-integration.ts";
import { findHostFaults, readHost } from "./provider-host.ts";
import { prepareHookSecret, setHookSecret } from "./hook-secret.ts";
import { gitIntegrations } from "./store.ts";
import { GitIntegrationSchema, HookSecretSchema, viewGitIntegration } from "./views.ts";

const tag = "Git integrations";

export function registerGitIntegrationRoutes(
  http: Http,
  deps: { db: Database; git: Git; atRest: AtRestSealing; publicUrl: string },
): void {
  const { db, git, atRest } = deps;

  http.write({
    method: "POST",
    path: "/v1/git-integrations",
    role: "admin",
    tag,
    summary: "Create a git integration",
    description:
      "`provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`. The token is checked at the provider, kept sealed, and never shown. It needs to read the repositories and who may read them.",
    body: Body({
      provider: Words(GIT_PROVIDERS),
      host: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 260,
          description: "Required with `provider_b_self_hosted`, refused otherwise.",
        }),
      ),
      token: Type.String({ minLength: 1, maxLength: 4096, pattern: "^[!-~]+$" }),
    }),
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
    role: "admin",
    tag,
    summary: "List git integrations",
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
    role: "admin",
    tag,
    summary: "Get a git integration",
    response: GitIntegrationSchema,
    watch: ({ params }) => [params.gitIntegrationId],
    handle: async ({ actor, params }) =>
      viewGitIntegration(await getGitIntegration(db, actor.organizationId, params.gitIntegrationId)),
  });

  http.write({
    method: "POST",
    path: "/v1/git-integrations/:gitIntegrationId/hook-secret",
    role: "admin",
    tag,
    summary: "Make a hook secret",
    description:
      "Pushes deploy environments with `trigger: push` once the git host delivers its push events to `url`, as JSON, signed with `secret`. The secret is shown this once and kept sealed; a new one puts the one before it out of force.",
    responses: { 201: HookSecretSchema },
    prepare: ({ actor, params }) => prepareHookSecret(deps, actor, params.gitIntegrationId),
    commit: async ({ tx, actor, prepared: { integration, secret, sealed } }) => {
      await setHookSecret(tx, actor, integration.id, sealed);
      const url = `${deps.publicUrl}/v1/git-hooks/${integration.provider}`;
      return { status: 201, location: `/v1/git-integrations/${integration.id}`, body: { url, secret } };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/git-integrations/:gitIntegrationId",
    role: "admin",
    tag,
    summary: "Delete a git integration",
    description: "Refused while a project reads its repository through it.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteGitIntegration(tx, actor, params.gitIntegrationId);
      return { status: 204 };
    },
  });
}
