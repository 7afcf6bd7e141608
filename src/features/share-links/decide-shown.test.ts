import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsRecord, Domain } from "../custom-domains/custom-domain.ts";
import { domain as domainOf, NOW } from "../custom-domains/testing.ts";
import { decideShown, type ShownDomain } from "./decide-shown.ts";

const APPENDED = "Enter the name as it is shown here: the panel adds the rest of the domain.";
const PURPOSES = {
  proof: "CERTIFICATE_DOMAIN_VERIFICATION",
  connection: "SERVICE_CONNECTION",
} as const;

const domain = (changes: Partial<Domain> = {}): Domain =>
  domainOf(changes.name ?? "www.example.com", {
    status: "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
    ...changes,
  });

function record(of: keyof typeof PURPOSES, changes: Partial<DnsRecord> = {}): DnsRecord {
  return {
    organizationId: "org_1",
    id: `rec_${of}`,
    domainId: "dom_1",
    purpose: PURPOSES[of],
    type: "CNAME",
    name: of === "proof" ? "_x1.www.example.com" : "www.example.com",
    value: "target.example.net",
    status: "PENDING",
    since: NOW,
    lastCheckAt: NOW,
    lastCheckValue: null,
    lastCheckError: null,
    lastOkAt: null,
    slot: 0,
    ...changes,
  };
}

function only(shown: readonly ShownDomain[]): ShownDomain {
  const [one] = shown;
  assert.ok(one !== undefined && shown.length === 1);
  return one;
}
const show = (one: Domain, ...records: readonly DnsRecord[]): ShownDomain =>
  only(decideShown([{ domain: one, records }], true));

describe("what the page of a share link shows", () => {
  it("of a record: right, wrong, missing, or not looked at", () => {
    const wrong = { code: "WRONG_VALUE", message: "Found elsewhere." };
    const missing = { code: "NOT_FOUND", message: "Found no record." };
    const rows: readonly [Partial<DnsRecord>, string, string | null, string | null][] = [
      [{ lastCheckAt: null }, "waiting", null, null],
      [{ lastCheckError: missing }, "missing", null, null],
      // A wildcard answers there, and the customer must know what the record changes.
      [{ lastCheckValue: "192.0.2.10", lastCheckError: missing }, "wrong", "192.0.2.10", "Found no record."],
      [{ lastCheckValue: "elsewhere", lastCheckError: wrong }, "wrong", "elsewhere", "Found elsewhere."],
      [{ status: "OK", lastCheckValue: "target.example.net" }, "right", "target.example.net", null],
      // One look that failed does not make it wrong.
      [
        { status: "OK", lastCheckError: { code: "TIMEOUT", message: "No answer." } },
        "right",
        "target.example.net",
        null,
      ],
    ];
    for (const [changes, state, there, problem] of rows) {
      const [shown] = show(domain(), record("proof", changes)).records;
      assert.deepEqual([shown?.state, shown?.there, shown?.problem], [state, there, problem]);
    }
  });

  it("of a domain: done once all of it is", () => {
    const served = domain({ status: "ATTACHED" });
    const right = { status: "OK" } as const;
    assert.equal(show(served, record("proof", right), record("connection", right)).isDone, true);
    const unled = show(served, record("proof", right), record("connection"));
    assert.deepEqual([unled.isDone, unled.says.includes("so that visitors reach it")], [false, true]);
    const unproven = show(served, record("proof"), record("connection", right));
    assert.match(unproven.says, /a record that its certificate needs is missing/);
    assert.equal(show(domain(), record("proof", right)).isDone, false);
  });

  it("what the panel of the provider wants, and only hints that matter", () => {
    const nameServers = ["a.ns.porkbun.com"];
    const sub = show(domain({ delegation: { zone: "example.com", nameServers } }), record("proof"));
    assert.deepEqual(sub.hints, [APPENDED]);
    assert.equal(sub.records[0]?.host, "_x1.www");
    const apex = domain({
      name: "example.com",
      type: "APEX",
      delegation: { zone: "example.com", nameServers },
    });
    const shown = show(apex, record("connection", { name: "example.com", type: "ALIAS" }));
    assert.equal(shown.records[0]?.host, "");
    assert.deepEqual(shown.hints, [APPENDED, "For the domain itself, leave the field of the name empty."]);
    assert.equal(shown.provider?.name, "Porkbun");
  });

  it("that an apex cannot lead here, in words for its owner", () => {
    const nameServers = ["ns1.domaincontrol.com"];
    const apex = domain({
      name: "example.com",
      type: "APEX",
      isApexRefused: true,
      delegation: { zone: "example.com", nameServers },
    });
    assert.match(show(apex, record("connection", { name: "example.com" })).problem ?? "", /no CNAME may be/);
  });

  it("who sets the records itself, as long as one is to be set and the installation is known there", () => {
    const offer = { providerName: "Some DNS", applyAt: "https://dns.example", panelUrl: null };
    const delegation = { zone: "example.com", nameServers: ["ns1.dns.example"], domainConnect: offer };
    const connected = domain({ delegation });
    const shown = show(connected, record("proof"));
    assert.deepEqual([shown.connectsAt, shown.provider?.name], ["Some DNS", "Some DNS"]);
    assert.equal(show(connected, record("proof", { status: "OK" })).connectsAt, null);
    assert.equal(show(connected).connectsAt, null);
    const unknown = domain({ delegation: { ...delegation, domainConnect: { ...offer, applyAt: null } } });
    assert.equal(show(unknown, record("proof")).connectsAt, null);
    const all = [{ domain: connected, records: [record("proof")] }];
    assert.equal(only(decideShown(all, false)).connectsAt, null);
  });

  it("what needs something first, and nothing of what is being deleted", () => {
    const done = domain({ id: "dom_0", name: "a.example.com", status: "ATTACHED" });
    const all = [
      done,
      domain({ name: "c.example.com" }),
      domain({ name: "b.example.com" }),
      domain({ isDesired: false }),
    ];
    assert.deepEqual(
      decideShown(
        all.map((one) => ({ domain: one, records: [] })),
        true,
      ).map(({ name }) => name),
      ["b.example.com", "c.example.com", "a.example.com"],
    );
  });
});
