import assert from "node:assert/strict";
import { it } from "node:test";
import { auditQueryOf } from "./audit-filter.ts";

it("a filter of the audit is of whole days, without invalid days", () => {
  const {
    from = "",
    to = "",
    ...others
  } = auditQueryOf({
    userId: "user_1",
    from: "2026-11-01",
    to: "2026-11-01",
  });
  assert.equal(Date.parse(to) - Date.parse(from), 24 * 3_600_000);
  assert.deepEqual(others, { userId: "user_1" });
  assert.deepEqual(auditQueryOf({ to: "tomorrow" }), {});
});
