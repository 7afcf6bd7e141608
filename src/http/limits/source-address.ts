import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * The address that a request came from: the client's own where a proxy of `SLIPWAY_TRUSTED_PROXIES` tells it, else
 * that of the connection. Always an address, never text that a client made up.
 */
export function sourceAddressOf(request: FastifyRequest): string {
  const told = withoutMapping(request.ip);
  // A proxy that passes on what clients send, instead of adding to it, may tell anything.
  return isIP(told) === 0 ? withoutMapping(request.socket.remoteAddress ?? "0.0.0.0") : told;
}

/** An IPv4 client of a socket that also takes IPv6 is the same client. */
function withoutMapping(address: string): string {
  return address.replace(MAPPED, "");
}
