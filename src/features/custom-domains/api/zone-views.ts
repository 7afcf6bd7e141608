import { type TUnsafe, Type } from "typebox";
import { Instant, Nullable, Text, Words } from "../../../http/schemas.ts";
import type { DnsRecord, ZoneState } from "../custom-domain.ts";
import { isSame } from "../group/zones/decide-zones.ts";

const STATUSES = ["SETTING", "SET", "FOUND", "CONFLICT"] as const;

type AccountZoneView = {
  status: (typeof STATUSES)[number];
  zoneId: string | null;
  since: string;
  found: string | null;
};

export const AccountZoneSchema: TUnsafe<AccountZoneView | null> = Nullable(
  Type.Object(
    {
      status: Words(STATUSES, {
        title: "AccountZoneStatus",
        description:
          "`SETTING`: Slipway is about to create it. `SET`: Slipway created it, and removes it with the domain. `FOUND`: it was there already, and stays when the domain goes. `CONFLICT`: another record is in its place.",
        examples: ["SET"],
      }),
      zoneId: Nullable(Text("The account's id of the zone; null in a conflict.", "Z0123456789ABCDEFGHIJ")),
      since: Instant("Since when it is so.", "2026-11-20T09:31:07.000Z"),
      found: Nullable(Text("In a conflict: what is in its place.", null)),
    },
    {
      title: "AccountZone",
      description: "What Slipway did for a DNS record in a DNS zone of the cloud account.",
    },
  ),
);

/** Null if Slipway did nothing for the record. Pure. */
export function viewAccountZone(record: DnsRecord, state: ZoneState | null): AccountZoneView | null {
  if (state === null || record.type === "CAA") return null;
  const { name, type, value } = record;
  const { problem } = state;
  if (problem?.conflict?.type === type && problem.conflict.name === name)
    return { status: "CONFLICT", zoneId: null, since: problem.since, found: problem.conflict.found };
  const own = state.records.find((one) => isSame(one, { name, type, value }));
  return own === undefined ? null : { status: own.status, zoneId: own.zoneId, since: own.since, found: null };
}
