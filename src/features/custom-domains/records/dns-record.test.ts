import assert from "node:assert/strict";
import { it } from "node:test";
import { NOW } from "../testing.ts";
import { setWhenOf } from "./dns-record.ts";

it("a connection record is set before the certificate only where nothing is served", () => {
  const when = (code: string, lastCheckValue: string | null) => {
    const record = { purpose: "SERVICE_CONNECTION", status: "PENDING", lastCheckAt: NOW } as const;
    return setWhenOf("PENDING", { ...record, lastCheckValue, lastCheckError: { code } }, false);
  };
  assert.equal(when("NOT_FOUND", null), "NOW");
  assert.equal(when("WILDCARD_ENDED", null), "NOW");
  // A wildcard answers there.
  assert.equal(when("NOT_FOUND", "192.0.2.10"), "AFTER_CERTIFICATE");
  assert.equal(when("WRONG_VALUE", "192.0.2.10"), "AFTER_CERTIFICATE");
});
