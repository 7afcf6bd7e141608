import { Type } from "typebox";
import type { Sql } from "../db/database.ts";
import type { Database } from "../db/database.ts";
import { findDistribution } from "../distributions/commands.ts";
import { type Fault, notFound } from "../errors.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body, Defaulted } from "../http/schemas.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { getService } from "../projects/commands.ts";
import { abandonGroup } from "./abandon-group.ts";
import {
  addDomains,
  createGroup,
  deleteDomain,
  deleteGroup,
  getGroup,
  readDomainNames,
  requestDomainCheck,
  retryAttachment,
} from "./commands.ts";
import type { Domain, Group } from "./custom-domain.ts";
import { certificates } from "./certificate-store.ts";
import { dnsRecords } from "./dns-record-store.ts";
import { domains, groups } from "./store.ts";
import {
  AbandonedGroupSchema,
  DomainSchema,
  GroupSchema,
  GroupWithDomainsSchema,
  NewGroupSchema,
  viewAbandonedGroup,
  viewDomain,
  viewGroup,
} from "./views.ts";

const tag = "Custom domains";
const NAMES_MAX = 100;
const NAMES = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: NAMES_MAX,
  description: "Domain names, such as `www.example.com`, `example.com` or `*.example.com`.",
});

export function registerCustomDomainRoutes(http: Http, { db, jobs }: { db: Database; jobs: Jobs }): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/domain-certificate-groups",
    role: "developer",
    tag,
    summary: "Create a group with domains",
    description: "Requests a certificate; the domains' `dnsRecords` then show what to set.",
    body: Body({
      domains: NAMES,
      useDefaultCdn: Defaulted(
        Type.Boolean({ default: true, description: "False: a new separate distribution." }),
      ),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "The first domain when left out." }),
      ),
    }),
    responses: { 201: NewGroupSchema },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { group, created } = await createGroup(tx, jobs, actor, params.serviceId, {
        names: readDomainNames(body.domains).names,
        useDefaultCdn: body.useDefaultCdn,
        name: body.name ?? null,
      });
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${group.id}`,
        body: {
          ...viewGroup(group, null, null),
          createdDomains: created.map(({ id, name }) => ({ id, name })),
        },
      };
    },
  });

  http.read({
    path: "/v1/services/:serviceId/domain-certificate-groups",
    role: "viewer",
    tag,
    summary: "List the groups of a service",
    query: Body(PAGE_QUERY),
    response: ListOf("domainCertificateGroups", GroupSchema),
    handle: async ({ actor, params, query }) => {
      await getService(db, actor.organizationId, params.serviceId);
      const page = readPage(query);
      const rows = await groups.list(db, actor.organizationId, params.serviceId, page);
      const { items, nextCursor } = makePage(rows, page, (group) => group.id);
      return {
        domainCertificateGroups: await Promise.all(items.map((group) => showGroup(db, group))),
        nextCursor,
      };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId",
    role: "viewer",
    tag,
    summary: "Get a group",
    response: GroupSchema,
    watch: ({ params }) => [params.domainGroupId],
    handle: async ({ actor, params }) =>
      showGroup(db, await getGroup(db, actor.organizationId, params.domainGroupId)),
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/domains",
    role: "viewer",
    tag,
    summary: "List the domains of a group with their DNS records",
    query: Body(PAGE_QUERY),
    response: ListOf("domains", DomainSchema),
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const rows = await domains.listWithRecords(db, actor.organizationId, params.domainGroupId, page);
      // Only an empty page leaves open whether there is such a group.
      if (rows.length === 0) await getGroup(db, actor.organizationId, params.domainGroupId);
      const { items, nextCursor } = makePage(rows, page, (domain) => domain.id);
      return { domains: items.map((domain) => viewDomain(domain, domain.records)), nextCursor };
    },
  });

  http.read({
    path: "/v1/domains/:domainId",
    role: "viewer",
    tag,
    summary: "Get a domain with its DNS records",
    response: DomainSchema,
    watch: ({ params }) => [params.domainId],
    handle: async ({ actor, params }) => {
      const domain = await domains.findWithRecords(db, actor.organizationId, params.domainId);
      if (domain === null) throw notFound();
      return viewDomain(domain, domain.records);
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domains/:domainId/check",
    role: "developer",
    tag,
    summary: "Check a domain's DNS records now",
    description: "They are checked by themselves too. The outcome shows in `dnsRecords`.",
    responses: { 202: DomainSchema },
    commit: async ({ tx, actor, params }) => {
      const domain = await requestDomainCheck(tx, actor, params.domainId);
      return { status: 202, location: `/v1/domains/${domain.id}`, body: await showDomain(tx, domain) };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/domains",
    role: "developer",
    tag,
    summary: "Add domains to a group",
    description: "Domains that are attached stay served while a certificate for all of them is made.",
    body: Body({ domains: NAMES }),
    responses: { 201: Type.Object({ createdDomains: Type.Array(DomainSchema) }) },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { names } = readDomainNames(body.domains);
      const created = await addDomains(tx, jobs, actor, params.domainGroupId, names);
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${params.domainGroupId}/domains`,
        body: { createdDomains: await showDomains(tx, actor.organizationId, created) },
      };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId/domains/:managedDomainId",
    role: "developer",
    tag,
    summary: "Delete a domain",
    description:
      "It is detached first; then it answers 404. One of which the cloud account has nothing is gone at once (204). `managedDomainId` is the domain's `id`. Remove its DNS records afterwards.",
    responses: { 202: DomainSchema, 204: null },
    commit: async ({ tx, actor, params }) => {
      const domain = await deleteDomain(tx, jobs, actor, params.domainGroupId, params.managedDomainId);
      if (domain === null) return { status: 204 };
      return { status: 202, location: `/v1/domains/${domain.id}`, body: await showDomain(tx, domain) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId",
    role: "developer",
    tag,
    summary: "Delete a group",
    description:
      "Its domains are detached, its certificate and its separate distribution deleted; the default distribution stays. One of which the cloud account has nothing, such as an emptied one on the default distribution, is gone at once (204).",
    responses: { 202: GroupSchema, 204: null },
    commit: async ({ tx, actor, params }) => {
      const group = await deleteGroup(tx, jobs, actor, params.domainGroupId);
      if (group === null) return { status: 204 };
      return {
        status: 202,
        location: `/v1/domain-certificate-groups/${group.id}`,
        body: await showGroup(tx, group),
      };
    },
  });

  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/abandon",
    role: "developer",
    tag,
    summary: "Delete a group whose cloud account does not come back",
    description:
      "For an account that is `DISCONNECTED` or lacks permissions, where a deletion cannot end: the group and its domains are gone at once, and the answer names what stays behind in the account.",
    responses: { 200: AbandonedGroupSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandonedGroup(await abandonGroup(tx, actor, params.domainGroupId)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/retry-attachment",
    role: "developer",
    tag,
    summary: "Retry domains in ERROR_ATTACHING or ERROR_DETACHING",
    responses: { 200: GroupWithDomainsSchema },
    commit: async ({ tx, actor, params }) => {
      const group = await retryAttachment(tx, jobs, actor, params.domainGroupId);
      const members = await domains.listAll(tx, actor.organizationId, group.id);
      return {
        status: 200,
        body: {
          ...(await showGroup(tx, group)),
          domains: await showDomains(tx, actor.organizationId, members),
        },
      };
    },
  });
}

/** Of whatever was sent as `domains`; what is no text is the schema's to refuse. */
function findNameFaults(body: unknown): readonly Fault[] {
  const sent: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "domains") : undefined;
  return Array.isArray(sent) ? readDomainNames(sent.slice(0, NAMES_MAX)).faults : [];
}

/** With the certificate that serves or will serve: the newest that is not given up. */
async function showGroup(sql: Sql, group: Group) {
  const rows = await certificates.list(sql, group.organizationId, group.id);
  const certificate = rows.findLast(({ isAbandoned }) => !isAbandoned) ?? null;
  return viewGroup(
    group,
    certificate,
    await findDistribution(sql, group.organizationId, group.distributionId),
  );
}

async function showDomains(sql: Sql, organizationId: string, items: readonly Domain[]) {
  const records = await dnsRecords.list(
    sql,
    organizationId,
    items.map(({ id }) => id),
  );
  return items.map((domain) => viewDomain(domain, records));
}

async function showDomain(sql: Sql, domain: Domain) {
  return viewDomain(domain, await dnsRecords.list(sql, domain.organizationId, [domain.id]));
}
