import type { Delegation } from "../../../dns/dns.ts";
import type { Domain } from "../custom-domain.ts";
import { providerOf } from "./dns-providers.ts";

/** Whether two looks found the same. Name servers are sorted. Pure. */
export function isSameDelegation(one: Delegation, other: Delegation): boolean {
  return one.zone === other.zone && one.nameServers.join() === other.nameServers.join();
}

/** Whether a domain is the apex of its zone, and its provider is known to have no ALIAS for it. Pure. */
export function isApexRefused(
  { name, type }: Pick<Domain, "name" | "type">,
  { zone, nameServers }: Delegation,
): boolean {
  const isApex = type === "APEX" || name === zone;
  return isApex && providerOf(nameServers).supports.alias === false;
}
