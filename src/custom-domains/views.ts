import { Type } from "typebox";
import type { AbandonedGroup } from "./abandon-group.ts";
import { Instant, Nullable, NullableInstant, Words } from "../http/schemas.ts";
import {
  ATTACHMENT_ERROR_CODES,
  type AttachmentError,
  type Certificate,
  type DnsRecord,
  type Domain,
  DOMAIN_STATUSES,
  DOMAIN_TYPES,
  type Group,
  GROUP_STATUSES,
  RECORD_PURPOSES,
} from "./custom-domain.ts";
import { zoneOf } from "./domain-name.ts";
import { WARNING_CODES, warningsOf } from "./warnings.ts";

const DnsRecordSchema = Type.Object(
  {
    status: Words(["PENDING", "OK"], {
      description:
        "`OK` when it was found set as it must be. A single check that failed by itself does not undo it; that the record is gone does.",
    }),
    purpose: Words(RECORD_PURPOSES),
    type: Words(["CNAME", "ALIAS", "CAA"]),
    name: Type.String({ description: "The whole name." }),
    relativeName: Type.String({
      description: "The name without its zone, for DNS panels that append the zone.",
    }),
    zone: Type.String(),
    value: Type.String(),
    lastPropagationCheckAt: NullableInstant(),
    lastPropagationCheckValue: Nullable(Type.String({ description: "What the last check found." })),
    lastPropagationCheckError: Type.Unsafe<{ code?: string; message?: string } | null>({
      type: ["object", "null"],
      description: "Null before the first check, empty after one without error.",
      properties: { code: { type: "string" }, message: { type: "string" } },
    }),
  },
  { description: "A DNS record that the client must create." },
);

const AttachmentErrorSchema = Type.Unsafe<AttachmentError | null>({
  type: ["object", "null"],
  required: ["code", "message", "occurredAt", "retryable", "action"],
  properties: {
    code: { type: "string", enum: ATTACHMENT_ERROR_CODES },
    message: { type: "string" },
    occurredAt: { type: "string", format: "date-time" },
    retryable: { type: "boolean" },
    action: { type: "string", description: "What to do." },
  },
});

const WarningSchema = Type.Object(
  {
    code: Words(WARNING_CODES),
    message: Type.String(),
    action: Type.String({ description: "What to do." }),
  },
  {
    description: "What will go wrong with a domain that is served, or does already, unless its client acts.",
  },
);

export const DomainSchema = Type.Object(
  {
    id: Type.String(),
    svcAttachmentId: Type.String(),
    name: Type.String(),
    status: Words(DOMAIN_STATUSES),
    type: Words(DOMAIN_TYPES),
    domainCertificateGroupId: Type.String(),
    lastAttachmentError: AttachmentErrorSchema,
    dnsRecords: Type.Array(DnsRecordSchema),
    warnings: Type.Array(WarningSchema, {
      description:
        "Empty unless a record of an `ATTACHED` domain was removed or its CAA records refuse a renewal.",
    }),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "A custom domain." },
);

export function viewDomain(domain: Domain, records: readonly DnsRecord[]) {
  const { id, svcAttachmentId, name, status, type, lastAttachmentError } = domain;
  const own = records.filter(({ domainId }) => domainId === id);
  const zone = zoneOf(name);
  return {
    id,
    svcAttachmentId,
    name,
    status,
    type,
    domainCertificateGroupId: domain.groupId,
    lastAttachmentError,
    dnsRecords: own.map((record) => viewRecord(record, zone)),
    warnings: warningsOf(domain, own).map((warning) => ({ ...warning })),
    createdAt: domain.createdAt.toISOString(),
    updatedAt: domain.updatedAt.toISOString(),
  };
}

function viewRecord(record: DnsRecord, zone: string) {
  const { status, purpose, type, name, value } = record;
  return {
    status,
    purpose,
    type,
    name,
    relativeName: name === zone ? "@" : name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name,
    zone,
    value,
    lastPropagationCheckAt: record.lastCheckAt?.toISOString() ?? null,
    lastPropagationCheckValue: record.lastCheckValue,
    lastPropagationCheckError: record.lastCheckError,
  };
}

export type CertificateView = {
  id: string;
  status: string;
  domains: readonly string[];
  requestedAt: string | null;
  validationDeadlineAt: string | null;
  issuedAt: string | null;
  expiresAt: string | null;
  renewalStatus: string | null;
};

