import { BlockList, isIP } from "node:net";

/** Whether an IP address is in a list. False for what is none, and for one with a zone (`fe80::1%eth0`). */
export type AddressList = (address: string) => boolean;

/** @param entries addresses, and networks in CIDR notation, which the caller has checked */
export function addressListOf(entries: readonly string[]): AddressList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = familyOf(address) ?? undefined;
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && list.check(address, family);
  };
}

/** Null if the text is not an address, or if the address has a zone. */
export function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return null;
  return version === 4 ? "ipv4" : "ipv6";
}
