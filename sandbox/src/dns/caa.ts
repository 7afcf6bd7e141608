import type { Caa, DnsRecord } from "../../../src/dns/wire/message.ts";
import { CAA_ISSUER, parentOf } from "./names.ts";

/** Whether an existing CAA set allows the sandbox's CA to issue (RFC 8659, sections 4.2, 4.3 and 4.5). */
export function isIssueAllowed(set: readonly Caa[], isWildcard: boolean): boolean {
  const known = new Set(["issue", "issuewild", "iodef"]);
  if (set.some((property) => property.critical && !known.has(property.tag))) return false;
  const wild = isWildcard ? set.filter((property) => property.tag === "issuewild") : [];
  const relevant = wild.length > 0 ? wild : set.filter((property) => property.tag === "issue");
  // A set without the property restricts nothing (section 4.2).
  return relevant.length === 0 || relevant.some((property) => issuerOf(property.value) === CAA_ISSUER);
}

/** The issuer's domain, without the parameters after the first semicolon. */
function issuerOf(value: string): string {
  return (value.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/**
 * Climbs from the name towards the root to the first CAA set, and judges that set (RFC 8659, section 3).
 * @param ask returns the CAA answers at a name, by DNS
 */
export async function isAllowedByCaa(
  name: string,
  ask: (name: string) => Promise<readonly DnsRecord[]>,
): Promise<boolean> {
  const isWildcard = name.startsWith("*.");
  for (let at: string | null = isWildcard ? name.slice(2) : name; at !== null; at = parentOf(at)) {
    const set = (await ask(at)).flatMap((record) => (record.type === "CAA" ? [record.caa] : []));
    if (set.length > 0) return isIssueAllowed(set, isWildcard);
  }
  return true;
}
