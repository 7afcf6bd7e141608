import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diagnoseCaa, diagnoseHost, type ExpectedHostRecord, type SeenHost } from "./diagnose.ts";
import type { PropagationErrorCode } from "./dns.ts";

const CNAME: ExpectedHostRecord = { type: "CNAME", name: "www.example.com", value: "d1.cdn.net" };
const ALIAS: ExpectedHostRecord = { type: "ALIAS", name: "example.com", value: "d1.cdn.net" };
const NOTHING: SeenHost = {
  zone: "example.com",
  failure: null,
  cnames: [],
  chain: [],
  chainEnd: "open",
  ipv4: [],
  ipv6: [],
  texts: [],
  mailHosts: [],
  caa: [],
  isProxied: false,
  target: null,
  doubledAt: null,
  isRegistered: true,
  disagreement: null,
  wildcard: null,
};
const chainOf = (...chain: readonly string[]): Partial<SeenHost> => ({ cnames: chain.slice(0, 1), chain });

describe("diagnoseHost accepts", () => {
  const rows: readonly (readonly [string, ExpectedHostRecord, Partial<SeenHost>, string])[] = [
    ["the exact CNAME", CNAME, chainOf("d1.cdn.net"), "d1.cdn.net"],
    [
      "a wanted value with another case and a trailing dot",
      { ...CNAME, value: "D1.CDN.net." },
      chainOf("d1.cdn.net"),
      "d1.cdn.net",
    ],
    [
      "a chain of CNAMEs that passes the target",
      CNAME,
      chainOf("a.example.com", "d1.cdn.net", "edge.cdn.net"),
      "a.example.com",
    ],
    [
      "a validation value without its leading underscore, as ACM does",
      { ...CNAME, value: "_v.acm.aws" },
      chainOf("v.acm.aws"),
      "v.acm.aws",
    ],
    [
      "a CNAME that the provider flattened to the target's addresses",
      CNAME,
      { ipv4: ["192.0.2.1"], target: ["192.0.2.1", "192.0.2.2"] },
      "192.0.2.1",
    ],
    [
      "an apex with some of the target's addresses",
      ALIAS,
      { ipv4: ["192.0.2.1"], ipv6: ["2001:db8::1"], target: ["192.0.2.1", "192.0.2.2", "2001:db8::1"] },
      "192.0.2.1, 2001:db8::1",
    ],
    ["a literal CNAME at an apex", ALIAS, chainOf("d1.cdn.net"), "d1.cdn.net"],
  ];
  for (const [sentence, record, seen, value] of rows) {
    it(sentence, () => {
      assert.deepEqual(diagnoseHost(record, { ...NOTHING, ...seen }), { value, error: null });
    });
  }
});

