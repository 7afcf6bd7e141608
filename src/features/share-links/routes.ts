import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Defaulted } from "../../http/schemas.ts";
import { findNameFaults, lockGroupOfRequest, NAMES, tag } from "../custom-domains/group-routes.ts";
import { readDomainNames } from "../custom-domains/domain-name.ts";
import { getGroup, listDomainsOfGroup } from "../custom-domains/queries.ts";
import { changeShareLink, createShareLink, getShareLink, revokeShareLink } from "./commands.ts";
import { DEFAULT_DAYS, MAX_DAYS } from "./share-link.ts";
import { shareLinks } from "./store.ts";
import { NewShareLinkSchema, ShareLinkSchema, viewShareLink } from "./views.ts";

const WRITE = { role: "developer", scope: "domains", tag } as const;
const READ = { role: "viewer", scope: "read", tag } as const;

export function registerShareLinkRoutes(
  http: Http,
  { db, publicUrl }: { readonly db: Database; readonly publicUrl: string },
): void {
  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links",
    ...WRITE,
    operationId: "createShareLink",
    summary: "Create a share link",
    description:
      "The link opens a page that needs no account. The page shows which DNS records to set for domains of the group, and which records the DNS has now. Anyone with the link can open the page until the link expires or is deleted.",
    body: Body({
      expiresInDays: Defaulted(
        Type.Integer({
          default: DEFAULT_DAYS,
          minimum: 1,
          maximum: MAX_DAYS,
          description: "The number of days until it expires.",
        }),
      ),
      domains: Type.Optional({
        ...NAMES,
        description: "The names of the group that it shows; by default, all that the group has now.",
      }),
    }),
    responses: { 201: NewShareLinkSchema },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { link, token } = await createShareLink(tx, actor, params.domainGroupId, {
        days: body.expiresInDays,
        names: body.domains === undefined ? null : namesOf(body.domains),
      });
      const members = await listDomainsOfGroup(tx, actor.organizationId, params.domainGroupId);
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${params.domainGroupId}/share-links/${link.id}`,
        body: { ...viewShareLink(link, members), url: `${publicUrl}/share/${token}` },
      };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links",
    ...READ,
    operationId: "listShareLinks",
    summary: "List the share links of a group",
    description: "Expired links are removed some minutes later.",
    query: Body(PAGE_QUERY),
    response: ListOf("shareLinks", ShareLinkSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const rows = await shareLinks.list(db, actor.organizationId, params.domainGroupId, page);
      // Only an empty page leaves open whether there is such a group.
      if (rows.length === 0) await getGroup(db, actor.organizationId, params.domainGroupId);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      const members = await listDomainsOfGroup(db, actor.organizationId, params.domainGroupId);
      return { shareLinks: items.map((link) => viewShareLink(link, members)), nextCursor };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links/:shareLinkId",
    ...READ,
    operationId: "getShareLink",
    summary: "Get a share link",
    response: ShareLinkSchema,
    watch: ({ params }) => [params.shareLinkId, params.domainGroupId],
    handle: async ({ sql, actor, params }) => {
      const link = await getShareLink(sql, actor.organizationId, params.domainGroupId, params.shareLinkId);
      return viewShareLink(link, await listDomainsOfGroup(sql, actor.organizationId, link.groupId));
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links/:shareLinkId",
    precondition: { lock: lockGroupOfRequest },
    ...WRITE,
    operationId: "updateShareLink",
    summary: "Change which domains a share link shows",
    description:
      "A link shows the domains that it was created for. Use this to add domains that the group got later, or to remove some.",
    body: Body({
      domains: { ...NAMES, description: "All names of the group that the link shows from now on." },
    }),
    responses: { 200: ShareLinkSchema },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { domainGroupId, shareLinkId } = params;
      const link = await changeShareLink(tx, actor, domainGroupId, shareLinkId, namesOf(body.domains));
      const members = await listDomainsOfGroup(tx, actor.organizationId, domainGroupId);
      return { status: 200, body: viewShareLink(link, members) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId/share-links/:shareLinkId",
    precondition: { lock: lockGroupOfRequest },
    ...WRITE,
    operationId: "deleteShareLink",
    summary: "Revoke a share link",
    description: "The page of the link is not found from then on.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await revokeShareLink(tx, actor, params.domainGroupId, params.shareLinkId);
      return { status: 204 };
    },
  });
}

/** `findNameFaults` has already refused invalid names. */
function namesOf(texts: readonly string[]): readonly string[] {
  return readDomainNames(texts).names.map(({ name }) => name);
}
