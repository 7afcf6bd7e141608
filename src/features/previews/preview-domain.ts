/** The domain below which a template's previews are, as users see it. */
import type { CloudErrorCode } from "../../cloud/cloud.ts";
import type { Sql } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { sees } from "../../lib/access.ts";
import { getAwsAccount } from "../cloud-accounts/queries.ts";
import type { Domain, DomainStatus } from "../custom-domains/custom-domain.ts";
import {
  findDefaultGroup,
  findDomainByName,
  getGroup,
  listDomainsOfGroup,
} from "../custom-domains/queries.ts";
import { findDefaultDistribution } from "../distributions/commands.ts";
import type { Project } from "../projects/project.ts";
import { findPreviewGateway, getService, listProjectEnvironments } from "../projects/queries.ts";

export type PreviewDomain = {
  readonly templateId: string;
  /** Without the wildcard. */
  readonly domain: string;
  /** The service that has it; null until Slipway has made it. */
  readonly serviceId: string | null;
  readonly groupId: string | null;
  readonly domainId: string | null;
  /** Null until the domain is in a group. */
  readonly status: DomainStatus | null;
  /** `user`: a person has to act. */
  readonly waitsFor: "user" | "slipway" | null;
  /** A sentence for users; null if previews are served below it. */
  readonly reason: string | null;
};

/** Of the templates of a project that have a domain, ordered by the templates' ids. */
export async function listPreviewDomains(
  sql: Sql,
  actor: Actor,
  project: Project,
): Promise<readonly PreviewDomain[]> {
  const { organizationId, id } = project;
  const shown: PreviewDomain[] = [];
  for (const { id: templateId, template } of await listProjectEnvironments(sql, organizationId, id))
    if (template !== null && (template.domain ?? null) !== null)
      shown.push(await findPreviewDomain(sql, actor, project, templateId, template.domain ?? ""));
  return shown;
}

async function findPreviewDomain(
  sql: Sql,
  actor: Actor,
  project: Project,
  templateId: string,
  domain: string,
): Promise<PreviewDomain> {
  const { organizationId } = project;
  const name = `*.${domain}`;
  const gateway = await findPreviewGateway(sql, organizationId, templateId);
  const group = gateway === null ? null : await findDefaultGroup(sql, organizationId, gateway.id);
  const members = group === null ? [] : await listDomainsOfGroup(sql, organizationId, group.id);
  const present = members.find((one) => one.name === name) ?? null;
  const of = { templateId, domain, serviceId: gateway?.id ?? null, groupId: group?.id ?? null };
  if (present !== null) {
    const shared = gateway === null ? null : await findDefaultDistribution(sql, organizationId, gateway.id);
    const next = describeDomain(present, shared?.lastError?.code ?? null);
    return { ...of, domainId: present.id, status: present.status, ...next };
  }
  const next = await describeMissing(sql, actor, project, name);
  return { ...of, domainId: null, status: null, ...next };
}

type Next = Pick<PreviewDomain, "waitsFor" | "reason">;

/** What its status means for previews. Pure. @param refusal of the distribution that they share */
export function describeDomain(
  { name, status, isDesired, lastAttachmentError: error }: Shown,
  refusal: CloudErrorCode | null,
): Next {
  if (!isDesired) return { waitsFor: "slipway", reason: `${name} is being removed, and then added again.` };
  switch (status) {
    case "ATTACHED":
      if (refusal === "TOO_MANY_ROUTES")
        return {
          waitsFor: "user",
          reason: `The previews have more services than ${name} has room for, so new ones have no address. Delete previews and lower source.previews.max, or divide the template into two with a domain each.`,
        };
      return { waitsFor: null, reason: null };
    case "AWAITING_VERIFICATION_RECORDS_TO_BE_SET":
      return {
        waitsFor: "user",
        reason: `Set the DNS records of ${name}. Until then, previews are not served.`,
      };
    case "ERROR_ATTACHING":
    case "ERROR_DETACHING":
      return {
        waitsFor: "user",
        reason: `${error?.message ?? `${name} cannot be attached.`} ${error?.action ?? ""}`.trim(),
      };
    case "PENDING":
    case "CREATING":
    case "ATTACHING":
    case "DETACHING":
      return { waitsFor: "slipway", reason: `Slipway attaches ${name}.` };
  }
}

type Shown = Pick<Domain, "name" | "status" | "isDesired" | "lastAttachmentError">;

async function describeMissing(sql: Sql, actor: Actor, project: Project, name: string): Promise<Next> {
  const { organizationId, awsAccountId } = project;
  const other = await findDomainByName(sql, organizationId, name);
  if (other !== null) {
    const { serviceId } = await getGroup(sql, organizationId, other.groupId);
    const { projectId } = await getService(sql, organizationId, serviceId);
    const place = sees(actor, projectId) ? ` ${other.groupId}` : "";
    return {
      waitsFor: "user",
      reason: `${name} is in another domain certificate group${place}. Delete it there, or change source.previews.domain.`,
    };
  }
  const { status } = await getAwsAccount(sql, organizationId, awsAccountId);
  return status === "CONNECTED"
    ? { waitsFor: "slipway", reason: `Slipway adds ${name}.` }
    : { waitsFor: "user", reason: "The cloud account is not connected. Connect it again." };
}
