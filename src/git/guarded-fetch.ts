/**
 * HTTPS to hosts that users name. A name is resolved once, all its addresses are checked, and the connection goes to a
 * checked address. Resolving it again when dialling would let a name that changes its answer (DNS rebinding) lead to an
 * internal address. TLS still checks the name.
 */
import { lookup as lookupName } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { addressRefusal, type AllowedHosts } from "./address-rules.ts";
import { GitError } from "./git.ts";
import { exchange, type HttpClient } from "./http-exchange.ts";

export type GuardedFetchOptions = {
  readonly allowedHosts: AllowedHosts;
  /** Finds all addresses of a name; the system's resolver when absent. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
  /** A certificate authority to trust in addition to Node's own, as PEM. */
  readonly trustedCa?: string;
  readonly connectTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
};

/** Makes the client for all requests to hosts that users name. */
export function makeGuardedFetch(options: GuardedFetchOptions): HttpClient {
  const { allowedHosts, trustedCa, connectTimeoutMs = 10_000, totalTimeoutMs = 30_000 } = options;
  const resolve = options.resolve ?? ((hostname) => lookupName(hostname, { all: true }));
  // Made once: reading all of Node's authorities takes longer than the handshake itself.
  const secureContext =
    trustedCa === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), trustedCa] });
  return async (request) => {
    const { url } = request;
    if (url.protocol !== "https:") {
      throw new GitError("HOST_REFUSED", `${url.host} can only be reached over https://.`);
    }
    const startedAtMs = performance.now();
    const addresses = await resolveInTime(url.hostname, resolve, connectTimeoutMs);
    refuseInside(url.hostname, addresses, allowedHosts);
    const leftMs = (limitMs: number): number => Math.max(1, limitMs - (performance.now() - startedAtMs));
    return exchange(request, {
      connectTimeoutMs: leftMs(connectTimeoutMs),
      totalTimeoutMs: leftMs(totalTimeoutMs),
      lookup: pinnedLookup(addresses),
      ...(secureContext === undefined ? {} : { secureContext }),
    });
  };
}

function refuseInside(hostname: string, addresses: readonly LookupAddress[], allowed: AllowedHosts): void {
  if (allowed.allowsName(hostname)) return;
  // An internal address among public ones is no accident, so the whole name is refused.
  for (const { address } of addresses) {
    const reason = allowed.allowsAddress(address) ? null : addressRefusal(address);
    if (reason !== null) {
      throw new GitError(
        "HOST_REFUSED",
        `${hostname} leads to ${reason}, which Slipway does not connect to. The operator of this service can allow a host in a private network.`,
      );
    }
  }
}

async function resolveInTime(
  hostname: string,
  resolve: (hostname: string) => Promise<readonly LookupAddress[]>,
  limitMs: number,
): Promise<readonly LookupAddress[]> {
  const literal = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(literal);
  if (version !== 0) return [{ address: literal, family: version }];
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unresolved(hostname, "in time")), limitMs);
  try {
    const addresses = await Promise.race([
      resolve(hostname).catch((error: unknown) => {
        throw unresolved(hostname, "to an address", error);
      }),
      late.promise,
    ]);
    if (addresses.length === 0) throw unresolved(hostname, "to an address");
    return addresses;
  } finally {
    clearTimeout(timer);
  }
}

function unresolved(hostname: string, how: string, cause?: unknown): GitError {
  return new GitError(
    "HOST_UNAVAILABLE",
    `The name ${hostname} does not resolve ${how}. Check the address.`,
    {
      cause,
    },
  );
}

/** Answers Node's lookup of the name with the checked addresses. */
function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}
