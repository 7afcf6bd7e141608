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
import { writeInstant } from "../../../lib/instants.ts";
import {
  ATTACHMENT_ERROR_CODES,
  type AttachmentError,
  DOMAIN_STATUSES,
  DOMAIN_TYPES,
  type DnsRecord,
  type Domain,
  type ListedRecord,
  RECORD_PURPOSES,
} from "../custom-domain.ts";
import { relativeNameOf, zoneOfRecord } from "../names/domain-name.ts";
import { WARNING_CODES, warningsOf } from "../names/warnings.ts";
import { PANEL_QUIRKS, type DnsProvider, panelFormOf, providerOf } from "../records/dns-providers.ts";
import { isSettable } from "../records/dns-record.ts";
import { isMoveFirst, SET_WHEN, setWhenOf } from "../records/set-when.ts";
import { lastLookAt } from "../records/turns.ts";
import { REDIRECT_FIELDS, viewRedirect } from "./redirect-views.ts";
import { AccountZoneSchema, viewAccountZone } from "./zone-views.ts";

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

const PanelFormSchema = Nullable(
  Type.Object(
    {
      type: Text("The type to choose, in the provider's word for it.", "CNAME"),
      host: Text("The name to enter. `@` is the zone itself; empty: leave the field empty.", "www"),
      value: Text(
        "The value to enter, with a final dot where the panel needs one.",
        "d111111abcdef8.cloudfront.net",
      ),
    },
    { title: "PanelForm", description: "A DNS record as the panel of a DNS provider wants it." },
  ),
);

const Supported = (description: string) =>
  Nullable(Type.Boolean({ description: `${description}; null if that is not known.`, examples: [true] }));

const DnsProviderSchema = Nullable(
  Type.Object(
    {
      name: Nullable(
        Text(
          "Who serves the zone; several names if several do, and null if none of them is known.",
          "Cloudflare",
        ),
      ),
      nameServers: Type.Array(Text("A name server.", "amy.ns.cloudflare.com"), {
        description: "The name servers that the zone is delegated to.",
      }),
      panelUrl: Nullable(Text("Where its records are set.", "https://dash.cloudflare.com/")),
      quirks: Type.Array(
        Words(PANEL_QUIRKS, {
          title: "DnsPanelQuirk",
          description:
            "`ZONE_IS_APPENDED`: enter names without the zone. `APEX_HOST_IS_EMPTY`: for the zone itself, leave the name empty. `VALUE_ENDS_WITH_DOT`: end host names with a dot. `PROXY_MUST_BE_OFF`: let the record answer with its value, not with the provider's proxy. `ALIAS_ONLY_TO_OWN_TARGETS`: its alias records lead only to its own resources. `SEVERAL_PROVIDERS`: set the records at each.",
          examples: ["ZONE_IS_APPENDED"],
        }),
        { description: "What to know before setting a record there.", examples: [["ZONE_IS_APPENDED"]] },
      ),
      supports: Type.Object(
        {
          alias: Supported("Whether an apex can lead to a host name, by ALIAS, ANAME or a flattened CNAME"),
          domainConnect: Supported(
            "Whether it sets this domain's records itself after the owner agreed (Domain Connect), as last asked",
          ),
          caa: Supported("Whether it has CAA records"),
        },
        { title: "DnsProviderSupport", description: "What the provider offers." },
      ),
    },
    { title: "DnsProvider", description: "Who runs the DNS of a domain, found by the zone's name servers." },
  ),
);

const RECORD_FIELDS = {
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
  setWhen: Words(SET_WHEN, {
    title: "DnsRecordSetWhen",
    description:
      "`AFTER_CERTIFICATE`: once the domain is `ATTACHED`, because its name is served elsewhere, or was not checked yet. A `SERVICE_CONNECTION` record at a name where nothing is can be set `NOW`, like all others.",
    examples: ["NOW"],
  }),
  panelForm: At(
    PanelFormSchema,
    "How to enter it in the panel of the zone's provider; null: as `type`, `relativeName` and `value` say.",
    null,
  ),
  accountZone: At(
    AccountZoneSchema,
    "What Slipway did for it in a DNS zone of the cloud account, if the group has `autoDns` or had it; null: nothing.",
    null,
  ),
  lastPropagationCheckAt: NullableInstant(
    "When the record was last checked, as far as all workers have told it, which they do every few seconds; null before the first check.",
  ),
  lastPropagationCheckValue: Nullable(Text("What the last check found.", "d111111abcdef8.cloudfront.net")),
  lastPropagationCheckError: At(
    PropagationCheckErrorSchema,
    "Null before the first check, empty after a check without errors.",
    {},
  ),
};

