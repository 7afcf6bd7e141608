import assert from "node:assert/strict";
import { it } from "node:test";
import type { Retention } from "../../../sdk/src/generated/types.ts";
import { listRetention } from "./retention-words.ts";

const RETENTION: Retention = {
  auditEntryDays: null,
  variableVersionDays: null,
  variableRunDays: 30,
  eventDays: 30,
  webhookAttemptDays: 30,
  webhookBodyDays: 1,
  gitDeliveryDays: 30,
  domainCountDays: 400,
  idempotencyHours: 24,
};

it("names each kind of record with its time", () => {
  const kept = new Map(listRetention(RETENTION).map(({ records, duration }) => [records, duration]));
  assert.equal(kept.size, Object.keys(RETENTION).length);
  assert.equal(kept.get("Audit entries"), "Forever");
  assert.equal(kept.get("Events"), "30 days");
  assert.equal(kept.get("Responses of webhook receivers"), "1 day");
  assert.equal(kept.get("Responses to repeated requests"), "24 hours");
});
