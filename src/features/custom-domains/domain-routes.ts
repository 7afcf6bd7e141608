import { Type } from "typebox";
import type { Database, Transaction } from "../../db/database.ts";
import { visibleTo } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { type Fault, invalidRequest, orNotFound } from "../../lib/errors.ts";
import { CUSTOM_DOMAIN_FAULTS } from "./errors.ts";
import type { Http } from "../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Id, Nullable, Words } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { pick } from "../../lib/pick.ts";
import { changeRedirect } from "./change-redirect.ts";
import { addDomains, deleteDomain, requestDomainCheck } from "./commands.ts";
import { getGroup, listDomains, listTimeline } from "./queries.ts";
import { readDomainName, readDomainNames, readSoughtName } from "./domain-name.ts";
import { SOUGHT_WARNINGS } from "./warnings.ts";
import type { DomainFilter } from "./search-store.ts";
import type { CheckedThrough } from "./records/checked-through.ts";
import { domains, groups } from "./store.ts";
import { DETACHING_EXAMPLE, DomainSchema, DomainStatusSchema, viewDomain } from "./domain-views.ts";
import { findNameFaults, lockGroupOfRequest, NAMES, tag } from "./group-routes.ts";
import { acceptDomain, showDomain, showDomains } from "./show.ts";
import { TimelineEntrySchema, viewTimelineEntry } from "./timeline-views.ts";

const READ = { role: "viewer", scope: "read", tag } as const;
const WRITE = { role: "developer", scope: "domains", tag } as const;

const AddedDomainsSchema = Type.Object(
  {
    domains: Type.Array(DomainSchema, { description: "The added domains, in the order of the request." }),
  },
  { title: "AddedDomains", description: "Domains that were added to a group." },
);

/** What lists of domains are filtered by; `readFilter` reads it. */
export const DOMAIN_FILTERS = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        "A full name, or `*.example.com` for that wildcard and every name below `example.com`, at any depth.",
      examples: ["*.example.com"],
    }),
  ),
  namePrefix: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: "^[A-Za-z0-9.*-]+$",
      description: "Only names that begin with this text, in its A-label form.",
      examples: ["shop."],
    }),
  ),
  status: Type.Optional(DomainStatusSchema),
  warning: Type.Optional(
    Words(SOUGHT_WARNINGS, {
      title: "SoughtDomainWarning",
      description:
        "Only domains with this warning; `ANY` for any, `RENEWAL_UNSAFE` for those with which a renewal of the certificate would fail today.",
      examples: ["ANY"],
    }),
  ),
  serviceId: Type.Optional(Id("svc", "Only domains of this service.")),
  environmentId: Type.Optional(Id("env", "Only domains of this environment's services.")),
  projectId: Type.Optional(Id("proj", "Only domains of this project's services.")),
};

