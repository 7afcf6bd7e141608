import { Type } from "typebox";
import type { Actor } from "../../lib/actor.ts";
import type { Database, Sql, Transaction } from "../../db/database.ts";
import { findDistribution } from "../distributions/commands.ts";
import { type Fault, invalidRequest, notFound } from "../../lib/errors.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Defaulted, Id, NOT_BLANK } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { getService } from "../projects/queries.ts";
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
import { readSoughtName } from "./names/domain-name.ts";
import { certificates } from "./group/certificate-store.ts";
import { dnsRecords } from "./records/dns-record-store.ts";
import { type DomainFilter, searchDomains } from "./names/search-store.ts";
import { domains, groups } from "./store.ts";
import {
  AbandonedGroupSchema,
  DETACHING_EXAMPLE,
  DomainSchema,
  DomainStatusSchema,
  GroupSchema,
  GroupWithDomainsSchema,
  NEW_GROUP_EXAMPLE,
  NewGroupSchema,
  viewAbandonedGroup,
  viewDomain,
  viewGroup,
} from "./views.ts";

const AddedDomainsSchema = Type.Object(
  {
    domains: Type.Array(DomainSchema, { description: "Those that were added, in the order of the request." }),
  },
  { title: "AddedDomains", description: "Domains that were added to a group." },
);
const tag: Tag = {
  name: "Custom domains",
  description:
    "Domains of services, in groups that share a certificate and a distribution, and the DNS records that they need.",
};
const NAMES_MAX = 100;
const NAMES = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: NAMES_MAX,
  description: "Domain names, such as `www.example.com`, `example.com` or `*.example.com`.",
  examples: [["www.example.com"]],
});

export function registerCustomDomainRoutes(http: Http, { db, jobs }: { db: Database; jobs: Jobs }): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/domain-certificate-groups",
    role: "developer",
    tag,
    operationId: "createDomainCertificateGroup",
    summary: "Create a group with domains",
    description: "Requests a certificate; the domains' `dnsRecords` then show what to set.",
    body: Body({
      domains: NAMES,
      useDefaultCdn: Defaulted(
        Type.Boolean({
          default: true,
          description:
            "False: a new separate distribution. True: the default one of the service, which one group can have.",
        }),
      ),
      name: Type.Optional(
        Type.String({
          ...NOT_BLANK,
          maxLength: 200,
          description: "Shown to people; the first domain when left out.",
          examples: ["www.example.com"],
        }),
      ),
    }),
    responses: { 201: NewGroupSchema },
    examples: { 201: NEW_GROUP_EXAMPLE },
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
          ...viewGroup(group, null, null, 0),
          createdDomains: created.map(({ id, name }) => ({ id, name })),
        },
      };
    },
  });

  http.read({
    path: "/v1/services/:serviceId/domain-certificate-groups",
    role: "viewer",
    tag,
    operationId: "listDomainCertificateGroups",
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
    handle: async ({ sql, actor, params }) =>
      showGroup(sql, await getGroup(sql, actor.organizationId, params.domainGroupId)),
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId/domains",
    role: "viewer",
    tag,
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
      return { domains: items.map((domain) => viewDomain(domain, domain.records)), nextCursor };
    },
  });

  http.read({
    path: "/v1/domains",
    role: "viewer",
    tag,
    summary: "Find domains",
    description:
      "Of the whole organization, with their DNS records. Filters that name nothing find nothing; of several, all hold.",
    query: Body({
      ...PAGE_QUERY,
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 300,
          description:
            "A whole name, or `*.example.com` for every name below `example.com`, however deep, and that wildcard.",
          examples: ["*.example.com"],
        }),
      ),
      status: Type.Optional(DomainStatusSchema),
      serviceId: Type.Optional(Id("svc", "Only those that lead to this service.")),
      projectId: Type.Optional(Id("proj", "Only those of this project's services.")),
    }),
    response: ListOf("domains", DomainSchema),
    handle: async ({ sql, actor, query }) => {
      const page = readPage(query);
      const rows = await searchDomains(sql, actor.organizationId, page, readFilter(query));
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
    handle: async ({ sql, actor, params }) => {
      const domain = await domains.findWithRecords(sql, actor.organizationId, params.domainId);
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
    operationId: "addDomains",
    summary: "Add domains to a group",
    description: "Domains that are attached stay served while a certificate for all of them is made.",
    body: Body({ domains: NAMES }),
    responses: { 201: AddedDomainsSchema },
    findFaults: findNameFaults,
    commit: async ({ tx, actor, params, body }) => {
      const { names } = readDomainNames(body.domains);
      const created = await addDomains(tx, jobs, actor, params.domainGroupId, names);
      return {
        status: 201,
        location: `/v1/domain-certificate-groups/${params.domainGroupId}/domains`,
        body: { domains: await showDomains(tx, actor.organizationId, created) },
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
      lock: lockGroup,
    },
    role: "developer",
    tag,
    operationId: "deleteDomain",
    summary: "Delete a domain",
    description:
      "It is detached first; then it answers 404. One of which the cloud account has nothing is gone at once (204). `managedDomainId` is the domain's `id`. Remove its DNS records afterwards.",
    responses: { 202: DomainSchema, 204: null },
    examples: { 202: DETACHING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const domain = await deleteDomain(tx, jobs, actor, params.domainGroupId, params.managedDomainId);
      if (domain === null) return { status: 204 };
      return { status: 202, location: `/v1/domains/${domain.id}`, body: await showDomain(tx, domain) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId",
    precondition: { lock: lockGroup },
    role: "developer",
    tag,
    summary: "Delete a group",
    description:
      "Its domains are detached, its certificate and its separate distribution deleted; the default distribution stays. One of which the cloud account has nothing, such as an emptied one on the default distribution, is gone at once (204).",
    responses: { 202: GroupSchema, 204: null },
    examples: { 202: { status: "DELETING" } },
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
    operationId: "retryAttachment",
    summary: "Retry domains in ERROR_ATTACHING or ERROR_DETACHING",
    description:
      "Attaches or detaches them anew. 409 when none is in error. A certificate that was not validated in time is requested anew, with new records.",
    responses: { 200: GroupWithDomainsSchema },
    examples: { 200: { status: "PROVISIONING" } },
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

/** @throws AppError `INVALID_REQUEST` for a name that is none */
function readFilter({ name, status, serviceId, projectId }: DomainFilter): DomainFilter {
  const sought = name === undefined ? undefined : readSoughtName(name);
  if (sought === null) {
    const message = "is no domain name; write www.example.com, or *.example.com for all below";
    throw invalidRequest([{ path: "query/name", code: "NOT_A_DOMAIN", message }]);
  }
  return {
    ...(sought === undefined ? {} : { name: sought }),
    ...(status === undefined ? {} : { status }),
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(projectId === undefined ? {} : { projectId }),
  };
}

/** Workers change a group and its domains while they hold its row, too. */
async function lockGroup(request: {
  tx: Transaction;
  actor: Actor;
  params: { domainGroupId: string };
}): Promise<void> {
  const { tx, actor, params } = request;
  await groups.lock(tx, actor.organizationId, params.domainGroupId);
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
    await domains.countInError(sql, group.organizationId, group.id),
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
