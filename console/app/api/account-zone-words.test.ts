import assert from "node:assert/strict";
import { it } from "node:test";
import type { DnsRecord } from "../../../sdk/src/generated/types.ts";
import { tellRecordsLeft, tellWhoSet } from "./account-zone-words.ts";

const SINCE = "2026-11-20T09:31:07.000Z";
const told = (status: DnsRecord["status"], accountZone: DnsRecord["accountZone"]) =>
  tellWhoSet({ status, type: "CNAME", value: "d1.cdn.example", accountZone });

it("says nothing of a missing record, and of a present record, that the reader set it", () => {
  assert.equal(told("PENDING", null), null);
  assert.deepEqual(told("OK", null), { says: "you set it", since: null });
});

it("says in which zone Slipway set a record, or found it", () => {
  const zone = { zoneId: "Z1", since: SINCE, found: null };
  for (const [status, says] of [
    ["SETTING", "Slipway is setting it in zone Z1,"],
    ["SET", "set by Slipway in zone Z1,"],
    ["FOUND", "you set it in zone Z1, which Slipway saw"],
  ] as const)
    assert.deepEqual(told("OK", { ...zone, status }), { says, since: SINCE });
});

it("says both values of a conflict", () =>
  assert.deepEqual(
    told("PENDING", { status: "CONFLICT", zoneId: null, since: SINCE, found: "CNAME theirs.example" }),
    {
      says: "not set by Slipway: it should be CNAME d1.cdn.example, and the zone has CNAME theirs.example,",
      since: SINCE,
    },
  ));

it("says who removes the records of what is deleted", () => {
  const zone = { zoneId: "Z1", since: SINCE, found: null };
  const own = { accountZone: { ...zone, status: "SET" } } as const;
  const found = { accountZone: { ...zone, status: "FOUND" } } as const;
  const byHand = "Remove the DNS records at your provider afterwards.";
  const bySlipway = "Slipway removes the DNS records that it has set.";
  assert.deepEqual(tellRecordsLeft([{ accountZone: null }]), [byHand]);
  assert.deepEqual(tellRecordsLeft([found]), [byHand]);
  assert.deepEqual(tellRecordsLeft([own, own]), [bySlipway]);
  assert.deepEqual(tellRecordsLeft([own, found]), [
    bySlipway,
    "Remove the others at your provider afterwards.",
  ]);
});
