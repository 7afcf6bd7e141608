import { getServers } from "node:dns";
import { BlockList, isIP, isIPv4, SocketAddress } from "node:net";

/** A DNS server: its port and its IP address (never a name, because nothing could look it up). */
export type DnsServer = { readonly host: string; readonly port: number };

const DNS_PORT = 53;

/**
 * Parses a configured server: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`.
 * @throws Error that says what a server looks like.
 */
export function parseServer(text: string): DnsServer {
  const trimmed = text.trim();
  if (isIP(trimmed) !== 0) return { host: canonicalAddress(trimmed), port: DNS_PORT };
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(trimmed)?.groups;
  const host = parts?.["v6"] ?? parts?.["v4"] ?? "";
  const port = parts?.["port"] === undefined ? DNS_PORT : Number(parts["port"]);
  const family = parts?.["v6"] === undefined ? 4 : 6;
  if (isIP(host) !== family || port < 1 || port > 65_535) {
    throw new Error(
      `"${trimmed}" is not a DNS server: write an IP address and a port, as in 9.9.9.9:53 or [2620:fe::fe]:53`,
    );
  }
  return { host: canonicalAddress(host), port };
}

/** The resolvers of the operating system's configuration. */
export function systemServers(): readonly DnsServer[] {
  return getServers().map(parseServer);
}

/** Spells each address in one way, so that addresses can be compared as text. Returns other texts unchanged. */
export function canonicalAddress(address: string): string {
  const family = isIP(address);
  // An address with a zone (`fe80::1%eth0`) has only one spelling.
  if (family === 0 || address.includes("%")) return address;
  return new SocketAddress({ address, family: family === 4 ? "ipv4" : "ipv6" }).address;
}

/** Where a name server's address may be dialled; empty if it may not. */
export type Route = (address: string) => readonly DnsServer[];

/**
 * Authoritative addresses come from other people's zones, which can point anywhere. So only addresses of the public
 * internet are dialled, on port 53. An address that the operator configured is always dialled, on its configured port:
 * in this way the sandbox's DNS, on a loopback address and a high port, is the authority of its own zones.
 */
export function makeRoute(configured: readonly DnsServer[]): Route {
  const reserved = makeReservedRanges();
  return (address) => {
    if (isIP(address) === 0) return [];
    const host = canonicalAddress(address);
    const own = configured.filter((server) => canonicalAddress(server.host) === host);
    if (own.length > 0) return own;
    if (isIPv4(host)) return reserved.check(host, "ipv4") ? [] : [{ host, port: DNS_PORT }];
    // Only 2000::/3 is allocated as global unicast (RFC 4291); its special ranges are listed below.
    const isGlobalUnicast = /^[23][0-9a-f]{3}:/.test(host);
    return isGlobalUnicast && !reserved.check(host, "ipv6") ? [{ host, port: DNS_PORT }] : [];
  };
}

/** IANA's special-purpose registries (RFC 6890 and its updates): loopback, private, link-local, CGNAT, and so on. */
function makeReservedRanges(): BlockList {
  const ranges = new BlockList();
  const v4: readonly (readonly [string, number])[] = [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ];
  // Teredo and 6to4 embed an IPv4 address, which may be a private one.
  const v6: readonly (readonly [string, number])[] = [
    ["2001::", 23],
    ["2001:db8::", 32],
    ["2002::", 16],
    ["3fff::", 20],
  ];
  for (const [address, bits] of v4) ranges.addSubnet(address, bits, "ipv4");
  for (const [address, bits] of v6) ranges.addSubnet(address, bits, "ipv6");
  return ranges;
}
