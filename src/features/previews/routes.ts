import { Type } from "typebox";
import type { Platform } from "../../cloud/platform.ts";
import type { Sql } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import { visibleTo } from "../../lib/access.ts";
import type { GitDeps } from "../git-integrations/queries.ts";
import { lockProject } from "../projects/commands.ts";
import type { Environment } from "../projects/project.ts";
import { findEnvironment, getProject } from "../projects/queries.ts";
import { OF_PROJECT } from "../projects/routes.ts";
import {
  approvePreview,
  deletePreview,
  preparePreview,
  type PreviewRequest,
  putPreview,
} from "./commands.ts";
import { listPreviewDomains } from "./preview-domain.ts";
import type { Preview } from "./preview.ts";
import { getPreview, getPreviewByKey } from "./queries.ts";
import { previewRemovals } from "./removal-store.ts";
import { previews, pullRequestReads } from "./store.ts";
import {
  OrphanSchema,
  PreviewDomainsSchema,
  PreviewSchema,
  PreviewStateSchema,
  PullRequestReadSchema,
  type Templates,
  viewOrphan,
  viewPreview,
  viewPreviewDomains,
  viewPullRequestRead,
} from "./views.ts";

export const PREVIEWS: Tag = {
  name: "Previews",
  description: "Environments for pull requests, which are made from an environment with `source.pr`.",
};
const COMMIT = { type: "string", pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$" } as const;

const requestOf = (
  { projectId, previewKey: key }: { readonly projectId: string; readonly previewKey: string },
  body: Omit<PreviewRequest, "key" | "projectId">,
): PreviewRequest => ({ ...body, projectId, key });

/** The templates of previews that wait for an approval: they say who gives it. */
async function readTemplates(sql: Sql, all: readonly Preview[]): Promise<Templates> {
  const templates = new Map<string, Environment | null>();
  for (const { organizationId, templateId, state } of all)
    if (state === "WAITING_FOR_APPROVAL" && !templates.has(templateId))
      templates.set(templateId, await findEnvironment(sql, organizationId, templateId));
  return templates;
}

const show = async (sql: Sql, preview: Preview) => viewPreview(preview, await readTemplates(sql, [preview]));

export function registerPreviewRoutes(
  http: Http,
  deps: GitDeps & WorkDeps & { readonly platform: Platform | null },
): void {
  const { db, clock } = deps;
  const READ = { role: "viewer", scope: "read", tag: PREVIEWS } as const;
  const WRITE = { role: "developer", scope: "deploy", tag: PREVIEWS } as const;

  http.read({
    path: "/v1/previews",
    ...READ,
    reach: "projects",
    summary: "List previews",
    query: Body({
      ...PAGE_QUERY,
      projectId: OF_PROJECT,
      state: Type.Optional(PreviewStateSchema),
    }),
    response: ListOf("previews", PreviewSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await previews.list(db, actor.organizationId, page, query, visibleTo(actor));
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      const templates = await readTemplates(db, items);
      return { previews: items.map((preview) => viewPreview(preview, templates)), nextCursor };
    },
  });

  http.read({
    path: "/v1/previews/orphans",
    ...READ,
    reach: "projects",
    summary: "List resources of deleted previews that are left in cloud accounts",
    description:
      "Resources of previews that are being deleted, until their removal is confirmed. Slipway tries again until they are removed; `reason` says what keeps them, and `waitsFor` who must act.",
    query: Body({
      ...PAGE_QUERY,
      projectId: OF_PROJECT,
    }),
    response: ListOf("orphans", OrphanSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const { organizationId } = actor;
      const rows = await previewRemovals.listOrphans(
        db,
        organizationId,
        page,
        query.projectId,
        visibleTo(actor),
      );
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { orphans: items.map((orphan) => viewOrphan(orphan, deps.platform)), nextCursor };
    },
  });

  http.read({
    path: "/v1/previews/:previewId",
    ...READ,
    summary: "Get a preview",
    response: PreviewSchema,
    watch: ({ params }) => [params.previewId],
    handle: async ({ sql, actor, params }) =>
      await show(sql, await getPreview(sql, actor.organizationId, params.previewId)),
  });

  http.read({
    path: "/v1/projects/:projectId/pull-requests",
    ...READ,
    operationId: "getPullRequestRead",
    sdk: "previews.getPullRequestRead",
    summary: "Get the last read of a project's pull requests",
    description: "Says why previews do not follow their pull requests, if they do not.",
    response: PullRequestReadSchema,
    watch: ({ params }) => [params.projectId],
    handle: async ({ sql, actor, params }) => {
      const { id } = await getProject(sql, actor.organizationId, params.projectId);
      return viewPullRequestRead(await pullRequestReads.find(sql, actor.organizationId, id));
    },
  });

  http.read({
    path: "/v1/projects/:projectId/preview-domains",
    ...READ,
    operationId: "listPreviewDomains",
    sdk: "previews.listDomains",
    summary: "List the domains of a project's previews",
    description:
      "Of templates with `source.previews.domain`. All previews of a template share one distribution, and one certificate for the wildcard below the domain.",
    response: PreviewDomainsSchema,
    watch: ({ params, body }) => [
      params.projectId,
      ...body.previewDomains.flatMap(({ domainId }) => domainId ?? []),
    ],
    handle: async ({ sql, actor, params }) => {
      const project = await getProject(sql, actor.organizationId, params.projectId);
      return viewPreviewDomains(await listPreviewDomains(sql, actor, project));
    },
  });

  http.write({
    method: "POST",
    path: "/v1/previews/:previewId/approve",
    ...WRITE,
    summary: "Approve a commit of another repository",
    description:
      "Deploys this commit of a pull request from another repository. The next commit needs another approval. Such a preview gets no secret.",
    body: Body({
      commitHash: Type.Unsafe<string>({
        ...COMMIT,
        description:
          "The commit that you read. The request is refused if the pull request has another commit now.",
        examples: ["9fceb02d0ae598e95dc970b74767f19372d61af8"],
      }),
    }),
    responses: { 200: PreviewSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: await show(tx, await approvePreview(tx, deps, actor, params.previewId, body.commitHash)),
    }),
  });

  http.read({
    path: "/v1/projects/:projectId/previews/:previewKey",
    ...READ,
    operationId: "getPreviewByKey",
    sdk: "previews.getByKey",
    summary: "Get a preview by its key",
    response: PreviewSchema,
    watch: ({ body }) => [body.id],
    handle: async ({ sql, actor, params }) =>
      await show(sql, await getPreviewByKey(sql, actor.organizationId, params.projectId, params.previewKey)),
  });

  http.write({
    method: "PUT",
    path: "/v1/projects/:projectId/previews/:previewKey",
    precondition: {
      lock: async ({ tx, actor, params }) =>
        void (await lockProject(tx, actor.organizationId, params.projectId)),
    },
    ...WRITE,
    operationId: "putPreview",
    sdk: "previews.put",
    summary: "Create or move a preview",
    description:
      "For git hosts and CI systems that Slipway cannot read pull requests from. The preview shows the branch's newest commit, or the given one, until `expiresAt`. A repeated request with another commit deploys that one.",
    body: Body({
      environmentId: Type.Optional(
        Type.String({
          maxLength: 100,
          description: "The template, if the project has several.",
          examples: [EXAMPLE_IDS.env],
        }),
      ),
      branch: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: "By default, the branch of the template.",
          examples: ["feature/cart"],
        }),
      ),
      commit: Type.Optional(
        Type.Unsafe<string>({
          ...COMMIT,
          description: "By default, the newest commit of the branch.",
          examples: ["9fceb02d0ae598e95dc970b74767f19372d61af8"],
        }),
      ),
      expiresAt: Type.Optional(
        Type.Unsafe<string>({
          type: "string",
          format: "date-time",
          description: "When it is deleted; by default, after the template's lifetime.",
          examples: ["2026-12-04T09:30:12.000Z"],
        }),
      ),
    }),
    responses: { 200: PreviewSchema },
    prepare: ({ actor, params, body }) => preparePreview(deps, actor, requestOf(params, body)),
    commit: async ({ tx, actor, params, body, prepared }) => ({
      status: 200,
      body: await show(tx, await putPreview(tx, deps, actor, requestOf(params, body), prepared, clock.now())),
    }),
  });

  http.write({
    method: "DELETE",
    path: "/v1/previews/:previewId",
    precondition: {
      lock: async ({ tx, actor, params }) => {
        const { projectId } = await getPreview(tx, actor.organizationId, params.previewId);
        await lockProject(tx, actor.organizationId, projectId);
      },
    },
    ...WRITE,
    summary: "Delete a preview",
    description:
      "Removes its resources in the cloud account, in the background. The preview of an open pull request stays as `ENDED` until the next commit.",
    responses: { 202: PreviewSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 202,
      location: `/v1/previews/${params.previewId}`,
      body: await show(tx, await deletePreview(tx, deps, actor, params.previewId)),
    }),
  });
}
