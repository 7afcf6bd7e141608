/** What the page of a share link shows. Pure. Nothing is in it but what the owner of the domains has to know. */
import type { DnsRecord, Domain, DomainStatus } from "../custom-domains/custom-domain.ts";
import { relativeNameOf, zoneOf, zoneOfRecord } from "../custom-domains/domain-name.ts";
import { warningsOf } from "../custom-domains/warnings.ts";
import { isSettable } from "../custom-domains/records/dns-record.ts";
import { isMoveFirst, type SetWhen, setWhenOf } from "../custom-domains/records/dns-record.ts";
import { type PanelQuirk, panelFormOf, providerOf } from "../custom-domains/records/dns-providers.ts";

/** `waiting`: nothing was looked at yet. */
export type State = "right" | "wrong" | "missing" | "waiting";

/** A record: what it should be, and as `there` what is there now. */
export type ShownRecord = {
  readonly purpose: DnsRecord["purpose"];
  readonly type: string;
  /** As the panel of the zone's provider wants it; empty if the field stays empty. */
  readonly host: string;
  readonly value: string;
  readonly fullName: string;
  readonly setWhen: SetWhen;
  readonly state: State;
  readonly there: string | null;
  /** Says what is wrong and what to do. */
  readonly problem: string | null;
};

export type ShownDomain = {
  readonly name: string;
  readonly zone: string;
  readonly provider: { readonly name: string | null; readonly panelUrl: string | null } | null;
  /** What to know before setting a record there. */
  readonly hints: readonly string[];
  /**
   * The DNS provider that sets the records itself once their owner agrees there (Domain Connect). Null: no provider
   * does, or nothing is left to do.
   */
  readonly connectsAt: string | null;
  /** Its state in words. */
  readonly says: string;
  readonly isDone: boolean;
  readonly problem: string | null;
  readonly records: readonly ShownRecord[];
};

type WithRecords = { readonly domain: Domain; readonly records: readonly DnsRecord[] };

const SAYS: Readonly<Record<DomainStatus, string>> = {
  PENDING: "Being prepared. The records to set appear here within a minute.",
  CREATING: "Being prepared. The records to set appear here within a minute.",
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: "Waiting for the records below.",
  ATTACHING: "The records were found. The certificate is being put in place, which takes some minutes.",
  ATTACHED: "Ready.",
  DETACHING: "Being removed.",
  ERROR_ATTACHING: "Something went wrong that cannot be fixed here. Contact the sender of this page.",
  ERROR_DETACHING: "Being removed.",
};

const HINTS: Readonly<Record<PanelQuirk, string>> = {
  ZONE_IS_APPENDED: "Enter the name as it is shown here: the panel adds the rest of the domain.",
  APEX_HOST_IS_EMPTY: "For the domain itself, leave the field of the name empty.",
  VALUE_ENDS_WITH_DOT: "Keep the dot at the end of the value.",
  PROXY_MUST_BE_OFF: "Turn the provider's proxy off for these records (“DNS only”).",
  ALIAS_ONLY_TO_OWN_TARGETS: "Alias records of this provider lead only to its own services.",
  SEVERAL_PROVIDERS: "Several providers serve this domain. Set the records at each of them.",
};

const OF_APEX: ReadonlySet<PanelQuirk> = new Set(["APEX_HOST_IS_EMPTY", "ALIAS_ONLY_TO_OWN_TARGETS"]);

const APEX_IN_VAIN =
  "This name is the top of its DNS zone, where no CNAME may be, and its provider has no record that could lead it here. Contact the sender of this page: a name below it, such as www, works, and the provider can forward this one to it.";

/**
 * Domains that need something come first; both parts are in the order of names. Domains that are being deleted are not
 * shown.
 * @param isKnown whether DNS providers know this installation (Domain Connect)
 */
export function decideShown(all: readonly WithRecords[], isKnown: boolean): readonly ShownDomain[] {
  return all
    .filter(({ domain }) => domain.isDesired)
    .map((one) => showDomain(one, isKnown))
    .toSorted((a, b) => Number(a.isDone) - Number(b.isDone) || (a.name < b.name ? -1 : 1));
}

function showDomain({ domain, records }: WithRecords, isKnown: boolean): ShownDomain {
  const { name, status, delegation } = domain;
  const zone = delegation?.zone ?? zoneOf(name);
  const provider = providerOf(delegation?.nameServers ?? []);
  const isFirst = isMoveFirst(domain, records);
  const shown = records
    .filter(isSettable)
    .map((record) => showRecord(record, domain, provider, setWhenOf(status, record, isFirst)));
  const isDone = status === "ATTACHED" && shown.every(({ state }) => state === "right");
  const warnings = warningsOf(domain, records);
  const isApexInVain = warnings.some(({ code }) => code === "APEX_NOT_SUPPORTED");
  const unsettable = records.find((record) => !isSettable(record) && record.status === "PENDING");
  const offer = delegation?.domainConnect ?? null;
  const isLeft = shown.some(({ state }) => state !== "right");
  const hasApex = records.some((record) => record.name === zone);
  return {
    name,
    zone,
    provider:
      delegation === null
        ? null
        : {
            name: provider.name ?? offer?.providerName ?? null,
            panelUrl: provider.panelUrl ?? offer?.panelUrl ?? null,
          },
    hints: provider.quirks.flatMap((quirk) => (hasApex || !OF_APEX.has(quirk) ? [HINTS[quirk]] : [])),
    connectsAt: isKnown && isLeft && offer !== null && offer.applyAt !== null ? offer.providerName : null,
    says: isDone ? "Done. Visitors reach it, over HTTPS." : sayOf(status, shown),
    isDone,
    problem: isApexInVain ? APEX_IN_VAIN : (unsettable?.lastCheckError?.message ?? null),
    records: shown,
  };
}

function sayOf(status: DomainStatus, records: readonly ShownRecord[]): string {
  if (status !== "ATTACHED") return SAYS[status];
  const isLed = records.every(({ purpose, state }) => purpose !== "SERVICE_CONNECTION" || state === "right");
  return isLed
    ? "Visitors reach it, but a record that its certificate needs is missing. Set it again."
    : "The certificate is in place. Set the records below, so that visitors reach it.";
}

function showRecord(
  record: DnsRecord,
  domain: Pick<Domain, "name" | "delegation">,
  provider: ReturnType<typeof providerOf>,
  setWhen: SetWhen,
): ShownRecord {
  const { purpose, type, name, value, status, lastCheckAt, lastCheckValue, lastCheckError } = record;
  const relativeName = relativeNameOf(record, zoneOfRecord(record, domain));
  const form = panelFormOf(provider, { type, relativeName, value }) ?? { type, host: relativeName, value };
  const isRight = status === "OK";
  const there = lastCheckValue === "" ? null : lastCheckValue;
  const unset: State = lastCheckAt === null ? "waiting" : there === null ? "missing" : "wrong";
  return {
    purpose,
    ...form,
    fullName: name,
    setWhen,
    state: isRight ? "right" : unset,
    there: isRight ? (there ?? value) : there,
    // That nothing is there, the page says itself; but not what a wildcard answers there.
    problem:
      isRight || (lastCheckError?.code === "NOT_FOUND" && there === null)
        ? null
        : (lastCheckError?.message ?? null),
  };
}
