import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";
import { DOMAIN_STATUSES, GROUP_STATUSES, RECORD_PURPOSES } from "./custom-domain.ts";

const GROUP_ID = Type.String({
  description: "The domain certificate group.",
  examples: ["group_01kahy1c7b9v4e2k6t5m8x3wrs"],
});

/** The fields of every event of a domain. */
export const DOMAIN_DATA = {
  name: Type.String({ description: "The domain's name, in A-labels.", examples: ["www.example.com"] }),
  groupId: GROUP_ID,
};
const NullableText = (description: string, example: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description, examples: [example] });
const NullableName = (description: string) => NullableText(description, "example.com");
const STATUS = {
  status: Type.Unsafe<(typeof DOMAIN_STATUSES)[number]>({
    type: "string",
    enum: DOMAIN_STATUSES,
    description: "The domain's present status.",
    examples: ["ATTACHED"],
  }),
  previousStatus: Type.Unsafe<(typeof DOMAIN_STATUSES)[number]>({
    type: "string",
    enum: DOMAIN_STATUSES,
    description: "The previous status.",
    examples: ["ATTACHING"],
  }),
};

const ErrorData = Type.Object(
  {
    code: Type.String({
      description: "The error code, for programs.",
      examples: ["Cloud:CERT:Error:VALIDATION_TIMEOUT"],
    }),
    message: Type.String({
      description: "A description of the error.",
      examples: ["The certificate was not validated."],
    }),
    action: Type.String({ description: "What to do.", examples: ["Set the record, then retry."] }),
    retryable: Type.Boolean({
      description: "Whether a retry can succeed without another change first.",
      examples: [true],
    }),
  },
  { description: "The error." },
);

const RECORD = {
  purpose: Type.Unsafe<(typeof RECORD_PURPOSES)[number]>({
    type: "string",
    enum: RECORD_PURPOSES,
    description: "Its purpose.",
    examples: ["CERTIFICATE_DOMAIN_VERIFICATION"],
  }),
  type: Type.String({ description: "`CNAME`, `ALIAS` or `CAA`.", examples: ["CNAME"] }),
  name: Type.String({ description: "The record's name.", examples: ["_x1.www.example.com"] }),
  value: Type.String({ description: "The record's value.", examples: ["_x2.acm-validations.aws"] }),
};
const recordStatus = (description: string) =>
  Type.Unsafe<"PENDING" | "OK">({
    type: "string",
    enum: ["PENDING", "OK"],
    description,
    examples: ["PENDING"],
  });

const RecordData = Type.Object(
  {
    ...RECORD,
    status: recordStatus("Whether Slipway finds the record."),
    previousStatus: Type.Optional(
      recordStatus("Whether Slipway found it before; missing if the record or its value is new."),
    ),
  },
  { description: "The record." },
);

const WrongRecordData = Type.Object(
  {
    ...RECORD,
    found: NullableText("The record that is set in its place.", "shop.elsewhere.example.net"),
    problem: Type.Object(
      {
        code: Type.String({ description: "The problem's code, for programs.", examples: ["WRONG_VALUE"] }),
        message: Type.String({
          description: "The problem, and what to do.",
          examples: ["Found shop.elsewhere.example.net. Set the value that dnsRecords shows."],
        }),
      },
      { description: "The problem." },
    ),
  },
  { description: "The record." },
);

const WarningData = Type.Object({
  ...DOMAIN_DATA,
  warning: Type.Object(
    {
      code: Type.String({
        description: "The code of the warning, for programs.",
        examples: ["VERIFICATION_RECORD_MISSING"],
      }),
      message: Type.String({
        description: "A description of the problem.",
        examples: ["The record is no longer set."],
      }),
      action: Type.String({ description: "What to do.", examples: ["Set the record again."] }),
    },
    { description: "The warning." },
  ),
});

/** `NOT_IN_USE`: none of its names is served, so the provider does not renew it. */
export const RENEWAL_REASONS = ["VERIFICATION_RECORD_MISSING", "CAA_REFUSES_RENEWAL", "NOT_IN_USE"] as const;

