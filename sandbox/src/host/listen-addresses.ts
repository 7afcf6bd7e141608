/** Where an own server listens. Pure. */
import type { NetworkInterfaceInfo } from "node:os";

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The edge listens on all addresses of the machine, because behind NAT none of them is public; only on loopback if the
 * public addresses are loopback, for trials.
 */
export function edgeAddressOf(addresses: readonly string[], interfaces: Interfaces): string {
  const [first = "127.0.0.1"] = addresses;
  if (addresses.every(isLoopback)) return first;
  const hasIpv6 = Object.values(interfaces).some((ones) => ones?.some(({ family }) => family === "IPv6"));
  return hasIpv6 ? "::" : "0.0.0.0";
}

/**
 * The DNS server listens on the public addresses that this machine has itself: another address's port 53, such as
 * 127.0.0.53, often belongs to a local resolver. Behind NAT it listens where the edge does.
 */
export function dnsAddressesOf(addresses: readonly string[], interfaces: Interfaces): readonly string[] {
  const all = Object.values(interfaces).flatMap((ones) => ones?.map(({ address }) => address) ?? []);
  const own = addresses.filter((address) => all.includes(address));
  return own.length > 0 ? own : [edgeAddressOf(addresses, interfaces)];
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}
