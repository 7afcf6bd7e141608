import type { KeyObject } from "node:crypto";
import { createDiscovery, type DiscoveryDeps, type DomainConnectOffer } from "./discover.ts";
import { signText } from "./signing-key.ts";
import {
  kindOf,
  type RecordSuffixes,
  SERVICE_IDS,
  type TemplateKind,
  type TemplateRecord,
  VERIFICATION_GROUP,
  variablesOf,
} from "./template.ts";

/** A domain that is to be set up. */
export type ConnectedDomain = {
  readonly name: string;
  readonly zone: string;
  /** The record that proves control of the domain, and the record that routes its traffic. */
  readonly verification: TemplateRecord;
  readonly connection: TemplateRecord;
};

export interface DomainConnect {
  /**
   * What the provider of a zone offers for domains of a kind; null: nothing. Undefined if that cannot be found out now.
   * A fresh look remembers nothing. Ends within 8 s; never throws because of what others answer.
   */
  find(
    zone: string,
    kind: TemplateKind,
    options?: { readonly isFresh?: boolean },
  ): Promise<DomainConnectOffer | null | undefined>;
  /**
   * The signed address at which an owner agrees that the provider sets a domain's records; null if the template does
   * not fit them.
   * @param options where the provider leads back to, the state that comes back with it, and whether the name's traffic
   * stays where it is
   */
  applyUrl(
    applyAt: string,
    domain: ConnectedDomain,
    options: {
      readonly redirectUri: string;
      readonly state: string;
      readonly isVerificationOnly: boolean;
    },
  ): string | null;
}

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

/**
 * The address that an owner is sent to. The signature covers exactly the query that is sent: the query is built once,
 * and the signature is added to it (draft-ietf-dconn-domainconnect, "Signing Procedure").
 * @param applyAt the provider's `urlSyncUX` @param keyHost the label at which the public key is
 */
export function signedApplyUrl(
  applyAt: string,
  { providerId, serviceId }: { readonly providerId: string; readonly serviceId: string },
  parameters: Readonly<Record<string, string>>,
  { key, keyHost }: { readonly key: KeyObject; readonly keyHost: string },
): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const path = `/v2/domainTemplates/providers/${encode(providerId)}/services/${encode(serviceId)}/apply`;
  return `${applyAt}${path}?${query}&sig=${encode(signText(key, query))}&key=${encode(keyHost)}`;
}

/** RFC 3986, which leaves fewer characters as they are than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
