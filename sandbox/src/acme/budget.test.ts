import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  explainPlan,
  leftOf,
  LETS_ENCRYPT_LIMITS,
  type Limits,
  limitsOf,
  planOrder,
  type Uses,
} from "./budget.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-26T12:00:00Z");
const NONE: Uses = { orders: [], domain: [], name: [], failures: [] };
/** `count` uses, the latest `ageMs` ago, one a second. */
const used = (count: number, ageMs: number) =>
  Array.from({ length: count }, (_, index) => NOW - ageMs - (count - 1 - index) * 1_000);

describe("the plan of an order", () => {
  const cases: readonly (readonly [string, Partial<Uses>, boolean, number, string | null])[] = [
    ["nothing used", {}, false, 0, null],
    ["299 orders in 3 hours", { orders: used(299, HOUR) }, false, 0, null],
    // The oldest of the 300 is 299 s older than the latest.
    ["300 orders in 3 hours", { orders: used(300, HOUR) }, false, 2 * HOUR - 299_000, "orders"],
    [
      "300 orders, the first just out of the window",
      { orders: used(300, 3 * HOUR - 299_000) },
      false,
      0,
      null,
    ],
    ["more orders than the limit", { orders: used(400, HOUR) }, false, 2 * HOUR - 299_000, "orders"],
    ["50 certificates of a domain", { domain: used(50, DAY) }, false, 6 * DAY - 49_000, "domain"],
    ["5 of the same name", { name: used(5, DAY) }, false, 6 * DAY - 4_000, "name"],
    ["4 of the same name", { name: used(4, DAY) }, false, 0, null],
    ["5 failed validations", { failures: used(5, 60_000) }, false, HOUR - 64_000, "failures"],
    ["the longest wait counts", { name: used(5, DAY), orders: used(300, 0) }, false, 6 * DAY - 4_000, "name"],
    ["a renewal by ARI", { orders: used(300, 0), domain: used(50, 0), name: used(5, 0) }, true, 0, null],
    ["a renewal that fails", { failures: used(5, 60_000) }, true, HOUR - 64_000, "failures"],
  ];
  for (const [what, uses, isExempt, restMs, limit] of cases) {
    test(what, () => {
      const plan = planOrder({ ...NONE, ...uses }, LETS_ENCRYPT_LIMITS, NOW, isExempt);
      assert.deepEqual(plan, { at: NOW + restMs, limit });
    });
  }

  test("at its time, the order is within the limit, and a moment before it is not", () => {
    const limits: Limits = { ...LETS_ENCRYPT_LIMITS, name: { count: 2, windowMs: 1_000 } };
    const uses = { ...NONE, name: [NOW - 900, NOW - 100] };
    const { at } = planOrder(uses, limits, NOW, false);
    assert.equal(at, NOW + 100);
    assert.deepEqual(planOrder(uses, limits, at, false), { at, limit: null });
    assert.equal(planOrder(uses, limits, at - 1, false).at, at);
  });

  test("a CA whose limits are not known is not held back", () => {
    assert.equal(limitsOf("https://acme.example/directory"), null);
    assert.equal(limitsOf("https://acme-v02.api.letsencrypt.org/directory"), LETS_ENCRYPT_LIMITS);
    assert.deepEqual(planOrder({ ...NONE, orders: used(900, 0) }, null, NOW, false), {
      at: NOW,
      limit: null,
    });
  });
});

test("what is left of a limit", () => {
  const { orders } = LETS_ENCRYPT_LIMITS;
  assert.equal(leftOf([], orders, NOW), 300);
  assert.equal(leftOf([...used(10, 4 * HOUR), ...used(20, HOUR)], orders, NOW), 280);
  assert.equal(leftOf(used(301, 0), orders, NOW), 0);
});

test("a wait is explained with its end", () => {
  assert.match(
    explainPlan("domain", NOW),
    /registered domain this week\. The next try is at 2026-11-26T12:00/,
  );
});
