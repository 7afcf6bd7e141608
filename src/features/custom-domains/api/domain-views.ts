import { type TUnsafe, Type } from "typebox";
import {
  At,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
} from "../../../http/schemas.ts";
import {
  ATTACHMENT_ERROR_CODES,
  type AttachmentError,
  DOMAIN_STATUSES,
  DOMAIN_TYPES,
  type DnsRecord,
  type Domain,
  RECORD_PURPOSES,
} from "../custom-domain.ts";
import { zoneOf } from "../names/domain-name.ts";
import { WARNING_CODES, warningsOf } from "../names/warnings.ts";
import { lastLookAt } from "../records/turns.ts";

const PropagationCheckErrorSchema = Nullable(
  Type.Object(
    {
      code: Type.Optional(Text("What is wrong, for programs.", "NOT_FOUND")),
      message: Type.Optional(
        Text("What was found and what to do.", "There is no CNAME record at www.example.com."),
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
        "`OK` when the record is set correctly. A single failed check does not change this; a missing record does.",
      examples: ["OK"],
    }),
    purpose: Words(RECORD_PURPOSES, {
      title: "DnsRecordPurpose",
      description:
        "`CERTIFICATE_DOMAIN_VERIFICATION` proves control of the domain, as long as the domain exists. `SERVICE_CONNECTION` routes its traffic. `CERTIFICATE_AUTHORITY_AUTHORIZATION` appears if existing CAA records would prevent the certificate.",
      examples: ["SERVICE_CONNECTION"],
    }),
    type: Words(["CNAME", "ALIAS", "CAA"], {
      title: "DnsRecordType",
      description:
        "`ALIAS` for an apex, which cannot have a CNAME. DNS panels call it ALIAS, ANAME or flattening.",
      examples: ["CNAME"],
    }),
    name: Text("The full name.", "www.example.com"),
    relativeName: Text("The name without its zone, for DNS panels that append the zone.", "www"),
    zone: Text("The zone that the name is in.", "example.com"),
    value: Text("What to set it to.", "d111111abcdef8.cloudfront.net"),
    lastPropagationCheckAt: NullableInstant(
      "When the record was last checked, as far as all workers have told it, which they do every few seconds; null before the first check.",
    ),
    lastPropagationCheckValue: Nullable(Text("What the last check found.", "d111111abcdef8.cloudfront.net")),
    lastPropagationCheckError: At(
      PropagationCheckErrorSchema,
      "Null before the first check, empty after a check without errors.",
      {},
    ),
  },
  { title: "DnsRecord", description: "A DNS record that the client must create." },
);

export const AttachmentErrorSchema: TUnsafe<AttachmentError | null> = Nullable(
  Type.Object(
    {
      code: Words(ATTACHMENT_ERROR_CODES, {
        title: "AttachmentErrorCode",
        description: "What is wrong, for programs. The first part names the cloud provider.",
      }),
      message: Text("What is wrong.", "The certificate was not validated within 72 hours."),
      occurredAt: Instant("When the error occurred.", "2026-11-23T09:30:12.000Z"),
      retryable: Type.Boolean({
        description: "Whether a retry can succeed without another change first.",
        examples: [false],
      }),
      action: Text("What to do.", "Set the record that dnsRecords shows, then retry the attachment."),
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
    message: Text("What will go wrong.", "The CERTIFICATE_DOMAIN_VERIFICATION record is not set any more."),
    action: Text(
      "What to do.",
      "Set the record again as dnsRecords shows it, and keep it for as long as the domain.",
    ),
  },
  {
    title: "DomainWarning",
    description: "A present or future problem of a domain that is served, which only its owner can fix.",
  },
);

export const DOMAIN_NAME = Text(
  "The domain name, in lower case; international ones as A-labels.",
  "www.example.com",
);

const GROUP_ID = Id("group", "The domain certificate group of the domain.");

export const DomainStatusSchema = Words(DOMAIN_STATUSES, {
  title: "DomainStatus",
  description:
    "`AWAITING_VERIFICATION_RECORDS_TO_BE_SET` until the client has set its verification record; `ATTACHED` when it is served. In `ERROR_ATTACHING` and `ERROR_DETACHING`, `lastAttachmentError` says why.",
  examples: ["ATTACHED"],
});

export const DomainTypeSchema = Words(DOMAIN_TYPES, {
  title: "DomainType",
  description: "`APEX`: the registered domain itself. `WILDCARD`: begins with `*.`.",
  examples: ["SUBDOMAIN"],
});

export const DomainSchema = Type.Object(
  {
    id: Id("dom", "Id of the domain."),
    svcAttachmentId: Id("att", "Id of its attachment to the service."),
    name: DOMAIN_NAME,
    status: DomainStatusSchema,
    type: DomainTypeSchema,
    domainCertificateGroupId: GROUP_ID,
    lastAttachmentError: At(AttachmentErrorSchema, "Null when there is none.", null),
    dnsRecords: Type.Array(DnsRecordSchema, { description: "The records that the client must create." }),
    warnings: Type.Array(WarningSchema, {
      description:
        "Empty, unless a record of an `ATTACHED` domain was removed or its CAA records prevent renewal.",
      examples: [[]],
    }),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Domain", description: "A custom domain." },
);

/** What is different while it leaves. */
export const DETACHING_EXAMPLE = { status: "DETACHING" };

/** @param lookedUntil of `createLookedUntil` */
export function viewDomain(domain: Domain, records: readonly DnsRecord[], lookedUntil: Date | null) {
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
    dnsRecords: own.map((record) => viewRecord(record, zone, lookedUntil)),
    warnings: warningsOf(domain, own).map((warning) => ({ ...warning })),
    createdAt: domain.createdAt.toISOString(),
    updatedAt: domain.updatedAt.toISOString(),
  };
}

function viewRecord(record: DnsRecord, zone: string, lookedUntil: Date | null) {
  const { status, purpose, type, name, value } = record;
  return {
    status,
    purpose,
    type,
    name,
    relativeName: name === zone ? "@" : name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name,
    zone,
    value,
    lastPropagationCheckAt: lastLookAt(record, lookedUntil)?.toISOString() ?? null,
    lastPropagationCheckValue: record.lastCheckValue,
    lastPropagationCheckError: record.lastCheckError,
  };
}
