import { Type } from "typebox";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../../http/requests/paging.ts";
import { Body, Defaulted } from "../../../http/schemas.ts";
import { lockGroup, tag } from "../api/group-routes.ts";
import { getGroup } from "../queries.ts";
import { createShareLink, getShareLink, revokeShareLink } from "./commands.ts";
import { DEFAULT_DAYS, MAX_DAYS } from "./share-link.ts";
import { shareLinks } from "./store.ts";
import { NewShareLinkSchema, ShareLinkSchema, viewShareLink } from "./views.ts";

export function registerShareLinkRoutes(
  http: Http,
  { db, publicUrl }: { readonly db: Database; readonly publicUrl: string },
): void {
  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links",
    role: "developer",
    scope: "domains",
    tag,
    operationId: "createShareLink",
    sdk: "domainGroups.createShareLink",
    summary: "Create a link for the owner of the domains",
    description:
      "It leads to a page that needs no account and shows, live, which DNS records to set for the group's domains and what is there now. Whoever has the link sees the page, until it expires or is deleted.",
    body: Body({
      expiresInDays: Defaulted(
        Type.Integer({
          default: DEFAULT_DAYS,
          minimum: 1,
          maximum: MAX_DAYS,
          description: "How many days it works.",
        }),
      ),
    }),
    responses: { 201: NewShareLinkSchema },
    commit: async ({ tx, actor, params, body }) => {
      const { link, token } = await createShareLink(tx, actor, params.domainGroupId, body.expiresInDays);
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${params.domainGroupId}/share-links/${link.id}`,
        body: { ...viewShareLink(link), url: `${publicUrl}/share/${token}` },
      };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "listShareLinks",
    sdk: "domainGroups.listShareLinks",
    summary: "List the share links of a group",
    description: "Those that expired are removed some minutes later.",
    query: Body(PAGE_QUERY),
    response: ListOf("shareLinks", ShareLinkSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const rows = await shareLinks.list(db, actor.organizationId, params.domainGroupId, page);
      // Only an empty page leaves open whether there is such a group.
      if (rows.length === 0) await getGroup(db, actor.organizationId, params.domainGroupId);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { shareLinks: items.map(viewShareLink), nextCursor };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links/:shareLinkId",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "getShareLink",
    sdk: "domainGroups.getShareLink",
    summary: "Get a share link",
    response: ShareLinkSchema,
    watch: ({ params }) => [params.shareLinkId, params.domainGroupId],
    handle: async ({ sql, actor, params }) =>
      viewShareLink(await getShareLink(sql, actor.organizationId, params.domainGroupId, params.shareLinkId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links/:shareLinkId",
    precondition: { lock: lockGroup },
    role: "developer",
    scope: "domains",
    tag,
    operationId: "deleteShareLink",
    sdk: "domainGroups.deleteShareLink",
    summary: "Revoke a share link",
    description: "The page answers like one that never was, at once.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await revokeShareLink(tx, actor, params.domainGroupId, params.shareLinkId);
      return { status: 204 };
    },
  });
}
