import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { addressListOf } from "../../lib/address-list.ts";

const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * The address that a request came from: the client's address if a proxy of `SLIPWAY_TRUSTED_PROXIES` reports it, else
 * the connection's address, or `0.0.0.0` after the connection was closed. Always an address, never a text that a client
 * made up.
 */
export function sourceAddressOf(request: FastifyRequest): string {
  // Fastify declares it as always set, but it is undefined after the client disconnected.
  const ip: string | undefined = request.ip;
  const reported = withoutMapping(ip ?? "");
  // A proxy that passes on the client's header, instead of adding to it, may report any text.
  return isIP(reported) === 0 ? withoutMapping(request.socket.remoteAddress ?? "0.0.0.0") : reported;
}

/** An IPv4 client on a socket for both IPv4 and IPv6 is the same client. */
function withoutMapping(address: string): string {
  return address.replace(MAPPED, "");
}

/** @param networks addresses, and networks in CIDR notation; `config.ts` has checked them */
export function makeAddressTest(networks: readonly string[]): (address: string | undefined) => boolean {
  const isKnown = addressListOf(networks);
  return (given = "") => isKnown(withoutMapping(given));
}
