/**
 * Finds the DNS provider of a zone by the names of its name servers, and what its panel requires. Pure. An unknown fact
 * about a provider is null, never a guess: only the answers of the DNS decide whether a record is right.
 */

/** What one has to know to set a record in a provider's panel, in words of the API. */
export const PANEL_QUIRKS = [
  "ZONE_IS_APPENDED",
  "APEX_HOST_IS_EMPTY",
  "VALUE_ENDS_WITH_DOT",
  "PROXY_MUST_BE_OFF",
  "ALIAS_ONLY_TO_OWN_TARGETS",
  "SEVERAL_PROVIDERS",
] as const;
export type PanelQuirk = (typeof PANEL_QUIRKS)[number];

export type DnsProvider = {
  /** Null if none of the name servers is known. Of several providers, all. */
  readonly name: string | null;
  readonly panelUrl: string | null;
  readonly quirks: readonly PanelQuirk[];
  readonly supports: {
    /** Whether an apex can lead to a host name: ALIAS, ANAME, a flattened CNAME, or what else it is called. */
    readonly alias: boolean | null;
    readonly caa: boolean | null;
  };
  /** The type to choose in the panel for an ALIAS. */
  readonly aliasType: string;
};

type Known = {
  readonly name: string;
  /** Ends of names of name servers, or a pattern where a number is within. */
  readonly servers: readonly (string | RegExp)[];
  readonly panelUrl: string | null;
  readonly quirks?: readonly PanelQuirk[];
  readonly alias: boolean | null;
  readonly aliasType?: string;
  readonly caa?: boolean;
};

const KNOWN: readonly Known[] = [
  {
    name: "Cloudflare",
    servers: ["ns.cloudflare.com"],
    panelUrl: "https://dash.cloudflare.com/",
    quirks: ["PROXY_MUST_BE_OFF"],
    alias: true,
    aliasType: "CNAME",
    caa: true,
  },
  {
    name: "Amazon Route 53",
    servers: [/(?:^|\.)awsdns-\d+\.(?:com|net|org|co\.uk|cn)$/],
    panelUrl: "https://console.aws.amazon.com/route53/v2/hostedzones",
    quirks: ["APEX_HOST_IS_EMPTY"],
    alias: true,
    aliasType: "A",
    caa: true,
  },
  {
    name: "GoDaddy",
    servers: ["domaincontrol.com"],
    panelUrl: "https://dcc.godaddy.com/control/portfolio",
    alias: false,
    caa: true,
  },
  {
    name: "Namecheap",
    servers: ["registrar-servers.com"],
    panelUrl: "https://ap.www.namecheap.com/domains/list/",
    alias: true,
    caa: true,
  },
  {
    name: "IONOS",
    servers: [/(?:^|\.)ui-dns\.(?:com|de|org|biz|net)$/],
    panelUrl: "https://my.ionos.com/domains",
    alias: null,
    caa: true,
  },
  {
    name: "Google Cloud DNS or Squarespace",
    servers: ["googledomains.com"],
    panelUrl: null,
    alias: null,
    caa: true,
  },
  {
    name: "Azure DNS",
    servers: [/(?:^|\.)azure-dns\.(?:com|net|org|info)$/],
    panelUrl: "https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones",
    quirks: ["APEX_HOST_IS_EMPTY", "ALIAS_ONLY_TO_OWN_TARGETS"],
    alias: false,
    caa: true,
  },
  {
    name: "DigitalOcean",
    servers: ["digitalocean.com"],
    panelUrl: "https://cloud.digitalocean.com/networking/domains",
    quirks: ["VALUE_ENDS_WITH_DOT"],
    alias: null,
    caa: true,
  },
  {
    name: "Gandi",
    servers: ["gandi.net"],
    panelUrl: "https://admin.gandi.net/domain/",
    quirks: ["VALUE_ENDS_WITH_DOT"],
    alias: true,
    caa: true,
  },
  {
    name: "OVHcloud",
    servers: ["ovh.net", "anycast.me"],
    panelUrl: "https://www.ovh.com/manager/#/web/domain",
    quirks: ["APEX_HOST_IS_EMPTY", "VALUE_ENDS_WITH_DOT"],
    alias: false,
    caa: true,
  },
  {
    name: "Porkbun",
    servers: ["porkbun.com"],
    panelUrl: "https://porkbun.com/account/domainsSpeedy",
    quirks: ["APEX_HOST_IS_EMPTY"],
    alias: true,
    caa: true,
  },
  {
    name: "Vercel",
    servers: ["vercel-dns.com"],
    panelUrl: "https://vercel.com/dashboard/domains",
    alias: true,
    caa: true,
  },
  {
    name: "DNSimple",
    servers: ["dnsimple.com", "dnsimple-edge.net", "dnsimple-edge.org"],
    panelUrl: "https://dnsimple.com/dashboard",
    alias: true,
    caa: true,
  },
  {
    name: "Hostinger",
    servers: ["dns-parking.com"],
    panelUrl: "https://hpanel.hostinger.com/domains",
    alias: null,
  },
  { name: "Wix", servers: ["wixdns.net"], panelUrl: "https://manage.wix.com/account/domains", alias: null },
  { name: "Netlify or NS1", servers: ["nsone.net"], panelUrl: null, alias: true },
  {
    name: "DNS Made Easy",
    servers: ["dnsmadeeasy.com"],
    panelUrl: "https://cp.dnsmadeeasy.com/",
    alias: true,
    aliasType: "ANAME",
    caa: true,
  },
  { name: "Name.com", servers: ["name.com"], panelUrl: "https://www.name.com/account/domain", alias: true },
  {
    name: "TransIP",
    servers: ["transip.nl", "transip.net", "transip.eu"],
    panelUrl: "https://www.transip.nl/cp/domein-hosting/",
    alias: true,
    caa: true,
  },
  { name: "ClouDNS", servers: ["cloudns.net"], panelUrl: "https://www.cloudns.net/main/", alias: true },
  {
    name: "WordPress.com",
    servers: ["wordpress.com"],
    panelUrl: "https://wordpress.com/domains/manage",
    alias: null,
  },
  { name: "Alibaba Cloud", servers: ["alidns.com", "hichina.com"], panelUrl: null, alias: false },
  {
    name: "Hetzner",
    servers: ["ns.hetzner.com", "ns.hetzner.de"],
    panelUrl: "https://dns.hetzner.com/",
    alias: false,
    caa: true,
  },
  { name: "Vultr", servers: ["vultr.com"], panelUrl: "https://my.vultr.com/dns/", alias: false },
  { name: "Loopia", servers: ["loopia.se"], panelUrl: "https://customerzone.loopia.com/", alias: false },
];

