import { getDomain } from "tldts";

/** The domain of the sandbox's own names. */
export const NAME_SERVER = "ns1.sandbox.test";
export const GIT_HOST = "git.sandbox.test";
/** The issuer that a CAA record must name to allow the sandbox's CA. */
export const CAA_ISSUER = "ca.sandbox.test";
export const CDN_ZONE = "cdn.sandbox.test";
/** Names of the servers of accounts' zones are below it. */
export const ZONE_SERVERS = "zones.sandbox.test";
export const VALIDATION_ZONE = "acm-validations.sandbox.test";

/** Lower case, without the dot that ends a fully qualified name. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** The name one label up, or null for a single label. */
export function parentOf(name: string): string | null {
  const dot = name.indexOf(".");
  return dot === -1 ? null : name.slice(dot + 1);
}

export function isAtOrBelow(name: string, ancestor: string): boolean {
  return name === ancestor || name.endsWith(`.${ancestor}`);
}

/** The domain that a registrar sells, by the public suffix list; null for a public suffix. */
export function registrableDomainOf(name: string): string | null {
  return getDomain(name, { validateHostname: false, extractHostname: false });
}

/** Names that belong to the sandbox itself and that no customer's record may replace. */
export function isReservedName(name: string): boolean {
  return (
    name === NAME_SERVER ||
    name === GIT_HOST ||
    name === CAA_ISSUER ||
    isAtOrBelow(name, CDN_ZONE) ||
    isAtOrBelow(name, ZONE_SERVERS) ||
    isAtOrBelow(name, VALIDATION_ZONE)
  );
}

/** Whether a name of a certificate or distribution covers a host name; `*` stands for one label (RFC 6125). */
export function nameCovers(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  return pattern.startsWith("*.") && parentOf(name) === pattern.slice(2);
}

/** A host name for a certificate or an alias: lower-case labels, a first label `*` allowed. */
export function isHostName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)
  );
}
