import { type TUnsafe, Type } from "typebox";
import { LeftInAccountSchema, viewLeftInAccount } from "../cloud-accounts/views.ts";
import type { AbandonedGroup } from "./abandon-group.ts";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  UpdatedAt,
  Words,
} from "../../http/schemas.ts";
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
import { zoneOf } from "./names/domain-name.ts";
import { WARNING_CODES, warningsOf } from "./names/warnings.ts";

const PropagationCheckErrorSchema = Nullable(
  Type.Object(
    {
      code: Type.Optional(
        Type.String({ description: "What is wrong, for programs.", examples: ["NOT_FOUND"] }),
      ),
      message: Type.Optional(
        Type.String({
          description: "What was found, and what to do.",
          examples: ["There is no CNAME record at www.example.com."],
        }),
      ),
    },
    { title: "PropagationCheckError", description: "What a check of a DNS record found wrong." },
  ),
);

const DnsRecordSchema = Type.Object(
  {
    status: Words(["PENDING", "OK"], {
      title: "DnsRecordStatus",
      description:
        "`OK` when it was found set as it must be. A single check that failed by itself does not undo it; that the record is gone does.",
      examples: ["OK"],
    }),
    purpose: Words(RECORD_PURPOSES, {
      title: "DnsRecordPurpose",
      description:
        "`CERTIFICATE_DOMAIN_VERIFICATION` proves who controls the domain, for as long as the domain lives. `SERVICE_CONNECTION` routes its traffic. `CERTIFICATE_AUTHORITY_AUTHORIZATION` is there where CAA records would refuse the certificate.",
      examples: ["SERVICE_CONNECTION"],
    }),
    type: Words(["CNAME", "ALIAS", "CAA"], {
      title: "DnsRecordType",
      description:
        "`ALIAS` for an apex, where no CNAME can be: what DNS panels call ALIAS, ANAME or flattening.",
      examples: ["CNAME"],
    }),
    name: Type.String({ description: "The whole name.", examples: ["www.example.com"] }),
    relativeName: Type.String({
      description: "The name without its zone, for DNS panels that append the zone.",
      examples: ["www"],
    }),
    zone: Type.String({ description: "The zone that the name is in.", examples: ["example.com"] }),
    value: Type.String({ description: "What to set it to.", examples: ["d111111abcdef8.cloudfront.net"] }),
    lastPropagationCheckAt: NullableInstant("When it was last looked up; null before the first time."),
    lastPropagationCheckValue: Nullable(
      Type.String({
        description: "What the last check found.",
        examples: ["d111111abcdef8.cloudfront.net"],
      }),
    ),
    lastPropagationCheckError: At(
      PropagationCheckErrorSchema,
      "Null before the first check, empty after one without error.",
      {},
    ),
  },
  { title: "DnsRecord", description: "A DNS record that the client must create." },
);

const AttachmentErrorSchema: TUnsafe<AttachmentError | null> = Nullable(
  Type.Object(
    {
      code: Words(ATTACHMENT_ERROR_CODES, {
        title: "AttachmentErrorCode",
        description: "What is wrong, for programs. The first part stands for the cloud provider.",
      }),
      message: Type.String({
        description: "What is wrong.",
        examples: ["The certificate was not validated within 72 hours."],
      }),
      occurredAt: Instant("When it went wrong.", "2026-11-23T09:30:12.000Z"),
      retryable: Type.Boolean({
        description: "Whether a retry can help without anything else being changed first.",
        examples: [false],
      }),
      action: Type.String({
        description: "What to do.",
        examples: ["Set the record that dnsRecords shows, then retry the attachment."],
      }),
    },
    { title: "AttachmentError", description: "Why a domain could not be attached or detached." },
  ),
);

const WarningSchema = Type.Object(
  {
    code: Words(WARNING_CODES, {
      title: "DomainWarningCode",
      description: "What will go wrong, for programs.",
    }),
    message: Type.String({
      description: "What will go wrong.",
      examples: ["The CERTIFICATE_DOMAIN_VERIFICATION record is not set any more."],
    }),
    action: Type.String({
      description: "What to do.",
      examples: ["Set the record again as dnsRecords shows it, and keep it for as long as the domain."],
    }),
  },
  {
    title: "DomainWarning",
    description: "What will go wrong with a domain that is served, or does already, unless its client acts.",
  },
);

const DOMAIN_NAME = Type.String({
  description: "The domain name, in lower case; international ones as A-labels.",
  examples: ["www.example.com"],
});
const GROUP_ID = Id("group", "The domain certificate group that it belongs to.");

export const DomainStatusSchema = Words(DOMAIN_STATUSES, {
  title: "DomainStatus",
  description:
    "`AWAITING_VERIFICATION_RECORDS_TO_BE_SET` until the client has set its verification record; `ATTACHED` when it is served. In `ERROR_ATTACHING` and `ERROR_DETACHING`, `lastAttachmentError` says why.",
  examples: ["ATTACHED"],
});

