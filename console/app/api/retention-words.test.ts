import assert from "node:assert/strict";
import { it } from "node:test";
import type { Retention } from "../../../sdk/src/generated/types.ts";
import { tellRetention } from "./retention-words.ts";

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

it("says of all that is kept for how long", () => {
  const kept = new Map(tellRetention(RETENTION).map(({ what, howLong }) => [what, howLong]));
  assert.equal(kept.size, Object.keys(RETENTION).length);
  assert.equal(kept.get("Audit entries"), "For ever");
  assert.equal(kept.get("Events"), "30 days");
  assert.equal(kept.get("What receivers of webhooks answered"), "1 day");
  assert.equal(kept.get("Answers to requests that are sent again"), "24 hours");
});
