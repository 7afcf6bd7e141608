import { Type } from "typebox";
import type { Actor } from "../../lib/actor.ts";
import type { Fault } from "../../lib/errors.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Defaulted, ONE_LINE_TEXT } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { getService } from "../projects/queries.ts";
import { abandonGroup } from "./remove.ts";
import { changeAutoDns, createGroup, deleteGroup, retryAttachment } from "./commands.ts";
import { getGroup } from "./queries.ts";
import { readDomainNames } from "./domain-name.ts";
import type { CheckedThrough } from "./records/checked-through.ts";
import { domains, groups } from "./store.ts";
import {
  AbandonedGroupSchema,
  GroupSchema,
  GroupWithDomainsSchema,
  NEW_GROUP_EXAMPLE,
  NewGroupSchema,
  viewAbandonedGroup,
  viewGroup,
} from "./group-views.ts";
import { showDomains, showGroup, showGroups } from "./show.ts";

export const tag: Tag = {
  name: "Custom domains",
  description:
    "Domains of services, in groups that share a certificate and a distribution, and the DNS records they need.",
};
const WRITE = { role: "developer", scope: "domains", tag } as const;
const READ = { role: "viewer", scope: "read", tag } as const;

const NAMES_MAX = 100;
/** The names that a request asks for. */
export const NAMES = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: NAMES_MAX,
  description: "Domain names, such as `www.example.com`, `example.com` or `*.example.com`.",
  examples: [["www.example.com"]],
});

/** The faults of the names in `domains`. The schema refuses values that are not strings. */
export function findNameFaults(body: unknown): readonly Fault[] {
  const sent: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "domains") : undefined;
  return Array.isArray(sent) ? readDomainNames(sent.slice(0, NAMES_MAX)).faults : [];
}

const AUTO_DNS =
  "True: Slipway sets the domains' records itself where the DNS delegates their zone to a DNS zone of the cloud account, and its owner allows it. It only creates records, and removes them with the domain. If it cannot, the domains have warnings.";

export function registerGroupRoutes(
  http: Http,
  { db, jobs, checkedThrough }: { db: Database; jobs: Jobs; checkedThrough: CheckedThrough },
): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/domain-certificate-groups",
    ...WRITE,
    operationId: "createDomainCertificateGroup",
    summary: "Create a group with domains",
    description: "Requests a certificate. The `dnsRecords` of the domains then show which records to set.",
    body: Body({
      domains: NAMES,
      useDefaultCdn: Defaulted(
        Type.Boolean({
          default: true,
          description:
            "False: a new, separate distribution. True: the service's default distribution, which only one group can use.",
        }),
      ),
      autoDns: Defaulted(Type.Boolean({ default: false, description: AUTO_DNS })),
      name: Type.Optional(
        Type.String({
          ...ONE_LINE_TEXT,
          maxLength: 200,
          description: "Display name; the first domain by default.",
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
        autoDns: body.autoDns,
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
    ...READ,
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
        domainCertificateGroups: await showGroups(db, actor.organizationId, items),
        nextCursor,
      };
    },
  });

  http.read({
    path: "/v1/domain-certificate-groups/:domainGroupId",
    ...READ,
    summary: "Get a group",
    response: GroupSchema,
    watch: ({ params }) => [params.domainGroupId],
    handle: async ({ sql, actor, params }) =>
      showGroup(sql, await getGroup(sql, actor.organizationId, params.domainGroupId)),
  });

  http.write({
    method: "PATCH",
    path: "/v1/domain-certificate-groups/:domainGroupId",
    precondition: { lock: lockGroupOfRequest },
    ...WRITE,
    summary: "Change a group",
    description: "Records that Slipway has already set stay, and are removed when their domain is deleted.",
    body: Body({ autoDns: Type.Boolean({ description: AUTO_DNS, examples: [true] }) }),
    responses: { 200: GroupSchema },
    examples: { 200: { autoDns: true } },
    commit: async ({ tx, actor, params, body }) => {
      const group = await changeAutoDns(tx, jobs, actor, params.domainGroupId, body.autoDns);
      return { status: 200, body: await showGroup(tx, group) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/domain-certificate-groups/:domainGroupId",
    precondition: { lock: lockGroupOfRequest },
    ...WRITE,
    summary: "Delete a group",
    description:
      "Its domains are detached, and its certificate and separate distribution are deleted; a default distribution stays. If the cloud account has nothing of the group, for example an empty group on the default distribution, it is deleted at once (204).",
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
    ...WRITE,
    summary: "Delete a group whose cloud account is lost",
    description:
      "Use this if the account is `DISCONNECTED` or lacks permissions, so that a normal deletion cannot finish. The group and its domains are deleted at once, and the response lists what stays in the account.",
    responses: { 200: AbandonedGroupSchema },
    commit: async ({ tx, actor, params }) => ({
      status: 200,
      body: viewAbandonedGroup(await abandonGroup(tx, actor, params.domainGroupId)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/domain-certificate-groups/:domainGroupId/retry-attachment",
    ...WRITE,
    operationId: "retryAttachment",
    summary: "Retry domains in ERROR_ATTACHING or ERROR_DETACHING",
    description:
      "Attaches or detaches them again. The request is refused with 409 if no domain is in error. If a certificate was not validated in time, Slipway requests a new one, with new records.",
    responses: { 200: GroupWithDomainsSchema },
    examples: { 200: { status: "PROVISIONING" } },
    commit: async ({ tx, actor, params }) => {
      const group = await retryAttachment(tx, jobs, actor, params.domainGroupId);
      const members = await domains.listAll(tx, actor.organizationId, group.id);
      return {
        status: 200,
        body: {
          ...(await showGroup(tx, group)),
          domains: await showDomains(tx, actor.organizationId, members, checkedThrough.last()),
        },
      };
    },
  });
}

/** Workers change a group and its domains while they hold its row, too. */
export async function lockGroupOfRequest(request: {
  tx: Transaction;
  actor: Actor;
  params: { domainGroupId: string };
}): Promise<void> {
  const { tx, actor, params } = request;
  await groups.lock(tx, actor.organizationId, params.domainGroupId);
}