describe("diagnoseHost refuses", () => {
  const failure = (code: "SERVFAIL" | "TIMEOUT"): SeenHost["failure"] => ({
    kind: "failed",
    code,
    reason: "The name servers of example.com (ns1.example.com) did not answer in time",
    zone: "example.com",
  });
  type Row = readonly [
    string,
    ExpectedHostRecord,
    Partial<SeenHost>,
    PropagationErrorCode,
    string | null,
    RegExp,
  ];
  const rows: readonly Row[] = [
    [
      "a missing record, and gives the relative name too",
      CNAME,
      {},
      "NOT_FOUND",
      null,
      /Found no record at www\.example\.com\. Set a CNAME from www\.example\.com to d1\.cdn\.net \(name it www if your DNS panel appends example\.com\)/,
    ],
    [
      "a missing apex record",
      ALIAS,
      {},
      "NOT_FOUND",
      null,
      /Set an ALIAS from example\.com to d1\.cdn\.net \(name it @/,
    ],
    [
      "another CNAME",
      CNAME,
      chainOf("d1.other.net"),
      "WRONG_VALUE",
      "d1.other.net",
      /^Found d1\.other\.net; set a CNAME from www\.example\.com to d1\.cdn\.net\.$/,
    ],
    [
      "a chain that ends elsewhere, and shows it",
      CNAME,
      chainOf("a.net", "b.net"),
      "WRONG_VALUE",
      "a.net",
      /Found www\.example\.com → a\.net → b\.net; set/,
    ],
    [
      "a value to which the panel appended the zone",
      CNAME,
      chainOf("d1.cdn.net.example.com"),
      "WRONG_VALUE",
      "d1.cdn.net.example.com",
      /appended the zone to the value\. Set .* to d1\.cdn\.net\. with a trailing dot/,
    ],
    [
      "two CNAMEs at one name, even when one is right",
      CNAME,
      { cnames: ["d1.cdn.net", "x.net"], chain: ["d1.cdn.net"] },
      "CONFLICTING_RECORDS",
      "d1.cdn.net, x.net",
      /Keep the one to d1\.cdn\.net/,
    ],
    [
      "a circle",
      CNAME,
      { ...chainOf("a.net", "www.example.com"), chainEnd: "loop" },
      "CNAME_LOOP",
      "a.net",
      /loop: www\.example\.com → a\.net → www\.example\.com\. Set/,
    ],
    [
      "a chain that is too long",
      CNAME,
      { ...chainOf("a.net", "b.net"), chainEnd: "too-long" },
      "CNAME_LOOP",
      "a.net",
      /The chain of CNAME records is longer than 8: .* directly/,
    ],
    [
      "an A record where a CNAME should be",
      CNAME,
      { ipv4: ["192.0.2.1"], target: [] },
      "CONFLICTING_RECORDS",
      "192.0.2.1",
      /Remove the A records there and set a CNAME/,
    ],
    [
      "A, AAAA and TXT records where a CNAME should be",
      CNAME,
      { ipv4: ["192.0.2.1"], ipv6: ["2001:db8::1"], texts: ["t"], target: [] },
      "CONFLICTING_RECORDS",
      "192.0.2.1, 2001:db8::1",
      /Remove the A and AAAA and TXT records/,
    ],
    [
      "a TXT record where a CNAME should be",
      CNAME,
      { texts: ["v=spf1 -all"] },
      "CONFLICTING_RECORDS",
      "v=spf1 -all",
      /TXT record at www\.example\.com .* Remove it and set a CNAME/,
    ],
    [
      "a proxied record",
      CNAME,
      { ipv4: ["104.16.0.1"], isProxied: true, target: [] },
      "PROXIED",
      "104.16.0.1",
      /Switch the record to "DNS only"/,
    ],
    [
      "a doubled zone name",
      CNAME,
      { doubledAt: "www.example.com.example.com" },
      "ZONE_NAME_DOUBLED",
      null,
      /Found the record at www\.example\.com\.example\.com: .* Enter only www as its name/,
    ],
    [
      "an apex that points elsewhere",
      ALIAS,
      { ipv4: ["192.0.2.9"], target: ["192.0.2.1"] },
      "WRONG_VALUE",
      "192.0.2.9",
      /none of these belongs to d1\.cdn\.net\. Set an ALIAS/,
    ],
    [
      "an apex whose target has no address yet",
      ALIAS,
      { ipv4: ["192.0.2.9"], target: [] },
      "WRONG_VALUE",
      "192.0.2.9",
      /d1\.cdn\.net has no address/,
    ],
    [
      "a stray AAAA beside the right A records",
      ALIAS,
      { ipv4: ["192.0.2.1"], ipv6: ["2001:db8::9"], target: ["192.0.2.1"] },
      "CONFLICTING_RECORDS",
      "192.0.2.1, 2001:db8::9",
      /Found 2001:db8::9 at example\.com besides .* Remove that record/,
    ],
    [
      "an apex whose target cannot be looked up",
      ALIAS,
      { ipv4: ["192.0.2.1"], target: failure("SERVFAIL") },
      "SERVFAIL",
      "192.0.2.1",
      /could not be looked up to compare/,
    ],
    [
      "a failed look",
      CNAME,
      { failure: failure("TIMEOUT") },
      "TIMEOUT",
      null,
      /did not answer in time\. Check that the name servers are up/,
    ],
  ];
  for (const [sentence, record, seen, code, value, message] of rows) {
    it(sentence, () => {
      const check = diagnoseHost(record, { ...NOTHING, ...seen });
      assert.equal(check.error?.code, code);
      assert.equal(check.value, value);
      assert.match(check.error?.message ?? "", message);
    });
  }

  it("a novel, within 1,024 characters and free of control characters and foreign scripts", () => {
    const texts = [`\u0000\u001b[31m“${"x".repeat(5000)}`];
    const check = diagnoseHost(CNAME, { ...NOTHING, texts });
    assert.equal(check.value?.length, 1024);
    assert.ok(check.value?.startsWith("\\000\\027[31m\\226\\128\\156xxx"));
    assert.match(check.error?.message ?? "", /^[ -~→…]{1,600}$/u);
  });
});

describe("diagnoseCaa", () => {
  const record = {
    type: "CAA",
    name: "example.com",
    issuers: ["amazon.com"],
    needsCname: false,
  } as const;
  const only = (issuer: string, tag = "issue") => ({
    kind: "set" as const,
    at: "example.com",
    owner: "example.com",
    zone: "example.com",
    records: [{ critical: false, tag, value: issuer }],
    found: [`0 ${tag} "${issuer}"`],
  });

  it("accepts a name without any set", () => {
    assert.deepEqual(diagnoseCaa(record, null), { value: null, error: null });
  });
  it("accepts a set that lets the provider issue", () => {
    assert.deepEqual(diagnoseCaa(record, only("amazon.com")), { value: '0 issue "amazon.com"', error: null });
  });
  it("refuses a set that does not, and gives the record to add", () => {
    const check = diagnoseCaa(record, only("letsencrypt.org"));
    assert.equal(check.error?.code, "CAA_REFUSES");
    assert.equal(check.value, '0 issue "letsencrypt.org"');
    assert.match(
      check.error.message,
      /Add a CAA record at example\.com with the value 0 issue "amazon\.com"\.$/,
    );
  });
  it("judges issuewild for a wildcard", () => {
    const wild = { ...record, name: "*.example.com" };
    const { error } = diagnoseCaa(wild, only(";", "issuewild"));
    assert.equal(error?.code, "CAA_REFUSES");
    assert.match(error.message, /with the value 0 issuewild "amazon\.com"\.$/);
    assert.equal(diagnoseCaa(record, only(";", "issuewild")).error, null);
  });
});