export function registerDomainRoutes(
  http: Http,
  { db, jobs, checkedThrough }: { db: Database; jobs: Jobs; checkedThrough: CheckedThrough },
): void {
  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/domains",
    ...READ,
    operationId: "listDomainsOfGroup",
    summary: "List the domains of a group with their DNS records",
    query: Body(PAGE_QUERY),
    response: ListOf("domains", DomainSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const rows = await domains.listWithRecords(db, actor.organizationId, params.domainGroupId, page);
      // Only an empty page leaves open whether there is such a group.
      if (rows.length === 0) await getGroup(db, actor.organizationId, params.domainGroupId);
      const { items, nextCursor } = makePage(rows, page, (domain) => domain.id);
      const until = await checkedThrough.read(db);
      return { domains: items.map((domain) => viewDomain(domain, domain.records, until)), nextCursor };
    },
  });

  http.read({
    path: "/v1/domains",
    ...READ,
    reach: "projects",
    summary: "List domains",
    description:
      "All domains of the organization, with their DNS records. A domain must match all filters; a filter with an unknown id matches nothing.",
    query: Body({ ...PAGE_QUERY, ...DOMAIN_FILTERS }),
    response: ListOf("domains", DomainSchema),
    handle: async ({ sql, actor, query }) => {
      const page = readPage(query);
      const rows = await listDomains(sql, actor.organizationId, page, readFilter(query), visibleTo(actor));
      const { items, nextCursor } = makePage(rows, page, (domain) => domain.id);
      const until = await checkedThrough.read(sql);
      return { domains: items.map((domain) => viewDomain(domain, domain.records, until)), nextCursor };
    },
  });

  http.read({
    path: "/v1/domains/:domainId",
    ...READ,
    summary: "Get a domain with its DNS records",
    response: DomainSchema,
    watch: ({ params }) => [params.domainId],
    handle: async ({ sql, actor, params }) => {
      const domain = orNotFound(await domains.findWithRecords(sql, actor.organizationId, params.domainId));
      return viewDomain(domain, domain.records, await checkedThrough.read(sql));
    },
  });

  http.read({
    path: "/v1/domains/:domainId/timeline",
    ...READ,
    operationId: "listDomainTimeline",
    sdk: "domains.timeline",
    summary: "List the timeline of a domain",
    description:
      "The domain's events in sentences, and those of the present certificates of its group that cover it. Events are kept for 30 days, so the timeline of an older domain begins later than the domain.",
    query: Body(PAGE_QUERY),
    response: ListOf("timelineEntries", TimelineEntrySchema),
    handle: async ({ sql, actor, params, query }) => {
      const page = readPage(query);
      const rows = await listTimeline(sql, actor.organizationId, params.domainId, page);
      const { items, nextCursor } = makePage(rows, page, ({ sequence }) => String(sequence));
      return { timelineEntries: items.map(viewTimelineEntry), nextCursor };
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/domains/:domainId",
    precondition: { lock: lockGroupOfDomain },
    ...WRITE,
    summary: "Change the redirect of a domain",
    description:
      "Redirects the domain to another domain of its group, such as `www.example.com` to `example.com`, with 308 and the same path and query. `redirectStatus` shows when the redirect is in effect.",
    body: Body({
      redirectTo: Nullable(
        Type.String({
          minLength: 1,
          maxLength: 300,
          description: "The name of another domain of the group; null for no redirect.",
          examples: ["example.com"],
        }),
      ),
    }),
    responses: { 200: DomainSchema },
    examples: { 200: { redirectTo: "example.com", redirectStatus: "PENDING" } },
    findFaults: findRedirectFaults,
    commit: async ({ tx, actor, params, body }) => {
      const read = body.redirectTo === null ? null : readDomainName(body.redirectTo);
      // `findFaults` has refused what is none.
      const redirectTo = read === null || "fault" in read ? null : read.name;
      const domain = await changeRedirect(tx, jobs, actor, params.domainId, redirectTo);
      return { status: 200, body: await showDomain(tx, domain, checkedThrough.last()) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domains/:domainId/check",
    ...WRITE,
    summary: "Check a domain's DNS records now",
    description: "Slipway also checks them automatically. The result is in `dnsRecords`.",
    responses: { 202: DomainSchema },
    commit: async ({ tx, actor, params }) => {
      const domain = await requestDomainCheck(tx, actor, params.domainId);
      return await acceptDomain(tx, domain, checkedThrough);
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/domains",
    ...WRITE,
    operationId: "addDomains",
    sdk: "domainGroups.addDomains",
    summary: "Add domains to a group",
    description: "Attached domains stay served while Slipway gets a certificate for all of them.",
    body: Body({ domains: NAMES }),
    responses: { 201: AddedDomainsSchema },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { names } = readDomainNames(body.domains);
      const created = await addDomains(tx, jobs, actor, params.domainGroupId, names);
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${params.domainGroupId}/domains`,
        body: { domains: await showDomains(tx, actor.organizationId, created, checkedThrough.last()) },
      };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId/domains/:managedDomainId",
    precondition: {
      shownAt: ({ managedDomainId }) => ({
        path: "/v1/domains/:domainId",
        params: { domainId: managedDomainId },
      }),
      lock: lockGroupOfRequest,
    },
    ...WRITE,
    operationId: "deleteDomain",
    summary: "Delete a domain",
    description:
      "The domain is detached first; afterwards, a read returns 404. If the cloud account has nothing of it, it is deleted at once (204). `managedDomainId` is the domain's `id`. Remove its DNS records afterwards.",
    responses: { 202: DomainSchema, 204: null },
    examples: { 202: DETACHING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const domain = await deleteDomain(tx, jobs, actor, params.domainGroupId, params.managedDomainId);
      if (domain === null) return { status: 204 };
      return await acceptDomain(tx, domain, checkedThrough);
    },
  });
}

/** The fault of the name in `redirectTo`, if it has one. The schema refuses values that are not strings. */
function findRedirectFaults(body: unknown): readonly Fault[] {
  const sent: unknown =
    typeof body === "object" && body !== null ? Reflect.get(body, "redirectTo") : undefined;
  const read = typeof sent === "string" && sent !== "" ? readDomainName(sent) : null;
  return read !== null && "fault" in read ? [{ path: "/redirectTo", ...read.fault }] : [];
}

async function lockGroupOfDomain(request: {
  tx: Transaction;
  actor: Actor;
  params: { domainId: string };
}): Promise<void> {
  const { tx, actor, params } = request;
  const domain = await domains.find(tx, actor.organizationId, params.domainId);
  if (domain !== null) await groups.lock(tx, actor.organizationId, domain.groupId);
}

/** @throws AppError `INVALID_REQUEST` for a name that is none */
export function readFilter({ name, namePrefix, ...others }: DomainFilter): DomainFilter {
  const sought = name === undefined ? undefined : readSoughtName(name);
  if (sought === null) {
    const message = "is not a domain name; write www.example.com, or *.example.com for all names below it";
    throw invalidRequest([{ path: "query/name", code: CUSTOM_DOMAIN_FAULTS.NOT_A_DOMAIN.code, message }]);
  }
  return {
    ...(sought === undefined ? {} : { name: sought }),
    ...(namePrefix === undefined ? {} : { namePrefix: namePrefix.toLowerCase() }),
    ...pick(others, ["status", "warning", "serviceId", "environmentId", "projectId"]),
  };
}
