import { getDomain } from "tldts";

/** The name in lower case, without the trailing dot, as DNS compares names (RFC 4343). The root is the empty string. */
export function normalizeName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Whether a normalized name can be asked for: RFC 1035 lengths, printable ASCII. */
export function isAskable(name: string): boolean {
  return name.length <= 253 && /^(?:[!-\-/-~]{1,63})(?:\.[!-\-/-~]{1,63})*$/.test(name);
}

/** Whether `name` is `zone` or below it. Every name is within the root. */
export function isWithin(name: string, zone: string): boolean {
  return zone === "" || name === zone || name.endsWith(`.${zone}`);
}

/** The name without its first label; an empty string for a single label. */
export function parentOf(name: string): string {
  const dot = name.indexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1);
}

/** The domain that a registrar sells, in which a name is: `example.co.uk` for `www.example.co.uk`. */
export function registrableDomainOf(name: string): string | null {
  return getDomain(name, { validateHostname: false });
}

/**
 * Whether a zone is a registry's, such as `com` or `co.uk` (the ICANN section of the Public Suffix List), or the root. No
 * customer has such a zone.
 */
export function isPublicSuffix(zone: string): boolean {
  return registrableDomainOf(zone) === null;
}
