import type { Certificates } from "../cdn/certificates.ts";
import { isAtOrBelow } from "../dns/names.ts";
import { invalid } from "../refusal.ts";

/**
 * The names of the server itself lead to Slipway, and to distributions of every account, so no account gets a certificate
 * for one.
 */
export function refuseOwnNames(ownNames: readonly string[], certificates: Certificates): Certificates {
  return {
    ...certificates,
    request(accountId, names, token) {
      const own = names.find((name) => ownNames.some((one) => isAtOrBelow(name, one)));
      if (own !== undefined) throw invalid(`${own} is a name of this server. Use a domain of your own.`);
      return certificates.request(accountId, names, token);
    },
  };
}