const CertificateSchema = Type.Unsafe<CertificateView | null>({
  type: ["object", "null"],
  required: [
    "id",
    "status",
    "domains",
    "requestedAt",
    "validationDeadlineAt",
    "issuedAt",
    "expiresAt",
    "renewalStatus",
  ],
  properties: {
    id: { type: "string" },
    status: { type: "string", description: "The provider's word, or `REQUESTING` before it has one." },
    domains: { type: "array", items: { type: "string" } },
    requestedAt: { type: ["string", "null"], format: "date-time" },
    validationDeadlineAt: { type: ["string", "null"], format: "date-time" },
    issuedAt: { type: ["string", "null"], format: "date-time" },
    expiresAt: { type: ["string", "null"], format: "date-time" },
    renewalStatus: { type: ["string", "null"] },
  },
});

const GROUP_FIELDS = {
  id: Type.String(),
  name: Type.String(),
  serviceId: Type.String(),
  status: Words(GROUP_STATUSES),
  isDefaultCdn: Type.Boolean({ description: "True when it uses the default distribution of the service." }),
  cdnDistributionId: Nullable(Type.String({ description: "The distribution's id at the provider." })),
  cdnDomainName: Nullable(
    Type.String({ description: "Its host name; what SERVICE_CONNECTION records point to." }),
  ),
  certificate: CertificateSchema,
  createdAt: Instant(),
  updatedAt: Instant(),
};

export const GroupSchema = Type.Object(GROUP_FIELDS, { description: "A domain certificate group." });
export const NewGroupSchema = Type.Object({
  ...GROUP_FIELDS,
  createdDomains: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
});
export const GroupWithDomainsSchema = Type.Object({ ...GROUP_FIELDS, domains: Type.Array(DomainSchema) });

export const AbandonedGroupSchema = Type.Object({
  id: Type.String(),
  leftInAccount: Type.Object(
    {
      connectedAwsAccountId: Nullable(Type.String({ description: "The account's number at AWS." })),
      certificateIds: Type.Array(Type.String()),
      distributionIds: Type.Array(Type.String()),
      domains: Type.Array(Type.String(), {
        description: "Names that may still be served from there; remove their DNS records.",
      }),
    },
    {
      description:
        "Remove it there. What was asked of the account without an answer is not named; all that Slipway made carries the tag `slipway:connection`.",
    },
  ),
});

export function viewAbandonedGroup(abandoned: AbandonedGroup) {
  const { group, connectedAwsAccountId, certificateIds, distributionIds, names } = abandoned;
  return {
    id: group.id,
    leftInAccount: { connectedAwsAccountId, certificateIds, distributionIds, domains: names },
  };
}

export function viewGroup(
  group: Group,
  certificate: Certificate | null,
  distribution: { providerId: string | null; domainName: string | null } | null,
) {
  const { id, name, serviceId, status, isDefaultCdn } = group;
  return {
    id,
    name,
    serviceId,
    status,
    isDefaultCdn,
    cdnDistributionId: isNew(group) ? null : (distribution?.providerId ?? null),
    cdnDomainName: isNew(group) ? null : (distribution?.domainName ?? null),
    certificate: certificate === null ? null : viewCertificate(certificate),
    createdAt: group.createdAt.toISOString(),
    updatedAt: group.updatedAt.toISOString(),
  };
}

/**
 * Nothing of the distribution is shown before there is something on it (specification: null on a new group). One that
 * was emptied is a `DRAFT` again, and new no more: every change of its status is an update.
 */
function isNew({ status, createdAt, updatedAt }: Group): boolean {
  return status === "DRAFT" && updatedAt.getTime() === createdAt.getTime();
}

function viewCertificate(certificate: Certificate): CertificateView {
  return {
    id: certificate.providerId ?? certificate.id,
    status: certificate.status,
    domains: certificate.names,
    requestedAt: certificate.requestedAt?.toISOString() ?? null,
    validationDeadlineAt: certificate.validationDeadlineAt?.toISOString() ?? null,
    issuedAt: certificate.issuedAt?.toISOString() ?? null,
    expiresAt: certificate.expiresAt?.toISOString() ?? null,
    renewalStatus: certificate.renewalStatus,
  };
}
