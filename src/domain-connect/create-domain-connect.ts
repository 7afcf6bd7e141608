import type { KeyObject } from "node:crypto";
import { signedApplyUrl } from "./apply-url.ts";
import { createDiscovery, type DiscoveryDeps } from "./discover.ts";
import type { DomainConnect } from "./domain-connect.ts";
import { kindOf, type RecordSuffixes, SERVICE_IDS, VERIFICATION_GROUP, variablesOf } from "./template.ts";

export function createDomainConnect(
  deps: DiscoveryDeps & {
    /** The private key, and the label below `providerId` at which its public half is. */
    readonly key: KeyObject;
    readonly keyHost: string;
    readonly suffixes: RecordSuffixes;
  },
): DomainConnect {
  const { providerId, suffixes } = deps;
  return {
    find: createDiscovery(deps),
    applyUrl(applyAt, { name, zone, ...records }, { redirectUri, state, isVerificationOnly }) {
      const kind = kindOf(name, zone);
      const variables = variablesOf(name, records, suffixes);
      if (kind === null || variables === null) return null;
      const parameters = {
        domain: zone,
        ...(kind === "apex" ? {} : { host: name.slice(0, -zone.length - 1) }),
        ...variables,
        ...(isVerificationOnly ? { groupId: VERIFICATION_GROUP } : {}),
        redirect_uri: redirectUri,
        state,
      };
      return signedApplyUrl(applyAt, { providerId, serviceId: SERVICE_IDS[kind] }, parameters, deps);
    },
  };
}
