/** What happened to a domain, in sentences made of its events and those of its certificate. Pure. */
import { type Static, Type } from "typebox";
import { Id, Instant, Nullable, Text, Words } from "../../http/schemas.ts";
import { writeInstant } from "../../lib/instants.ts";
import type { DnsRecord } from "./custom-domain.ts";
import type { CUSTOM_DOMAIN_EVENTS } from "./events.ts";
import type { Event } from "../events/event.ts";
import { ActorSchema } from "../events/views.ts";

const KINDS = [
  "DOMAIN_ADDED",
  "RECORD_REQUIRED",
  "RECORD_FOUND",
  "RECORD_LOST",
  "RECORD_WRONG",
  "CERTIFICATE_ISSUED",
  "CERTIFICATE_RENEWED",
  "CERTIFICATE_EXPIRING",
  "CERTIFICATE_FAILED",
  "ATTACHED",
  "ATTACHMENT_FAILED",
  "PROBLEM_BEGAN",
  "PROBLEM_ENDED",
  "DNS_MOVED",
  "RECORDS_SET_BY_SLIPWAY",
  "RECORDS_REMOVED_BY_SLIPWAY",
  "REDIRECT_CHANGED",
  "REDIRECT_SERVED",
  "REDIRECT_FAILED",
  "DNS_PROVIDER_ASKED",
  "DNS_PROVIDER_ANSWERED",
  "OTHER",
] as const;

export const TimelineEntrySchema = Type.Object(
  {
    id: Id("evt", "The id of the event."),
    occurredAt: Instant("When it happened.", "2026-11-20T09:41:55.000Z"),
    kind: Words(KINDS, {
      title: "DomainTimelineEntryKind",
      description:
        "What happened. `RECORD_LOST`: a record that was found is missing or different now. `RECORD_WRONG`: something else is set in its place. `PROBLEM_BEGAN` and `PROBLEM_ENDED`: as in the domain's `warnings`. `OTHER`: an event that this release has no kind for.",
      examples: ["ATTACHED"],
    }),
    summary: Text("What happened, in a sentence.", "The domain is served over HTTPS."),
    action: Nullable(Text("What to do; null: nothing.", "Set the record again.")),
    recordName: Nullable(Text("The full name of the DNS record that it is about.", "_x1.www.example.com")),
    eventType: Text("The type of the event.", "domain.attached"),
    actor: ActorSchema,
  },
  { title: "DomainTimelineEntry", description: "Something that happened to a domain." },
);

type Entry = Static<typeof TimelineEntrySchema>;
type Described = Pick<Entry, "kind" | "summary"> & Partial<Pick<Entry, "action" | "recordName">>;
type Data<Type extends keyof typeof CUSTOM_DOMAIN_EVENTS> = Static<
  (typeof CUSTOM_DOMAIN_EVENTS)[Type]["data"]
>;

const RECORDS: Readonly<Record<DnsRecord["purpose"], string>> = {
  CERTIFICATE_DOMAIN_VERIFICATION: "verification record",
  SERVICE_CONNECTION: "connection record",
  CERTIFICATE_AUTHORITY_AUTHORIZATION: "CAA record",
};

/** By the code of a warning: what it means when it begins and when it ends, and what to do. Other warnings are shown as they are. */
const PROBLEMS: Readonly<Record<string, readonly [began: string, ended: string, action: string]>> = {
  VERIFICATION_RECORD_MISSING: [
    "Without the verification record, the certificate cannot be renewed.",
    "The certificate can be renewed again.",
    "Set the verification record again, and keep it.",
  ],
  CONNECTION_RECORD_MISSING: [
    "Without the connection record, visitors do not reach the service.",
    "Visitors reach the service again.",
    "Set the connection record again, or delete the domain.",
  ],
  CAA_REFUSES_RENEWAL: [
    "CAA records prevent the renewal of the certificate.",
    "CAA records allow the renewal of the certificate again.",
    "Set the CAA record of the domain.",
  ],
  CAA_REFUSES_CERTIFICATE: [
    "CAA records prevent the certificate.",
    "CAA records allow the certificate.",
    "Set the CAA record of the domain.",
  ],
  APEX_NOT_SUPPORTED: [
    "The DNS provider cannot lead this name to the service, because it is the top of its zone.",
    "The name can be led to the service.",
    "Use a name below it, such as www, or move the zone to a provider with ALIAS records.",
  ],
};

