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
const NullableName = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description, examples: ["example.com"] });
const STATUS = {
  status: Type.Unsafe<(typeof DOMAIN_STATUSES)[number]>({
    type: "string",
    enum: DOMAIN_STATUSES,
    description: "The domain's status now.",
    examples: ["ATTACHED"],
  }),
  previousStatus: Type.Unsafe<(typeof DOMAIN_STATUSES)[number]>({
    type: "string",
    enum: DOMAIN_STATUSES,
    description: "The status before.",
    examples: ["ATTACHING"],
  }),
};

const ErrorData = Type.Object(
  {
    code: Type.String({
      description: "Why, for programs.",
      examples: ["Cloud:CERT:Error:VALIDATION_TIMEOUT"],
    }),
    message: Type.String({ description: "What happened.", examples: ["The certificate was not validated."] }),
    action: Type.String({ description: "What to do.", examples: ["Set the record, then retry."] }),
    retryable: Type.Boolean({
      description: "Whether a retry can succeed without another change first.",
      examples: [true],
    }),
  },
  { description: "What went wrong." },
);

const RecordData = Type.Object(
  {
    purpose: Type.Unsafe<(typeof RECORD_PURPOSES)[number]>({
      type: "string",
      enum: RECORD_PURPOSES,
      description: "What it is for.",
      examples: ["CERTIFICATE_DOMAIN_VERIFICATION"],
    }),
    type: Type.String({ description: "`CNAME`, `ALIAS` or `CAA`.", examples: ["CNAME"] }),
    name: Type.String({ description: "The record's name.", examples: ["_x1.www.example.com"] }),
    value: Type.String({ description: "The record's value.", examples: ["_x2.acm-validations.aws"] }),
    status: Type.Unsafe<"PENDING" | "OK">({
      type: "string",
      enum: ["PENDING", "OK"],
      description: "Whether Slipway finds it.",
      examples: ["PENDING"],
    }),
  },
  { description: "The record." },
);

const WarningData = Type.Object({
  ...DOMAIN_DATA,
  warning: Type.Object(
    {
      code: Type.String({ description: "Which, for programs.", examples: ["VERIFICATION_RECORD_MISSING"] }),
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
    description: "The name that it is about; null if it is about none of them.",
    examples: ["www.example.com"],
  }),
});

const CERTIFICATE = {
  groupId: GROUP_ID,
  providerId: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The id that the provider gave it, which the group shows as `certificate.id`.",
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
    description: "Its status now; of a deleted group, its last.",
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
        description: "Who runs them, as `dnsProvider.name`; null if that is not known.",
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
  "domain.attached": {
    subject: "domain",
    description: "The domain is served over HTTPS.",
    data: Type.Object({ ...DOMAIN_DATA, ...STATUS }),
  },
  "domain.attachment_failed": {
    subject: "domain",
    description: "The domain could not be attached, or detached. It stays so until a retry or a deletion.",
    data: Type.Object({ ...DOMAIN_DATA, ...STATUS, error: ErrorData }),
  },
  "domain.warning_raised": {
    subject: "domain",
    description: "A domain has a problem that prevents its certificate or its service, or will end them.",
    data: WarningData,
  },
  "domain.warning_resolved": {
    subject: "domain",
    description: "The problem has ended.",
    data: WarningData,
  },
  "domain.dns_moved": {
    subject: "domain",
    description:
      "The domain's zone is delegated to other name servers than before, or the domain is in another zone. Records that were set at the previous ones may be missing now.",
    data: Type.Object({
      ...DOMAIN_DATA,
      dns: dnsData("Where its DNS is now."),
      previousDns: dnsData("Where it was before."),
    }),
  },
  "domain.dns_records_set": {
    subject: "domain",
    description: "Slipway created records of the domain in a DNS zone of the cloud account.",
    data: Type.Object({ ...DOMAIN_DATA, records: zoneRecords("What it created.") }),
  },
  "domain.dns_records_removed": {
    subject: "domain",
    description: "The domain is being deleted, and Slipway removed the records that it had created for it.",
    data: Type.Object({
      ...DOMAIN_DATA,
      records: zoneRecords("What it removed."),
      left: zoneRecords("What stays: it was changed since, or the account does not allow it."),
    }),
  },
  "domain.redirect_changed": {
    subject: "domain",
    description:
      "The domain's redirect was changed. `domain.redirect_served` follows when the edge serves it.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name to redirect to; null: none."),
      previousRedirectTo: NullableName("The one before."),
    }),
  },
  "domain.redirect_served": {
    subject: "domain",
    description: "The edge redirects the domain as wanted, everywhere, or no longer does.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name that it redirects to; null: none."),
    }),
  },
  "domain.redirect_failed": {
    subject: "domain",
    description: "The cloud refused to redirect the domain as wanted. Slipway tries again every ten minutes.",
    data: Type.Object({
      ...DOMAIN_DATA,
      redirectTo: NullableName("The name to redirect to; null: none."),
      error: Type.Object(
        {
          code: Type.String({ description: "Why, for programs.", examples: ["ACCESS_DENIED"] }),
          message: Type.String({
            description: "What happened.",
            examples: ["The role does not allow this."],
          }),
        },
        { description: "What went wrong." },
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
    description: "A certificate in use was not renewed and expires in 30, 14, 7 or 1 days.",
    data: Type.Object({
      ...CERTIFICATE,
      days: Type.Integer({
        description: "How many days it is valid at most: 30, 14, 7 or 1.",
        examples: [14],
      }),
      reasons: Type.Array(RenewalReasonData, {
        description: "Why it cannot be renewed, as far as Slipway knows; else only the provider knows.",
      }),
    }),
  },
  "domain_group.updated": {
    subject: "domain_group",
    description: "It was changed whether Slipway sets the records of the group's domains.",
    data: Type.Object({
      ...GroupData.properties,
      autoDns: Type.Boolean({ description: "Whether it does.", examples: [true] }),
    }),
  },
  "domain_group.activated": {
    subject: "domain_group",
    description: "All that can be served of the group's domains is served.",
    data: GroupData,
  },
  "domain_group.failed": {
    subject: "domain_group",
    description: "None of the group's domains is served, and one is in error.",
    data: GroupData,
  },
  "domain_group.abandoned": {
    subject: "domain_group",
    description: "The group was deleted without its cloud account, where something of it may be left.",
    data: GroupData,
  },
  "domain_group.deleted": {
    subject: "domain_group",
    description: "The group was deleted, in Slipway and in the cloud.",
    data: GroupData,
  },
});
