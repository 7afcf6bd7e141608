/**
 * The address that an owner is sent to. The signature covers exactly the query that is sent: the query is built once,
 * and the signature is added to it (draft-ietf-dconn-domainconnect, "Signing Procedure").
 */
import type { KeyObject } from "node:crypto";
import { signText } from "./signing-key.ts";

/** @param applyAt the provider's `urlSyncUX` @param keyHost the label at which the public key is */
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
