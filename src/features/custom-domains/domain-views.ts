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
          "The provider that serves the zone; several names if there are several; null if none of them is known.",
          "Cloudflare",
        ),
      ),
      nameServers: Type.Array(Text("A name server.", "amy.ns.cloudflare.com"), {
        description: "The name servers that the zone is delegated to.",
      }),
      panelUrl: Nullable(
        Text("The address of the panel where its records are set.", "https://dash.cloudflare.com/"),
      ),
      quirks: Type.Array(
        Words(PANEL_QUIRKS, {
          title: "DnsPanelQuirk",
          description:
            "`ZONE_IS_APPENDED`: enter names without the zone. `APEX_HOST_IS_EMPTY`: for the zone itself, leave the name empty. `VALUE_ENDS_WITH_DOT`: end host names with a dot. `PROXY_MUST_BE_OFF`: turn off the provider's proxy for the record. `ALIAS_ONLY_TO_OWN_TARGETS`: its alias records lead only to its own resources. `SEVERAL_PROVIDERS`: set the records at each.",
          examples: ["ZONE_IS_APPENDED"],
        }),
        {
          description: "What to consider when you set a record in the panel.",
          examples: [["ZONE_IS_APPENDED"]],
        },
      ),
      supports: Type.Object(
        {
          alias: Supported("Whether an apex can lead to a host name, by ALIAS, ANAME or a flattened CNAME"),
          domainConnect: Supported(
            "Whether it sets this domain's records itself after the owner agreed (Domain Connect), as last asked",
          ),
          caa: Supported("Whether it has CAA records"),
        },
        { title: "DnsProviderSupport", description: "The features of the provider." },
      ),
    },
    {
      title: "DnsProvider",
      description: "The provider that runs the DNS of a domain, found by the zone's name servers.",
    },
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
      description: "The code of the warning, for programs.",
    }),
    message: Text(
      "A description of the problem.",
      "The CERTIFICATE_DOMAIN_VERIFICATION record is not set any more.",
    ),
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
    Text("The domain of its group that it redirects to; null for no redirect.", "example.com"),
  ),
  redirectStatus: Nullable(
    Words(REDIRECT_STATUSES, {
      title: "RedirectStatus",
      description:
        "`SERVED`: the edge redirects everywhere. `PENDING`: it does not redirect everywhere yet, or one of the two domains is not `ATTACHED`. `ENDING`: it may still redirect in some places. `FAILED`: see `redirectProblem`. Null: the domain has no redirect, or is being deleted.",
      examples: ["SERVED"],
    }),
  ),
  redirectProblem: Nullable(
    Type.Object(
      {
        code: Words(REDIRECT_PROBLEM_CODES, {
          title: "RedirectProblemCode",
          description: "The error code, for programs.",
          examples: ["ACCESS_DENIED"],
        }),
        message: Text(
          "A description of the problem.",
          "The role of the connected account does not allow cloudfront:CreateFunction.",
        ),
        action: Text("What to do.", "Update the connection's stack; Slipway tries again every ten minutes."),
        since: Instant("Since when the problem exists.", "2026-11-23T09:30:12.000Z"),
      },
      { title: "RedirectProblem", description: "Why a domain does not redirect as configured." },
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
    lastAttachmentError: At(
      AttachmentErrorSchema,
      "Why the domain could not be attached or detached; null if there is no error.",
      null,
    ),
    ...REDIRECT_FIELDS,
    dnsProvider: At(
      DnsProviderSchema,
      "The provider that runs its DNS, as its zone's name servers last showed it; null until the first check, some seconds after its creation.",
    ),
    dnsRecords: Type.Array(DnsRecordSchema, { description: "The records that the client must create." }),
    warnings: Type.Array(WarningSchema, {
      description:
        "Its problems that only the owner can fix; empty if there are none. For example: a record of an `ATTACHED` domain was removed, CAA records prevent the certificate or its renewal, or an apex cannot lead to the service.",
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
  TOO_MANY_REDIRECTS: "Remove some redirects, or raise the quota. Slipway tries again every ten minutes.",
  REDIRECTS_REFUSED:
    "Fix the problem that the message names, or set redirectTo to null. Slipway tries again every ten minutes.",
};

function viewRedirectProblem({ isDesired, isRedirectLive, redirectProblem: problem }: Domain) {
  if (!isDesired || isRedirectLive || problem === null) return null;
  const { code, message, since } = problem;
  return { code, message, action: REDIRECT_ACTIONS[code], since };
}
