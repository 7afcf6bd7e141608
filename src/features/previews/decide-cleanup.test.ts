import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CleanupFacts, decideCleanup } from "./decide-cleanup.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const service = (errorCode: string | null) => ({ kind: "service", name: "svc_1", errorCode }) as const;
const FACTS: CleanupFacts = {
  requestedAt: new Date("2026-11-26T11:59:00Z"),
  account: { givenId: "main", status: "CONNECTED" },
  left: [service(null), service(null)],
  now: NOW,
};

const TABLE: readonly [string, Partial<CleanupFacts>, string | null][] = [
  ["takes its time", {}, null],
  ["was throttled", { left: [service("THROTTLED")] }, null],
  [
    "is refused",
    { left: [service(null), service("ACCESS_DENIED")] },
    "ACCESS_DENIED admin The cloud account main refuses to remove the service svc_1 (ACCESS_DENIED).",
  ],
  [
    "has no account",
    { account: { givenId: "main", status: "DISCONNECTED" }, left: [service("ACCESS_DENIED")] },
    "ACCOUNT_NOT_CONNECTED admin The cloud account main is DISCONNECTED, so 1 resource of the preview cannot be removed.",
  ],
  [
    "is late",
    { requestedAt: new Date("2026-11-26T10:59:00Z") },
    "LATE slipway After an hour, 2 resources of the preview may still be in the cloud account main.",
  ],
];

describe("a removal of a preview that", () => {
  for (const [name, facts, expected] of TABLE)
    it(name, () => {
      const problem = decideCleanup({ ...FACTS, ...facts });
      const [first] = problem?.message.split(/(?<=\.) /) ?? [];
      assert.equal(problem && `${problem.code} ${problem.waitsFor} ${first}`, expected);
    });
});
