/** The addresses that we dial for a name from a user: public addresses, and addresses that the operator allowed. */
import { addressListOf, familyOf } from "../lib/address-list.ts";

/**
 * Addresses that are never dialled, from IANA's special-purpose registries (RFC 6890) and the clouds' metadata
 * services. `::ffff:0:0/96` must not be listed, because `BlockList` would then match every IPv4 address. It lies
 * outside 2000::/3, and all IPv6 addresses outside that are refused anyway.
 */
const REFUSED_NETWORKS: readonly (readonly [reason: string, ...networks: string[]])[] = [
  // 168.63.129.16 is Azure's, the only metadata service at a public address.
  [
    "a cloud's metadata service",
    "169.254.169.254/32",
    "100.100.100.200/32",
    "192.0.0.192/32",
    "168.63.129.16/32",
  ],
  ["a loopback address", "127.0.0.0/8", "::1/128"],
  ["a private network", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  ["a link-local address", "169.254.0.0/16", "fe80::/10"],
  ["a carrier's shared network", "100.64.0.0/10"],
  ["a multicast address", "224.0.0.0/4", "ff00::/8"],
  ["an unspecified address", "0.0.0.0/8", "::/128"],
  ["a reserved network", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"],
  [
    "a documentation network",
    "192.0.2.0/24",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "2001:db8::/32",
    "3fff::/20",
  ],
  // Each of these embeds an IPv4 address, which could be an internal one.
  ["an IPv6 form of an IPv4 address", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"],
  // Teredo, ORCHID, benchmarking and the other protocol assignments.
  ["a reserved network", "2001::/23"],
];

const refusals = REFUSED_NETWORKS.map(([reason, ...networks]) => ({
  reason,
  includes: addressListOf(networks),
}));
const isGlobalUnicast = addressListOf(["2000::/3"]);

export const isLoopback = addressListOf(["127.0.0.0/8", "::1/128"]);

/**
 * Why an IP address (not a name) is not dialled, as a noun phrase; null when it is public. An address that is not known
 * to be public is refused.
 */
export function addressRefusal(address: string): string | null {
  const family = familyOf(address);
  // An address with a zone (`fe80::1%eth0`) exists on the local link only.
  if (family === null) return address.includes("%") ? "a link-local address" : "no IP address";
  for (const { reason, includes } of refusals) if (includes(address)) return reason;
  if (family === "ipv6" && !isGlobalUnicast(address)) return "a reserved network";
  return null;
}

/** The hosts and networks that an operator allowed although they are not public. */
export type AllowedHosts = {
  /** Whether the name may have any address. The name is in lower case, without port. */
  allowsName(hostname: string): boolean;
  allowsAddress(address: string): boolean;
};

/**
 * Parses entries such as `gitlab.corp.example` (this very name, whatever it resolves to), `10.1.2.3` and `10.0.0.0/8`
 * (these addresses, whatever the name).
 * @throws RangeError with the entry, when it is none of these
 */
export function parseAllowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>();
  const networks: string[] = [];
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = familyOf(address);
    const prefixMax = family === "ipv4" ? 32 : 128;
    if (
      family !== null &&
      (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= prefixMax))
    ) {
      networks.push(entry);
    } else if (/^(?!-)[a-z0-9.-]+(?<![.-])$/i.test(entry) && !/^[\d.]+$/.test(entry)) {
      names.add(entry.toLowerCase());
    } else {
      throw new RangeError(
        `"${entry}" is not a host name, an IP address or a network such as 10.0.0.0/8. Names take no port and no wildcard.`,
      );
    }
  }
  return { allowsName: (hostname) => names.has(hostname), allowsAddress: addressListOf(networks) };
}
