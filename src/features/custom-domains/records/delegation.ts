import type { Delegation } from "../../../dns/dns.ts";
import type { Domain } from "../custom-domain.ts";
import { providerOf } from "./dns-providers.ts";

/** Whether two looks found the same. Name servers are sorted. Pure. */
export function isSameDelegation(one: Delegation, other: Delegation): boolean {
  return one.zone === other.zone && one.nameServers.join() === other.nameServers.join();
}

/**
 * Whether a domain is the top of its DNS zone, where NS and SOA records are and no CNAME can be (RFC 1034, section
 * 3.6.2). The live delegation decides: anyone can delegate a name below a registered domain. Pure.
 */
export function isZoneApex({
  name,
  type,
  delegation,
}: Pick<Domain, "name" | "type" | "delegation">): boolean {
  return delegation === null ? type === "APEX" : delegation.zone === name;
}

/** Whether a domain is the apex of its zone, and its provider is known to have no ALIAS for it. Pure. */
export function isApexRefused(
  { name, type }: Pick<Domain, "name" | "type">,
  delegation: Delegation,
): boolean {
  return (
    isZoneApex({ name, type, delegation }) && providerOf(delegation.nameServers).supports.alias === false
  );
}
