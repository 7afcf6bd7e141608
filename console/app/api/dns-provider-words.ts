/** Who runs the DNS of a group's domains, and the best way to set their records, in a person's words. Pure. */
import type { DnsPanelQuirk, Domain } from "../../../sdk/src/generated/types.ts";

/** One way to set records, and the domains that it is for. */
export type DnsWay = {
  /** The domains' names. */
  readonly names: readonly string[];
  /** The best way, in a sentence. */
  readonly says: string;
  /** Where records are set by hand; null: not known, or not needed. */
  readonly panelUrl: string | null;
  /** What to know before setting a record there. */
  readonly hints: readonly string[];
};

const HINTS: Readonly<Record<DnsPanelQuirk, string>> = {
  ZONE_IS_APPENDED: "Enter the name as the table shows it: the panel adds the zone automatically.",
  VALUE_ENDS_WITH_DOT: "Keep the dot at the end of the value.",
  APEX_HOST_IS_EMPTY: "For the domain itself, leave the field of the name empty.",
  PROXY_MUST_BE_OFF: "Turn the provider's proxy off for these records (“DNS only”).",
  ALIAS_ONLY_TO_OWN_TARGETS: "Alias records of this provider lead only to its own services.",
  SEVERAL_PROVIDERS: "Several providers serve this domain. Set the records at each of them.",
};

const OF_APEX: ReadonlySet<DnsPanelQuirk> = new Set(["APEX_HOST_IS_EMPTY", "ALIAS_ONLY_TO_OWN_TARGETS"]);

type Seen = Pick<Domain, "name" | "status" | "dnsProvider" | "dnsRecords" | "warnings">;

/** The ways to set records, for the domains that still need one. Domains with the same way share one entry. */
export function tellDnsWays(domains: readonly Seen[], autoDns: boolean): readonly DnsWay[] {
  const ways = new Map<string, DnsWay>();
  for (const domain of domains) {
    if (domain.status === "DETACHING" || domain.dnsRecords.every(({ status }) => status === "OK")) continue;
    const way = wayOf(domain, autoDns);
    const key = JSON.stringify(way);
    ways.set(key, { ...way, names: [...(ways.get(key)?.names ?? []), domain.name] });
  }
  return [...ways.values()];
}

function wayOf({ dnsProvider, dnsRecords, warnings }: Seen, autoDns: boolean): Omit<DnsWay, "names"> {
  const isRefused = warnings.some(({ code }) => code.startsWith("DNS_"));
  const isByHand = dnsRecords.some(({ status, type }) => status !== "OK" && type === "CAA");
  if (autoDns && !isRefused && !isByHand)
    return {
      says: "Slipway sets them, in the zone of the connected account.",
      panelUrl: null,
      hints: [],
    };
  if (dnsProvider === null)
    return { says: "Slipway is about to look who runs this DNS.", panelUrl: null, hints: [] };
  const { name, panelUrl, nameServers, quirks, supports } = dnsProvider;
  const hasApex = dnsRecords.some(({ type }) => type === "ALIAS");
  const hints = quirks.flatMap((quirk) => (hasApex || !OF_APEX.has(quirk) ? [HINTS[quirk]] : []));
  if (supports.domainConnect === true)
    return { says: `${name ?? "The DNS provider"} sets them once you agree there.`, panelUrl, hints };
  if (name !== null) return { says: `Set them at ${name}, as the table says.`, panelUrl, hints };
  const servers = nameServers.length === 0 ? "" : ` Its name servers: ${nameServers.join(", ")}.`;
  return { says: `Set them where this DNS is run; the provider is unknown.${servers}`, panelUrl, hints };
}