const DnsRecordSchema = Type.Object(RECORD_FIELDS, {
  title: "DnsRecord",
  description: "A DNS record that the client must create.",
});

/** A record in a list of those of many domains. */
export const ListedDnsRecordSchema = Type.Object(
  {
    id: Id("rec", "Id of the record."),
    domainId: Id("dom", "The domain that needs it."),
    domain: Text("The domain's name.", "www.example.com"),
    ...RECORD_FIELDS,
  },
  {
    title: "ListedDnsRecord",
    description: "A DNS record that the client must create, and for which domain.",
  },
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
    description: "A present or future problem of a domain, which only its owner can fix.",
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
    ...REDIRECT_FIELDS,
    dnsProvider: At(
      DnsProviderSchema,
      "Who runs its DNS, as last found by its zone's name servers; null until Slipway has looked, some seconds after its creation.",
    ),
    dnsRecords: Type.Array(DnsRecordSchema, { description: "The records that the client must create." }),
    warnings: Type.Array(WarningSchema, {
      description:
        "Empty, unless a record of an `ATTACHED` domain was removed, CAA records prevent the certificate or its renewal, or it is an apex that cannot lead to the service.",
      examples: [[]],
    }),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "Domain", description: "A custom domain." },
);

/** The fields of the example that differ while a domain is being deleted. */
export const DETACHING_EXAMPLE = { status: "DETACHING" };

/** @param lookedUntil of `createLookedUntil` */
export function viewDomain(domain: Domain, records: readonly DnsRecord[], lookedUntil: Date | null) {
  const { id, svcAttachmentId, name, status, type, lastAttachmentError } = domain;
  const own = records.filter(({ domainId }) => domainId === id);
  const { delegation } = domain;
  const provider = providerOf(delegation?.nameServers ?? []);
  const settable = own.filter(isSettable).toSorted((a, b) => placeOf(a) - placeOf(b));
  const shown = {
    name,
    delegation,
    zoneState: domain.zoneState,
    status,
    isMoveFirst: isMoveFirst(domain, own),
  };
  return {
    id,
    svcAttachmentId,
    name,
    status,
    type,
    domainCertificateGroupId: domain.groupId,
    lastAttachmentError,
    ...viewRedirect(domain),
    dnsProvider: delegation === null ? null : viewProvider(provider, delegation),
    dnsRecords: settable.map((record) => viewRecord(record, shown, provider, lookedUntil)),
    warnings: warningsOf(domain, own).map((warning) => ({ ...warning })),
    createdAt: writeInstant(domain.createdAt),
    updatedAt: writeInstant(domain.updatedAt),
  };
}

/** In the order in which the records are needed. */
function placeOf({ purpose }: DnsRecord): number {
  return RECORD_PURPOSES.indexOf(purpose);
}

function viewProvider(
  { name, panelUrl, quirks, supports }: DnsProvider,
  { nameServers, domainConnect: offer }: NonNullable<Domain["delegation"]>,
) {
  const domainConnect = offer === undefined ? null : offer !== null && offer.applyAt !== null;
  return {
    name: name ?? offer?.providerName ?? null,
    nameServers: [...nameServers],
    panelUrl: panelUrl ?? offer?.panelUrl ?? null,
    quirks: [...quirks],
    supports: { ...supports, domainConnect },
  };
}

export function viewListedRecord(record: ListedRecord, lookedUntil: Date | null) {
  const { id, domainId, domain, domainStatus: status } = record;
  const provider = providerOf(record.delegation?.nameServers ?? []);
  const shown = { ...record, name: domain, status };
  return { id, domainId, domain, ...viewRecord(record, shown, provider, lookedUntil) };
}

function viewRecord(
  record: DnsRecord,
  domain: Pick<Domain, "name" | "delegation" | "zoneState" | "status"> & { readonly isMoveFirst: boolean },
  provider: DnsProvider,
  lookedUntil: Date | null,
) {
  const { status, purpose, type, name, value } = record;
  const zone = zoneOfRecord(record, domain);
  const lookedAt = lastLookAt(record, lookedUntil);
  const relativeName = relativeNameOf(record, zone);
  return {
    status,
    purpose,
    type,
    name,
    relativeName,
    zone,
    value,
    setWhen: setWhenOf(domain.status, record, domain.isMoveFirst),
    panelForm: panelFormOf(provider, { type, relativeName, value }),
    accountZone: viewAccountZone(record, domain.zoneState),
    lastPropagationCheckAt: lookedAt === null ? null : writeInstant(lookedAt),
    lastPropagationCheckValue: record.lastCheckValue,
    lastPropagationCheckError: record.lastCheckError,
  };
}