/** Lists show hundreds of domains of a few zones. */
const remembered = new Map<string, DnsProvider>();
const MOST_REMEMBERED = 1_000;

/** Who serves a zone. @param nameServers in lower case, without trailing dots */
export function providerOf(nameServers: readonly string[]): DnsProvider {
  const key = nameServers.join();
  const known = remembered.get(key) ?? findProvider(nameServers);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, known);
  return known;
}

function findProvider(nameServers: readonly string[]): DnsProvider {
  const [first, ...others] = [...new Set(nameServers.map(findKnown))];
  if (first === undefined || first === null || others.length > 0)
    return severalOf([...new Set(nameServers.map(findKnown))].filter((one) => one !== null));
  return {
    name: first.name,
    panelUrl: first.panelUrl,
    quirks: ["ZONE_IS_APPENDED", ...(first.quirks ?? [])],
    supports: {
      alias: first.alias,
      caa: first.caa ?? null,
    },
    aliasType: first.aliasType ?? "ALIAS",
  };
}

/** For no known provider, or more than one: nothing is known about the panel. */
function severalOf(known: readonly Known[]): DnsProvider {
  // A provider without ALIAS records refuses them, whatever the other providers support.
  const alias = known.some((one) => one.alias === false) ? false : null;
  return {
    name: known.length === 0 ? null : known.map(({ name }) => name).join(", "),
    panelUrl: null,
    quirks: known.length === 0 ? [] : ["SEVERAL_PROVIDERS"],
    supports: { alias, caa: null },
    aliasType: "ALIAS",
  };
}

/** Finds a provider by the longest end that fits, so that its own name wins over the company that runs its servers. */
function findKnown(nameServer: string): Known | null {
  let found: { readonly known: Known; readonly length: number } | null = null;
  for (const known of KNOWN) {
    for (const end of known.servers) {
      const length = lengthOfMatch(nameServer, end);
      if (length > (found?.length ?? 0)) found = { known, length };
    }
  }
  return found?.known ?? null;
}

function lengthOfMatch(nameServer: string, end: string | RegExp): number {
  if (typeof end === "string") return nameServer === end || nameServer.endsWith(`.${end}`) ? end.length : 0;
  return end.exec(nameServer)?.[0].length ?? 0;
}

/** A record as a panel wants it. `host` is empty where the field stays empty. */
export type PanelForm = { readonly type: string; readonly host: string; readonly value: string };

/**
 * How to enter a record in the panel of a zone's provider; null if just as its type, relative name and value say. Pure.
 * @param relativeName the record's name within the zone; `@` for the zone itself
 */
export function panelFormOf(
  { quirks, aliasType }: Pick<DnsProvider, "quirks" | "aliasType">,
  {
    type,
    relativeName,
    value,
  }: { readonly type: string; readonly relativeName: string; readonly value: string },
): PanelForm | null {
  const isRenamed = type === "ALIAS" && aliasType !== type;
  const isEmpty = relativeName === "@" && quirks.includes("APEX_HOST_IS_EMPTY");
  const isDotted = (type === "CNAME" || type === "ALIAS") && quirks.includes("VALUE_ENDS_WITH_DOT");
  if (!isRenamed && !isEmpty && !isDotted) return null;
  return {
    type: isRenamed ? aliasType : type,
    host: isEmpty ? "" : relativeName,
    value: isDotted ? `${value}.` : value,
  };
}