const RenewalReasonData = Type.Object({
  code: Type.Unsafe<(typeof RENEWAL_REASONS)[number]>({
    type: "string",
    enum: RENEWAL_REASONS,
    description:
      "`VERIFICATION_RECORD_MISSING` and `CAA_REFUSES_RENEWAL` are as in the domain's warnings. `NOT_IN_USE`: none of its names is served.",
    examples: ["VERIFICATION_RECORD_MISSING"],
  }),
  domain: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The name that has the problem; null if no name has it.",
    examples: ["www.example.com"],
  }),
});

const CERTIFICATE = {
  groupId: GROUP_ID,
  providerId: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The provider's id of the certificate, which the group shows as `certificate.id`.",
    examples: ["arn:aws:acm:us-east-1:123456789012:certificate/5d2c"],
  }),
  names: Type.Array(Type.String({ description: "A name.", examples: ["www.example.com"] }), {
    description: "The names that it covers.",
  }),
  expiresAt: Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "date-time",
    description: "When it expires, if that is known.",
    examples: ["2027-11-20T23:59:59.000Z"],
  }),
};

const GroupData = Type.Object({
  name: Type.String({ description: "The group's name.", examples: ["www.example.com"] }),
  status: Type.Unsafe<(typeof GROUP_STATUSES)[number]>({
    type: "string",
    enum: GROUP_STATUSES,
    description: "The present status; for a deleted group, its last status.",
    examples: ["ACTIVE"],
  }),
});

const dnsData = (description: string) =>
  Type.Object(
    {
      zone: Type.String({ description: "The zone that the domain is in.", examples: ["example.com"] }),
      nameServers: Type.Array(Type.String({ description: "A name server.", examples: ["ns1.example.net"] }), {
        description: "The name servers that the zone is delegated to.",
      }),
      provider: Type.Unsafe<string | null>({
        type: ["string", "null"],
        description: "The DNS provider, as in `dnsProvider.name`; null if it is not known.",
        examples: ["Cloudflare"],
      }),
    },
    { description },
  );

const zoneRecords = (description: string) =>
  Type.Array(
    Type.Object(
      {
        zoneId: Type.String({
          description: "The account's id of the zone.",
          examples: ["Z0123456789ABCDEFGHIJ"],
        }),
        type: Type.String({ description: "`CNAME` or `ALIAS`.", examples: ["CNAME"] }),
        name: Type.String({ description: "The record's name.", examples: ["www.example.com"] }),
        value: Type.String({
          description: "The record's value.",
          examples: ["d111111abcdef8.cloudfront.net"],
        }),
      },
      { description: "A record." },
    ),
    { description },
  );

