import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { authorizationRecord, isSettable } from "../custom-domains/records/dns-record.ts";
import { isCaaDue, isDelegationDue, isQuickCheck, statusAfter } from "./check-record.ts";
import { domain } from "../custom-domains/testing.ts";

describe("the status of a record after a check", () => {
  const clear = { lastCheckError: {} };
  const rows: readonly (readonly [string, Parameters<typeof statusAfter>[0], string | null, string])[] = [
    ["becomes OK when it is found", { status: "PENDING", lastCheckError: null }, null, "OK"],
    ["stays PENDING while it is not", { status: "PENDING", lastCheckError: null }, "NOT_FOUND", "PENDING"],
    ["returns to PENDING when it is removed", { status: "OK", ...clear }, "NOT_FOUND", "PENDING"],
    ["returns to PENDING when it was changed", { status: "OK", ...clear }, "WRONG_VALUE", "PENDING"],
    ["stays OK when a single check fails itself", { status: "OK", ...clear }, "TIMEOUT", "OK"],
    [
      "returns to PENDING when the next one fails too",
      { status: "OK", lastCheckError: { code: "TIMEOUT" } },
      "SERVFAIL",
      "PENDING",
    ],
    [
      "does not become OK by a failed check",
      { status: "PENDING", lastCheckError: null },
      "TIMEOUT",
      "PENDING",
    ],
  ];
  for (const [sentence, record, code, expected] of rows) {
    it(sentence, () => assert.equal(statusAfter(record, code === null ? null : { code }), expected));
  }
});

describe("the CAA check", () => {
  const at = new Date("2026-01-01T00:00:59.999Z");
  it("is part of the first check", () => assert.equal(isCaaDue(null, at), true));
  it("is not repeated within a minute", () =>
    assert.equal(isCaaDue(new Date("2026-01-01T00:00:00Z"), at), false));
  it("is repeated in the next one", () => assert.equal(isCaaDue(at, new Date("2026-01-01T00:01:00Z")), true));
});

describe("a check of a record that is awaited", () => {
  const at = (seconds: string): Date => new Date(`2026-01-01T00:00:${seconds}Z`);
  const missing = { lastCheckAt: at("10.000"), lastCheckError: { code: "NOT_FOUND" } };
  it("is quick if there was no record a moment ago", () =>
    assert.equal(isQuickCheck(missing, at("19.999")), true));
  it("searches elsewhere every ten seconds", () => assert.equal(isQuickCheck(missing, at("20.000")), false));
  it("searches elsewhere the first time", () =>
    assert.equal(isQuickCheck({ lastCheckAt: null, lastCheckError: null }, at("10.000")), false));
  it("is thorough if something else was found", () => {
    const doubled = { ...missing, lastCheckError: { code: "ZONE_NAME_DOUBLED" } };
    assert.equal(isQuickCheck(doubled, at("11.000")), false);
  });
});

describe("the required CAA record", () => {
  const refusal = { at: "www.example.com", owner: "www.example.com", found: [], message: "", action: "" };
  const shown = (changes: { readonly owner?: string; readonly setAt: string | null }) => {
    const wanted = { ...refusal, value: '0 issue "amazon.com"', ...changes };
    const record = authorizationRecord(domain("www.example.com"), wanted);
    return [record.name, record.value, isSettable(record)];
  };
  it("is where it helps", () =>
    assert.deepEqual(shown({ setAt: "example.com" }), ["example.com", '0 issue "amazon.com"', true]));
  it("is not a record to set if none helps", () =>
    assert.deepEqual(shown({ owner: "shop.vendor.example", setAt: null }), [
      "shop.vendor.example",
      "",
      false,
    ]));
});

describe("the check of a domain's zone", () => {
  const delegation = { zone: "example.com", nameServers: ["ns1.example.net"] };
  const isDue = (known: typeof delegation | null, last: string | null, now: string) =>
    isDelegationDue(
      { delegation: known, lastCheckAt: last === null ? null : new Date(`2026-01-01T${last}Z`) },
      new Date(`2026-01-01T${now}Z`),
    );
  it("is part of the first check", () => assert.ok(isDue(null, null, "00:00:00")));
  it("is repeated each minute until it has found something", () => {
    assert.ok(!isDue(null, "10:00:00", "10:00:59"));
    assert.ok(isDue(null, "10:00:59", "10:01:00"));
  });
  it("is repeated each hour then", () => {
    assert.ok(!isDue(delegation, "10:00:00", "10:59:59"));
    assert.ok(isDue(delegation, "10:59:59", "11:00:00"));
  });
});
