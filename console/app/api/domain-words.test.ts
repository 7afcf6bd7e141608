import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsRecord, DomainStatus } from "../../../sdk/src/generated/types.ts";
import { tellDomain, tellDomainRow, tellFound, tellRowProblem } from "./domain-words.ts";

const record = (purpose: DnsRecord["purpose"], status: DnsRecord["status"]): DnsRecord => ({
  purpose,
  status,
  type: "CNAME",
  name: "www.example.com",
  relativeName: "www",
  zone: "example.com",
  value: "d1.cdn.example.net",
  panelForm: null,
  accountZone: null,
  setWhen: "NOW",
  lastPropagationCheckAt: null,
  lastPropagationCheckValue: null,
  lastPropagationCheckError: null,
});
const verified = record("CERTIFICATE_DOMAIN_VERIFICATION", "OK");

describe("the words of a domain", () => {
  it("calls it served only when its name points at the service", () => {
    const pending = record("SERVICE_CONNECTION", "PENDING");
    const waits = tellDomain({ status: "ATTACHED", dnsRecords: [verified, pending], warnings: [] });
    assert.deepEqual([waits.tone, waits.turn], ["todo", "you"]);
    const points = record("SERVICE_CONNECTION", "OK");
    const served = tellDomain({ status: "ATTACHED", dnsRecords: [verified, points], warnings: [] });
    assert.deepEqual([served.words, served.tone, served.turn], ["Served", "good", null]);
  });

  it("says that a served domain no longer points here, or needs attention", () => {
    const dnsRecords = [verified, record("SERVICE_CONNECTION", "OK")];
    const warned = (code: "CONNECTION_RECORD_MISSING" | "CAA_REFUSES_RENEWAL") =>
      tellDomain({ status: "ATTACHED", dnsRecords, warnings: [{ code, message: "", action: "" }] });
    assert.equal(warned("CONNECTION_RECORD_MISSING").tone, "bad");
    assert.equal(warned("CAA_REFUSES_RENEWAL").turn, "you");
  });

  it("gives the turn to Slipway once the verification record is seen", () => {
    const status: DomainStatus = "AWAITING_VERIFICATION_RECORDS_TO_BE_SET";
    assert.equal(tellDomain({ status, dnsRecords: [verified], warnings: [] }).turn, "Slipway");
    const missing = record("CERTIFICATE_DOMAIN_VERIFICATION", "PENDING");
    assert.equal(tellDomain({ status, dnsRecords: [missing], warnings: [] }).turn, "you");
  });

  it("takes from the server who has to act on a row", () => {
    assert.equal(tellDomainRow({ status: "ATTACHED", waitsFor: null }).words, "Served");
    assert.equal(tellDomainRow({ status: "ATTACHED", waitsFor: "CUSTOMER" }).turn, "you");
    assert.equal(tellDomainRow({ status: "ERROR_ATTACHING", waitsFor: "SLIPWAY" }).turn, "Slipway");
  });
});

describe("the problem of a row", () => {
  it("is one sentence, and left out where the state says it", () => {
    const problem = "It leads to old.example.net. Set a CNAME.";
    assert.equal(tellRowProblem({ status: "ATTACHED", problem }), "It leads to old.example.net.");
    assert.equal(tellRowProblem({ status: "AWAITING_VERIFICATION_RECORDS_TO_BE_SET", problem }), null);
    assert.equal(tellRowProblem({ status: "ATTACHED", problem: null }), null);
  });
});

describe("what a look at a record found", () => {
  it("says what is there in place of what should be, and nothing for what is right", () => {
    const looked = {
      ...record("SERVICE_CONNECTION", "PENDING"),
      lastPropagationCheckAt: "2026-01-01T00:00:00Z",
    };
    const nothing = {
      ...looked,
      lastPropagationCheckError: { code: "NOT_FOUND", message: "Found no record." },
    };
    assert.deepEqual(tellFound(nothing), { found: null, what: "Nothing is set under this name yet." });
    const other = {
      ...looked,
      lastPropagationCheckValue: "old.example.net",
      lastPropagationCheckError: { code: "WRONG_VALUE", message: "It leads elsewhere." },
    };
    assert.deepEqual(tellFound(other), { found: "old.example.net", what: "It leads elsewhere." });
    assert.equal(tellFound({ ...other, status: "OK" }), null);
    assert.equal(tellFound(record("SERVICE_CONNECTION", "PENDING")), null);
  });
});
