import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * The address that a request came from: the client's address if a proxy of `SLIPWAY_TRUSTED_PROXIES` reports it, else
 * that of the connection, `0.0.0.0` once that is gone. Always an address, never a text that a client made up.
 */
export function sourceAddressOf(request: FastifyRequest): string {
  // Fastify says that there always is one; a client that is gone by now has none.
  const ip: string | undefined = request.ip;
  const told = withoutMapping(ip ?? "");
  // A proxy that passes on the client's header, instead of adding to it, may report any text.
  return isIP(told) === 0 ? withoutMapping(request.socket.remoteAddress ?? "0.0.0.0") : told;
}

/** An IPv4 client on a socket for both IPv4 and IPv6 is the same client. */
function withoutMapping(address: string): string {
  return address.replace(MAPPED, "");
}

/** @param networks addresses, and networks in CIDR notation; `read-config.ts` has checked them */
export function makeAddressTest(networks: readonly string[]): (address: string | undefined) => boolean {
  const known = new BlockList();
  const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    if (prefix === undefined) known.addAddress(address, familyOf(address));
    else known.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (given = "") => {
    const address = withoutMapping(given);
    return isIP(address) !== 0 && known.check(address, familyOf(address));
  };
}