export const CUSTOM_DOMAIN_EVENTS = declareEvents({
  "domain.created": {
    subject: "domain",
    description: "A domain was added to a group.",
    data: Type.Object({ ...DOMAIN_DATA, status: STATUS.status }),
  },
  "domain.records_changed": {
    subject: "domain",
    description:
      "A DNS record that the domain needs is new or has another value, or Slipway found it set or missing.",
    data: Type.Object({ ...DOMAIN_DATA, record: RecordData }),
  },
  "domain.record_wrong": {
    subject: "domain",
    description:
      "Slipway found something else in place of a DNS record that the domain needs. It is sent once for each kind of problem, not for each check.",
    data: Type.Object({ ...DOMAIN_DATA, record: WrongRecordData }),
  },
  "domain.attached": {
    subject: "domain",
    description: "The domain is served over HTTPS.",
    data: Type.Object({ ...DOMAIN_DATA, ...STATUS }),
  },
  "domain.attachment_failed": {
    subject: "domain",
    description:
      "The domain could not be attached, or detached. It stays in error until it is retried or deleted.",
    data: Type.Object({ ...DOMAIN_DATA, ...STATUS, error: ErrorData }),
  },
  "domain.warning_raised": {
    subject: "domain",
    description: "A domain has a problem that prevents its certificate or its service now or later.",
    data: WarningData,
  },
  "domain.warning_resolved": {
    subject: "domain",
    description: "The problem of the domain no longer exists.",
    data: WarningData,
  },
  "domain.dns_moved": {
    subject: "domain",
    description:
      "The domain's zone is delegated to other name servers than before, or the domain is in another zone. Records that were set at the previous ones may be missing now.",
    data: Type.Object({
      ...DOMAIN_DATA,
      dns: dnsData("The present zone and name servers."),
      previousDns: dnsData("The previous zone and name servers."),
    }),
  },
  "domain.dns_records_set": {
    subject: "domain",
    description: "Slipway created records of the domain in a DNS zone of the cloud account.",
    data: Type.Object({ ...DOMAIN_DATA, records: zoneRecords("The created records.") }),
  },
  "domain.dns_records_removed": {
    subject: "domain",
    description: "The domain is being deleted, and Slipway removed the records that it had created for it.",
    data: Type.Object({
      ...DOMAIN_DATA,
      records: zoneRecords("The removed records."),
      left: zoneRecords(
        "The records that stay, because they were changed since or the account does not allow the removal.",
      ),
    }),
  },
  "domain.redirect_changed": {
    subject: "domain",
    description:
      "The domain's redirect was changed. `domain.redirect_served` follows when the edge serves it.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name to redirect to; null for no redirect."),
      previousRedirectTo: NullableName("The previous target."),
    }),
  },
  "domain.redirect_served": {
    subject: "domain",
    description: "The edge redirects the domain everywhere as configured, or no longer redirects it.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name that it redirects to; null for no redirect."),
    }),
  },
  "domain.redirect_failed": {
    subject: "domain",
    description: "The cloud refused to redirect the domain as configured. Slipway retries every ten minutes.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name to redirect to; null for no redirect."),
      error: Type.Object(
        {
          code: Type.String({ description: "The error code, for programs.", examples: ["ACCESS_DENIED"] }),
          message: Type.String({
            description: "A description of the error.",
            examples: ["The role does not allow this."],
          }),
        },
        { description: "The error." },
      ),
    }),
  },
  "domain.deleted": {
    subject: "domain",
    description: "The domain was deleted, in Slipway and in the cloud.",
    data: Type.Object(DOMAIN_DATA),
  },
  "certificate.issued": {
    subject: "certificate",
    description: "The provider issued a certificate.",
    data: Type.Object(CERTIFICATE),
  },
  "certificate.renewed": {
    subject: "certificate",
    description: "The provider renewed a certificate.",
    data: Type.Object(CERTIFICATE),
  },
  "certificate.failed": {
    subject: "certificate",
    description: "A certificate was refused, timed out, or could not be renewed.",
    data: Type.Object({
      ...CERTIFICATE,
      reason: Type.Unsafe<"request" | "renewal">({
        type: "string",
        enum: ["request", "renewal"],
        description: "Whether its request or its renewal failed.",
        examples: ["renewal"],
      }),
    }),
  },
  "certificate.expiring": {
    subject: "certificate",
    description:
      "A certificate in use was not renewed and expires in 30, 14, 7 or 1 days. Less than a fifth of its life is left.",
    data: Type.Object({
      ...CERTIFICATE,
      days: Type.Integer({
        description: "The maximum number of days until it expires: 30, 14, 7 or 1.",
        examples: [14],
      }),
      reasons: Type.Array(RenewalReasonData, {
        description: "The known reasons why it cannot be renewed. Empty if only the provider knows them.",
      }),
    }),
  },
  "domain_group.updated": {
    subject: "domain_group",
    description:
      "The group's `autoDns` was changed, its failed domains are retried, or the deletion of the group or of one of its domains began.",
    data: Type.Object({
      ...GroupData.properties,
      autoDns: Type.Boolean({
        description: "Whether Slipway sets the records of the group's domains.",
        examples: [true],
      }),
    }),
  },
  "domain_group.activated": {
    subject: "domain_group",
    description: "All domains of the group that can be served are served.",
    data: GroupData,
  },
  "domain_group.failed": {
    subject: "domain_group",
    description: "None of the group's domains is served, and one is in error.",
    data: GroupData,
  },
  "domain_group.abandoned": {
    subject: "domain_group",
    description:
      "The group was deleted without access to its cloud account, where some of its resources may be left.",
    data: GroupData,
  },
  "domain_group.deleted": {
    subject: "domain_group",
    description: "The group was deleted, in Slipway and in the cloud.",
    data: GroupData,
  },
});