/** Earlier releases wrote some events with fewer fields than the types say. */
const DESCRIBE: {
  readonly [Type in keyof typeof CUSTOM_DOMAIN_EVENTS]?: (data: Data<Type>) => Described;
} = {
  "domain.created": () => ({ kind: "DOMAIN_ADDED", summary: "The domain was added." }),
  "domain.records_changed": ({ record }) => describeRecord(record),
  "domain.record_wrong": ({ record: { purpose, name, found, problem } }) => ({
    kind: "RECORD_WRONG",
    summary:
      found === null
        ? `The ${RECORDS[purpose]} cannot be used.`
        : `Found ${found} in place of the ${RECORDS[purpose]}.`,
    action: withoutFinding(problem.message),
    recordName: name,
  }),
  "domain.attached": () => ({ kind: "ATTACHED", summary: "The domain is served over HTTPS." }),
  "domain.attachment_failed": ({ error: { message, action } }) => ({
    kind: "ATTACHMENT_FAILED",
    summary: message,
    action,
  }),
  "domain.warning_raised": ({ warning: { code, message, action } }) => ({
    kind: "PROBLEM_BEGAN",
    summary: PROBLEMS[code]?.[0] ?? message,
    action: PROBLEMS[code]?.[2] ?? action,
  }),
  "domain.warning_resolved": ({ warning: { code, message } }) => ({
    kind: "PROBLEM_ENDED",
    summary: PROBLEMS[code]?.[1] ?? `This problem has ended: ${message}`,
  }),
  "domain.dns_moved": ({ dns, previousDns }) => ({
    kind: "DNS_MOVED",
    summary: `The DNS moved from ${serversOf(previousDns)} to ${serversOf(dns)}.`,
    action: "Check that the records are set there, too.",
  }),
  "domain.dns_records_set": ({ records }) => ({
    kind: "RECORDS_SET_BY_SLIPWAY",
    summary: `Slipway set ${countOf(records)} in the account's DNS zone.`,
  }),
  "domain.dns_records_removed": ({ records }) => ({
    kind: "RECORDS_REMOVED_BY_SLIPWAY",
    summary: `Slipway removed ${countOf(records)} from the account's DNS zone.`,
  }),
  "domain.redirect_changed": ({ redirectTo }) => ({
    kind: "REDIRECT_CHANGED",
    summary: redirectTo === null ? "The redirect was removed." : `A redirect to ${redirectTo} was requested.`,
  }),
  "domain.redirect_served": ({ redirectTo }) => ({
    kind: "REDIRECT_SERVED",
    summary:
      redirectTo === null ? "The domain no longer redirects." : `The domain redirects to ${redirectTo}.`,
  }),
  "domain.redirect_failed": ({ error }) => ({
    kind: "REDIRECT_FAILED",
    summary: `The redirect was refused: ${error.message}`,
  }),
  "certificate.issued": ({ expiresAt }) => ({
    kind: "CERTIFICATE_ISSUED",
    summary: `The certificate was issued${untilDay(expiresAt)}.`,
  }),
  "certificate.renewed": ({ expiresAt }) => ({
    kind: "CERTIFICATE_RENEWED",
    summary: `The certificate was renewed${untilDay(expiresAt)}.`,
  }),
  "certificate.expiring": ({ days }) => ({
    kind: "CERTIFICATE_EXPIRING",
    summary: `The certificate expires within ${days === 1 ? "a day" : `${days} days`} and was not renewed.`,
    action: "Set all records that the domains of the group need.",
  }),
  "certificate.failed": ({ reason }) => ({
    kind: "CERTIFICATE_FAILED",
    summary: reason === "renewal" ? "The certificate was not renewed." : "The certificate was not issued.",
  }),
};

function describeRecord({
  purpose,
  name,
  status,
  previousStatus,
}: Data<"domain.records_changed">["record"]): Described {
  const record = RECORDS[purpose];
  if (status === "OK") return { kind: "RECORD_FOUND", summary: `The ${record} is set.`, recordName: name };
  if (previousStatus === "OK")
    return {
      kind: "RECORD_LOST",
      summary: `The ${record} is no longer set.`,
      action: "Set it again, and keep it.",
      recordName: name,
    };
  return { kind: "RECORD_REQUIRED", summary: `The ${record} has to be set.`, recordName: name };
}

/** The remedy of a check's message, without its finding. */
function withoutFinding(message: string): string {
  return message.replace(/^Found [^;]*; (.)/, (_, first: string) => first.toUpperCase());
}

function serversOf({ provider, nameServers }: Data<"domain.dns_moved">["dns"]): string {
  return provider ?? nameServers.join(", ");
}

function countOf(records: readonly unknown[]): string {
  return records.length === 1 ? "1 record" : `${records.length} records`;
}

function untilDay(expiresAt: string | null): string {
  return expiresAt === null ? "" : `, valid until ${expiresAt.slice(0, 10)}`;
}

/** The events of features above this one. */
const DESCRIBE_OTHERS: Readonly<Record<string, (data: Connected) => Described>> = {
  "domain.connect_started": ({ provider }) => ({
    kind: "DNS_PROVIDER_ASKED",
    summary: `The owner was sent to ${provider}, to agree that it sets the records.`,
  }),
  "domain.connect_returned": ({ provider, outcome }) => ({
    kind: "DNS_PROVIDER_ANSWERED",
    summary: outcome === "AGREED" ? `The owner agreed at ${provider}.` : `Nothing was agreed at ${provider}.`,
  }),
};
type Connected = { readonly provider?: string; readonly outcome?: string };

const DESCRIBE_ALL = { ...DESCRIBE, ...DESCRIBE_OTHERS } as Readonly<
  Record<string, ((data: unknown) => Described) | undefined>
>;

export function viewTimelineEntry({ id, occurredAt, type, actorKind, actorId, data }: Event): Entry {
  const described = DESCRIBE_ALL[type]?.(data) ?? { kind: "OTHER", summary: type };
  const { kind, summary, action = null, recordName = null } = described;
  return {
    id,
    occurredAt: writeInstant(occurredAt),
    kind,
    summary,
    action,
    recordName,
    eventType: type,
    actor: { kind: actorKind, id: actorId },
  };
}
