/** DNS records as the API shows them. */
import { type TUnsafe, Type } from "typebox";
import { At, Id, Instant, Nullable, NullableInstant, Text, Words } from "../../../http/schemas.ts";
import { writeInstant } from "../../../lib/instants.ts";
import {
  type DnsRecord,
  type Domain,
  type ListedRecord,
  RECORD_PURPOSES,
  type ZoneState,
} from "../custom-domain.ts";
import { relativeNameOf, zoneOfRecord } from "../domain-name.ts";
import { lastCheckedAt } from "./check-times.ts";
import { type DnsProvider, panelFormOf, providerOf } from "./dns-providers.ts";
import { isSameRecord, SET_WHEN, setWhenOf } from "./dns-record.ts";

const PropagationCheckErrorSchema = Nullable(
  Type.Object(
    {
      code: Type.Optional(Text("The problem's code.", "NOT_FOUND")),
      message: Type.Optional(
        Text("The finding, and what to do.", "There is no CNAME record at www.example.com."),
      ),
    },
    { title: "PropagationCheckError", description: "The error that a check of a DNS record found." },
  ),
);

const PanelFormSchema = Nullable(
  Type.Object(
    {
      type: Text("The type to choose, as the panel names it.", "CNAME"),
      host: Text("The name to enter. `@` is the zone itself; empty: leave the field empty.", "www"),
      value: Text(
        "The value to enter, with a final dot where the panel needs one.",
        "d111111abcdef8.cloudfront.net",
      ),
    },
    { title: "PanelForm", description: "A DNS record as it is entered in the panel of a DNS provider." },
  ),
);

const ZONE_STATUSES = ["SETTING", "SET", "FOUND", "CONFLICT"] as const;

type AccountZoneView = {
  status: (typeof ZONE_STATUSES)[number];
  zoneId: string | null;
  since: string;
  found: string | null;
};

const AccountZoneSchema: TUnsafe<AccountZoneView | null> = Nullable(
  Type.Object(
    {
      status: Words(ZONE_STATUSES, {
        title: "AccountZoneStatus",
        description:
          "`SETTING`: Slipway is about to create it. `SET`: Slipway created it, and removes it with the domain. `FOUND`: it already existed, and stays when the domain is deleted. `CONFLICT`: another record exists instead.",
        examples: ["SET"],
      }),
      zoneId: Nullable(Text("The account's id of the zone; null in a conflict.", "Z0123456789ABCDEFGHIJ")),
      since: Instant("Since when it has this status.", "2026-11-20T09:31:07.000Z"),
      found: Nullable(Text("In a conflict: the record that exists instead.", null)),
    },
    {
      title: "AccountZone",
      description: "What Slipway did for a DNS record in a DNS zone of the cloud account.",
    },
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
  value: Text("The value to set.", "d111111abcdef8.cloudfront.net"),
  setWhen: Words(SET_WHEN, {
    title: "DnsRecordSetWhen",
    description:
      "`NOW`: at once. `AFTER_CERTIFICATE`: once the domain is `ATTACHED`, because its name is served elsewhere, or was not checked yet. Only a `SERVICE_CONNECTION` record has to wait.",
    examples: ["NOW"],
  }),
  panelForm: At(
    PanelFormSchema,
    "How to enter it in the panel of the zone's provider; null if `type`, `relativeName` and `value` can be entered as they are.",
    null,
  ),
  accountZone: At(
    AccountZoneSchema,
    "What Slipway did for it in a DNS zone of the cloud account, if the group has or had `autoDns`; null for nothing.",
    null,
  ),
  lastPropagationCheckAt: NullableInstant(
    "When the record was last checked. It may lag by a few seconds. Null before the first check.",
  ),
  lastPropagationCheckValue: Nullable(
    Text("The value that the last check found.", "d111111abcdef8.cloudfront.net"),
  ),
  lastPropagationCheckError: At(
    PropagationCheckErrorSchema,
    "The error of the last check: null before the first check, empty if there was none.",
    {},
  ),
};

export const DnsRecordSchema = Type.Object(RECORD_FIELDS, {
  title: "DnsRecord",
  description: "A DNS record that the client must create.",
});

/** A record in a list of the records of many domains. */
export const ListedDnsRecordSchema = Type.Object(
  {
    id: Id("rec", "Id of the record."),
    domainId: Id("dom", "The domain that needs it."),
    domain: Text("The domain's name.", "www.example.com"),
    ...RECORD_FIELDS,
  },
  {
    title: "ListedDnsRecord",
    description: "A DNS record that the client must create, and its domain.",
  },
);

export function viewListedRecord(record: ListedRecord, checkedThrough: Date | null) {
  const { id, domainId, domain, domainStatus: status } = record;
  const provider = providerOf(record.delegation?.nameServers ?? []);
  const shown = { ...record, name: domain, status };
  return { id, domainId, domain, ...viewRecord(record, shown, provider, checkedThrough) };
}

export function viewRecord(
  record: DnsRecord,
  domain: Pick<Domain, "name" | "delegation" | "zoneState" | "status"> & { readonly isMoveFirst: boolean },
  provider: DnsProvider,
  checkedThrough: Date | null,
) {
  const { status, purpose, type, name, value } = record;
  const zone = zoneOfRecord(record, domain);
  const checkedAt = lastCheckedAt(record, checkedThrough);
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
    lastPropagationCheckAt: checkedAt === null ? null : writeInstant(checkedAt),
    lastPropagationCheckValue: record.lastCheckValue,
    lastPropagationCheckError: record.lastCheckError,
  };
}

/** Null if Slipway did nothing for the record. Pure. */
function viewAccountZone(record: DnsRecord, state: ZoneState | null): AccountZoneView | null {
  if (state === null || record.type === "CAA") return null;
  const { name, type, value } = record;
  const { problem } = state;
  if (problem?.conflict?.type === type && problem.conflict.name === name)
    return { status: "CONFLICT", zoneId: null, since: problem.since, found: problem.conflict.found };
  const own = state.records.find((one) => isSameRecord(one, { name, type, value }));
  return own === undefined ? null : { status: own.status, zoneId: own.zoneId, since: own.since, found: null };
}
