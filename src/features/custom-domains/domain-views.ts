import { type TUnsafe, Type } from "typebox";
import { At, CreatedAt, Id, Instant, Nullable, Text, UpdatedAt, Words } from "../../http/schemas.ts";
import { writeInstant } from "../../lib/instants.ts";
import {
  ATTACHMENT_ERROR_CODES,
  type AttachmentError,
  DOMAIN_STATUSES,
  DOMAIN_TYPES,
  type DnsRecord,
  type Domain,
  RECORD_PURPOSES,
  REDIRECT_PROBLEM_CODES,
  REDIRECT_STATUSES,
  type RedirectProblem,
  type RedirectStatus,
} from "./custom-domain.ts";
import { PANEL_QUIRKS, type DnsProvider, providerOf } from "./records/dns-providers.ts";
import { isMoveFirst, isSettable } from "./records/dns-record.ts";
import { DnsRecordSchema, viewRecord } from "./records/record-views.ts";
import { WARNING_CODES, warningsOf } from "./warnings.ts";

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

export const AttachmentErrorSchema: TUnsafe<AttachmentError | null> = Nullable(
  Type.Object(
    {
      code: Words(ATTACHMENT_ERROR_CODES, {
        title: "AttachmentErrorCode",
        description: "The error's code. The first part names the cloud provider.",
      }),
      message: Text("A description of the error.", "The certificate was not validated within 72 hours."),
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

/** What a domain shows of its redirect. */
const REDIRECT_FIELDS = {
  redirectTo: Nullable(
    Text("The name of its group to which it is to redirect; null: it is shown itself.", "example.com"),
  ),
  redirectStatus: Nullable(
    Words(REDIRECT_STATUSES, {
      title: "RedirectStatus",
      description:
        "`SERVED` once the edge was seen to redirect everywhere. `PENDING`: not everywhere yet, or one of the two names is not `ATTACHED`. `ENDING`: it may still redirect somewhere. `FAILED`: see `redirectProblem`. Null: it does not redirect, or is being deleted.",
      examples: ["SERVED"],
    }),
  ),
  redirectProblem: Nullable(
    Type.Object(
      {
        code: Words(REDIRECT_PROBLEM_CODES, {
          title: "RedirectProblemCode",
          description: "Why, for programs.",
          examples: ["ACCESS_DENIED"],
        }),
        message: Text(
          "What the cloud refused.",
          "The role of the connected account does not allow cloudfront:CreateFunction.",
        ),
        action: Text("What to do.", "Update the connection's stack; Slipway tries again every ten minutes."),
        since: Instant("Since when.", "2026-11-23T09:30:12.000Z"),
      },
      { title: "RedirectProblem", description: "Why a domain does not redirect as wanted." },
    ),
  ),
};

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

/** @param checkedThrough of `createCheckedThrough` */
export function viewDomain(domain: Domain, records: readonly DnsRecord[], checkedThrough: Date | null) {
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
    dnsRecords: settable.map((record) => viewRecord(record, shown, provider, checkedThrough)),
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

function viewRedirect(domain: Domain) {
  return {
    redirectTo: domain.redirectTo,
    redirectStatus: redirectStatusOf(domain),
    redirectProblem: viewRedirectProblem(domain),
  };
}

/** The status of a redirect as the edge is known to serve it, not as the client wants it. */
function redirectStatusOf({
  isDesired,
  status,
  redirectTo,
  isRedirectLive,
  redirectProblem,
}: Domain): RedirectStatus | null {
  if (!isDesired) return null;
  if (status !== "ATTACHED" || isRedirectLive) {
    if (redirectTo === null) return null;
    return status === "ATTACHED" ? "SERVED" : "PENDING";
  }
  if (redirectProblem !== null) return "FAILED";
  return redirectTo === null ? "ENDING" : "PENDING";
}

const REDIRECT_ACTIONS: Readonly<Record<RedirectProblem["code"], string>> = {
  ACCESS_DENIED:
    "Update the stack of the account's connection to the newest template. Slipway tries again every ten minutes.",
  TOO_MANY_REDIRECTS:
    "Let fewer domains redirect, or have the quota raised. Slipway tries again every ten minutes.",
  REDIRECTS_REFUSED:
    "Do what the message says is in the way, or set redirectTo to null. Slipway tries again every ten minutes.",
};

function viewRedirectProblem({ isDesired, isRedirectLive, redirectProblem: problem }: Domain) {
  if (!isDesired || isRedirectLive || problem === null) return null;
  const { code, message, since } = problem;
  return { code, message, action: REDIRECT_ACTIONS[code], since };
}
