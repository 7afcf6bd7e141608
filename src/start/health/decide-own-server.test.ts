import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  decideAuthorities,
  decideBudgets,
  decideEdges,
  decideOrders,
  decidePorts,
  decideRenewals,
  decideValueStore,
} from "./decide-own-server.ts";
import type { Outcome, OwnServerState } from "./health.ts";

const AT = "2026-11-26T12:00:00.000Z";
const EDGE: OwnServerState["edges"][number] = {
  id: "main",
  addresses: ["192.0.2.10"],
  version: "0.2.0",
  names: null,
  startedAt: AT,
  reportedAt: AT,
  state: "CURRENT",
  unreachable: [],
};
const CA: OwnServerState["authorities"][number] = {
  directory: "https://ca.example/dir",
  failures: 0,
  problem: null,
  clockAheadSeconds: 0,
  budgets: [],
};
const WELL: OwnServerState = {
  checkedAt: AT,
  hostname: "edge.example.com",
  edges: [EDGE],
  challengeZone: { name: "acme.edge.example.com", problem: null },
  valueStore: null,
  authorities: [CA],
  orders: { ordering: 2, waitingForCa: 1, waitingForOperator: 0, waitingForCustomer: 9, first: [] },
  certificates: { total: 10, late: 0, leastLifeLeft: 0.34, first: [] },
};
const withEdge = (edge: Partial<typeof EDGE>) => ({
  ...WELL,
  edges: [EDGE, { ...EDGE, id: "far", ...edge }],
});
const withCa = (ca: Partial<typeof CA>) => ({ ...WELL, authorities: [CA, { ...CA, ...ca }] });
const withStore = (problem: string | null) => ({
  ...WELL,
  valueStore: { address: "https://bao.example", problem },
});
const failing = (failures: number) =>
  withCa({ failures, problem: { type: "unreachable", message: "The CA is away.", at: AT } });
const budget = (limit: "orders" | "domain", left: number, count: number) =>
  withCa({ budgets: [{ limit, of: limit === "domain" ? "secret.example" : null, left, count }] });
const late = (leastLifeLeft: number) => ({
  ...WELL,
  certificates: { total: 10, late: 1, leastLifeLeft, first: [] },
});

const CASES: readonly (readonly [what: string, found: Outcome, status: Outcome["status"]])[] = [
  ["one edge", decideEdges(WELL), "ok"],
  ["two current edges", decideEdges(withEdge({})), "ok"],
  ["an edge that is behind", decideEdges(withEdge({ state: "BEHIND" })), "warning"],
  ["an edge that is silent", decideEdges(withEdge({ state: "SILENT" })), "failed"],
  ["open ports", decidePorts(WELL), "ok"],
  ["a closed port", decidePorts(withEdge({ unreachable: ["192.0.2.11:443"] })), "warning"],
  [
    "a zone that leads elsewhere",
    decidePorts({ ...WELL, challengeZone: { name: "z", problem: "Set the NS record." } }),
    "warning",
  ],
  [
    "no certificates",
    decideRenewals({ ...WELL, certificates: { total: 0, late: 0, leastLifeLeft: null, first: [] } }),
    "ok",
  ],
  ["certificates of any life, none late", decideRenewals(WELL), "ok"],
  ["a late renewal", decideRenewals(late(0.19)), "warning"],
  ["a very late renewal", decideRenewals(late(0.09)), "failed"],
  ["CAs that work", decideAuthorities(WELL), "ok"],
  ["a CA that failed once", decideAuthorities(failing(1)), "warning"],
  ["a CA that fails", decideAuthorities(failing(5)), "failed"],
  ["a clock that is near the CA's", decideAuthorities(withCa({ clockAheadSeconds: -59 })), "ok"],
  ["a clock that is behind the CA's", decideAuthorities(withCa({ clockAheadSeconds: -60 })), "failed"],
  ["unknown budgets", decideBudgets(WELL), "ok"],
  ["a fifth of a budget", decideBudgets(budget("domain", 10, 50)), "ok"],
  ["less than a fifth of a domain's budget", decideBudgets(budget("domain", 9, 50)), "warning"],
  ["less than a fifth of the account's orders", decideBudgets(budget("orders", 59, 300)), "warning"],
  ["names that wait for others", decideOrders(WELL), "ok"],
  [
    "a name that waits for the operator",
    decideOrders({ ...WELL, orders: { ...WELL.orders, waitingForOperator: 1 } }),
    "failed",
  ],
  ["values in its own folder", decideValueStore(WELL), "ok"],
  ["a store that answers", decideValueStore(withStore(null)), "ok"],
  ["a sealed store", decideValueStore(withStore("It is sealed. Unseal it.")), "failed"],
];

describe("the health of an own server with", () => {
  for (const [what, { says, status, fix }, wanted] of CASES) {
    it(`${what} is ${wanted}`, () => {
      assert.equal(status, wanted);
      assert.equal(fix === null, wanted === "ok", "what is not well says what to do");
      assert.doesNotMatch(`${says} ${fix}`, /secret\.example/);
    });
  }
});
