/**
 * Requests to hosts that users name. A name is resolved once, all its addresses are checked, and the connection goes to
 * a checked address. Resolving it again when dialling would let a name that changes its answer (DNS rebinding) lead to an
 * internal address. TLS still checks the name.
 */
import { lookup as lookupName } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { addressRefusal, type AllowedHosts, isLoopback } from "./address-rules.ts";
import { EgressError } from "./egress-error.ts";
import { type EgressAnswer, type EgressRequest, exchange } from "./http-exchange.ts";

export type SafeFetchOptions = {
  readonly allowedHosts: AllowedHosts;
  /** Whether hosts of this machine's loopback may be asked, over plain HTTP too: in a sandbox that only its machine reaches. */
  readonly allowsLoopback?: boolean;
  /** Finds all addresses of a name; the system's resolver when absent. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
  /** A certificate authority to trust in addition to Node's own, as PEM. */
  readonly trustedCa?: string;
  readonly connectTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
};

export type SafeFetch = {
  /** Sends one request. @throws EgressError */
  readonly send: (request: EgressRequest) => Promise<EgressAnswer>;
  /** Whether a host may be asked at this URL now, without asking it: its addresses, all checked. @throws EgressError */
  readonly check: (url: URL) => Promise<readonly LookupAddress[]>;
};

/** Makes the client for all requests to hosts that users name. */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowedHosts, allowsLoopback = false, trustedCa } = options;
  const { connectTimeoutMs = 10_000, totalTimeoutMs = 30_000 } = options;
  const resolve = options.resolve ?? ((hostname) => lookupName(hostname, { all: true }));
  // Made once: reading all of Node's authorities takes longer than the handshake itself.
  const secureContext =
    trustedCa === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), trustedCa] });

  /** The addresses of a host, all of which may be dialled. */
  const findAddresses = async (url: URL): Promise<readonly LookupAddress[]> => {
    if (url.protocol !== "https:" && !(allowsLoopback && url.protocol === "http:")) throw needsHttps(url);
    const addresses = await resolveInTime(url.hostname, resolve, connectTimeoutMs);
    const isLocal = allowsLoopback && addresses.every(({ address }) => isLoopback(address));
    if (isLocal) return addresses;
    if (url.protocol !== "https:") throw needsHttps(url);
    refuseInside(url.hostname, addresses, allowedHosts);
    return addresses;
  };

  return {
    check: findAddresses,
    async send(request) {
      const startedAtMs = performance.now();
      const addresses = await findAddresses(request.url);
      const dnsMs = performance.now() - startedAtMs;
      return exchange(request, {
        connectTimeoutMs: Math.max(1, connectTimeoutMs - dnsMs),
        totalTimeoutMs: Math.max(1, totalTimeoutMs - dnsMs),
        lookup: pinnedLookup(addresses),
        dnsMs,
        ...(secureContext === undefined ? {} : { secureContext }),
      });
    },
  };
}

function needsHttps({ host }: URL): EgressError {
  return new EgressError("SCHEME_REFUSED", `${host} can only be reached over https://.`);
}

function refuseInside(hostname: string, addresses: readonly LookupAddress[], allowed: AllowedHosts): void {
  if (allowed.allowsName(hostname)) return;
  // An internal address among public ones is not an accident, so the whole name is refused.
  for (const { address } of addresses) {
    const reason = allowed.allowsAddress(address) ? null : addressRefusal(address);
    if (reason !== null) {
      throw new EgressError(
        "ADDRESS_REFUSED",
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

function unresolved(hostname: string, how: string, cause?: unknown): EgressError {
  return new EgressError(
    "NAME_UNRESOLVED",
    `The name ${hostname} does not resolve ${how}. Check the address.`,
    { cause },
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
