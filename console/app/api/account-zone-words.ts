/** Who set a DNS record, in a person's words. Pure. */
import type { DnsRecord } from "../../../sdk/src/generated/types.ts";

/** @returns the words, and since when it is so; null if nobody set it yet */
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
