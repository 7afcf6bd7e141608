import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsRecord, Domain } from "../../../sdk/src/generated/types.ts";
import { describeRecord, describeRow, describeWaiting, findSharedError } from "./group-words.ts";

const record = (changes: Partial<DnsRecord> = {}) =>
  ({
    status: "PENDING",
    purpose: "CERTIFICATE_DOMAIN_VERIFICATION",
    setWhen: "NOW",
    accountZone: null,
    lastPropagationCheckAt: "2026-11-26T05:00:00.000Z",
    lastPropagationCheckValue: null,
    lastPropagationCheckError: { code: "NOT_FOUND", message: "There is no such record." },
    ...changes,
  }) as DnsRecord;
const WRONG = {
  lastPropagationCheckValue: "elsewhere.example.net",
  lastPropagationCheckError: { code: "WRONG_VALUE", message: "Found elsewhere.example.net." },
};
const domain = (changes: Partial<Domain>) =>
  ({
    status: "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
    dnsRecords: [record(), record({ purpose: "SERVICE_CONNECTION" })],
    warnings: [],
    lastAttachmentError: null,
    ...changes,
  }) as unknown as Domain;

describe("the words for a group's domains", () => {
  it("say who has to act, and how", () => {
    const rowOf = (changes: Partial<Domain>, autoDns = false) => {
      const { words, waitsFor } = describeRow(domain(changes), autoDns);
      return [words, waitsFor];
    };
    assert.deepEqual(rowOf({}), ["Waiting for your DNS record", "You: set 2 records"]);
    const later = record({ purpose: "SERVICE_CONNECTION", setWhen: "AFTER_CERTIFICATE", ...WRONG });
    assert.deepEqual(rowOf({ dnsRecords: [record(), later] }), [
      "Waiting for your DNS record",
      "You: set 1 record",
    ]);
    assert.deepEqual(rowOf({ dnsRecords: [record(WRONG), record()] }), [
      "Wrong DNS record",
      "You: correct 1 record, set 1",
    ]);
    assert.deepEqual(rowOf({ dnsRecords: [record({ status: "OK" }), record()] }), [
      "Certificate being issued",
      "Slipway: waiting for the certificate authority",
    ]);
    assert.equal(rowOf({ status: "ERROR_ATTACHING" })[1], "You: read the problem, then retry");
    const setting = {
      status: "SETTING",
      zoneId: "Z1",
      since: "2026-11-26T05:00:00.000Z",
      found: null,
    } as const;
    const own = [record({ accountZone: setting }), record({ accountZone: setting })];
    assert.equal(rowOf({ dnsRecords: own }, true)[1], "Slipway: setting the records");
  });

  it("say when to set each record", () => {
    assert.equal(describeRecord(record()).words, "Set it now");
    assert.equal(describeRecord(record(WRONG)).words, "Wrong, set it now");
    assert.equal(describeRecord(record({ setWhen: "AFTER_CERTIFICATE" })).words, "After the certificate");
    assert.equal(describeRecord(record({ status: "OK" })).words, "Set");
  });

  it("count who waits, and say an error of all once", () => {
    const pending = domain({ status: "PENDING", dnsRecords: [] });
    assert.equal(
      describeWaiting([domain({}), pending]),
      "1 domain waits for you, Slipway works on 1 domain.",
    );
    const error = { message: "Too many." } as Domain["lastAttachmentError"];
    const failed = domain({ lastAttachmentError: error });
    assert.deepEqual(findSharedError([failed, failed, domain({})]), { error, count: 2 });
    assert.equal(findSharedError([failed, domain({})]), null);
  });
});