export const DomainSchema = Type.Object(
  {
    id: Id("dom", "Id of the domain."),
    svcAttachmentId: Id("att", "Id of its attachment to the service."),
    name: DOMAIN_NAME,
    status: DomainStatusSchema,
    type: Words(DOMAIN_TYPES, {
      title: "DomainType",
      description: "`APEX` is a domain as it was registered, `WILDCARD` begins with `*.`.",
      examples: ["SUBDOMAIN"],
    }),
    domainCertificateGroupId: GROUP_ID,
    lastAttachmentError: At(AttachmentErrorSchema, "Null when there is none.", null),
    dnsRecords: Type.Array(DnsRecordSchema, { description: "The records that the client must create." }),
    warnings: Type.Array(WarningSchema, {
      description:
        "Empty unless a record of an `ATTACHED` domain was removed or its CAA records refuse a renewal.",
      examples: [[]],
    }),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Domain", description: "A custom domain." },
);

/** What is different while it leaves. */
export const DETACHING_EXAMPLE = { status: "DETACHING" };

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

const CertificateSchema: TUnsafe<CertificateView | null> = Nullable(
  Type.Object(
    {
      id: Type.String({
        description: "The provider's id of it, once there is one.",
        examples: ["arn:aws:acm:us-east-1:111122223333:certificate/5e6f7a8b-1c2d-4e3f-9a0b-1c2d3e4f5a6b"],
      }),
      status: Type.String({
        description: "The provider's word, or `REQUESTING` before it has one.",
        examples: ["ISSUED"],
      }),
      domains: Type.Array(DOMAIN_NAME, { description: "The names that it is for." }),
      requestedAt: NullableInstant("When it was requested."),
      validationDeadlineAt: NullableInstant(
        "Until when the verification records must be set.",
        "2026-11-23T09:30:12.000Z",
      ),
      issuedAt: NullableInstant("When it was issued.", "2026-11-20T09:38:41.000Z"),
      expiresAt: NullableInstant("When it expires; it is renewed before.", "2027-12-20T23:59:59.000Z"),
      renewalStatus: Nullable(
        Type.String({
          description: "The provider's word for how its renewal goes; null when none was due.",
          examples: [null],
        }),
      ),
    },
    { title: "Certificate", description: "The TLS certificate of a group." },
  ),
);

const GROUP_FIELDS = {
  id: Id("group", "Id of the group."),
  name: Type.String({ description: "Shown to people.", examples: ["www.example.com"] }),
  serviceId: Id("svc", "The service that the domains lead to."),
  status: Words(GROUP_STATUSES, {
    title: "DomainCertificateGroupStatus",
    description:
      "`DRAFT` without domains, `PROVISIONING` while work on them goes on. `ACTIVE` when nothing more is to be done and domains are served; `domainsInError` counts those that are not. `ERROR` when none is served.",
    examples: ["ACTIVE"],
  }),
  domainsInError: Type.Integer({
    description:
      "How many of its domains are in `ERROR_ATTACHING` or `ERROR_DETACHING`; their `lastAttachmentError` says why. The others are not touched by it.",
    examples: [0],
  }),
  isDefaultCdn: Type.Boolean({
    description: "True when it uses the default distribution of the service.",
    examples: [true],
  }),
  cdnDistributionId: Nullable(
    Type.String({ description: "The distribution's id at the provider.", examples: ["E2QWRUHAPOMQZL"] }),
  ),
  cdnDomainName: Nullable(
    Type.String({
      description: "Its host name; what SERVICE_CONNECTION records point to.",
      examples: ["d111111abcdef8.cloudfront.net"],
    }),
  ),
  certificate: At(CertificateSchema, "Null until one is requested."),
  createdAt: CreatedAt(),
  updatedAt: UpdatedAt(),
};

export const GroupSchema = Type.Object(GROUP_FIELDS, {
  title: "DomainCertificateGroup",
  description: "Custom domains that share a certificate and a distribution.",
});

export const NewGroupSchema = Type.Object(
  {
    ...GROUP_FIELDS,
    createdDomains: Type.Array(
      Type.Object(
        { id: Id("dom", "Id of the domain."), name: DOMAIN_NAME },
        { title: "CreatedDomain", description: "A domain that was created with its group." },
      ),
      { description: "One for each domain that was asked for." },
    ),
  },
  { title: "NewDomainCertificateGroup", description: "A group, and the domains that were created with it." },
);

/** What is different while nothing is in the cloud yet. */
export const NEW_GROUP_EXAMPLE = {
  status: "DRAFT",
  cdnDistributionId: null,
  cdnDomainName: null,
  certificate: null,
  updatedAt: "2026-11-20T09:30:12.000Z",
};

export const GroupWithDomainsSchema = Type.Object(
  { ...GROUP_FIELDS, domains: Type.Array(DomainSchema, { description: "All of its domains." }) },
  { title: "DomainCertificateGroupWithDomains", description: "A group with its domains." },
);

export const AbandonedGroupSchema = Type.Object(
  {
    id: Id("group", "Id that the group had."),
    leftInAccount: LeftInAccountSchema,
  },
  {
    title: "AbandonedDomainCertificateGroup",
    description: "A group that was deleted without its cloud account, and what stays there.",
  },
);

export function viewAbandonedGroup({ group, left }: AbandonedGroup) {
  return { id: group.id, leftInAccount: viewLeftInAccount(left) };
}

export function viewGroup(
  group: Group,
  certificate: Certificate | null,
  distribution: { providerId: string | null; domainName: string | null } | null,
  domainsInError: number,
) {
  const { id, name, serviceId, status, isDefaultCdn } = group;
  return {
    id,
    name,
    serviceId,
    status,
    domainsInError,
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
