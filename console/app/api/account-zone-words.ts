/** Who set a DNS record, and who removes it, in a person's words. Pure. */
import type { DnsRecord } from "../../../sdk/src/generated/types.ts";

/** @returns the words, and since when they are true; null if the record is not set yet */
export function tellWhoSet({
  status,
  type,
  value,
  accountZone,
}: Pick<DnsRecord, "status" | "type" | "value" | "accountZone">): {
  readonly says: string;
  readonly since: string | null;
} | null {
  if (accountZone === null) return status === "OK" ? { says: "you set it", since: null } : null;
  const { zoneId, since, found } = accountZone;
  switch (accountZone.status) {
    case "SETTING":
      return { says: `Slipway is setting it in zone ${zoneId},`, since };
    case "SET":
      return { says: `set by Slipway in zone ${zoneId},`, since };
    case "FOUND":
      return { says: `you set it in zone ${zoneId}, which Slipway saw`, since };
    case "CONFLICT":
      return {
        says: `not set by Slipway: it should be ${type} ${value}, and the zone has ${found},`,
        since,
      };
  }
}

/** What becomes of the records of domains that are deleted. */
export function tellRecordsLeft(records: readonly Pick<DnsRecord, "accountZone">[]): readonly string[] {
  const own = records.filter(({ accountZone }) => accountZone?.status === "SET").length;
  if (own === 0) return ["Remove the DNS records at your provider afterwards."];
  const removed = "Slipway removes the DNS records that it has set.";
  return own === records.length ? [removed] : [removed, "Remove the others at your provider afterwards."];
}
