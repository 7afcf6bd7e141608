import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { distinctRecords, recordsAsLetter, recordsAsTable, recordsAsZoneFile } from "./record-texts.ts";

const CNAME = {
  type: "CNAME",
  name: "_a1.www.example.com",
  relativeName: "_a1.www",
  zone: "example.com",
  value: "_b2.validations.example.net",
  purpose: "CERTIFICATE_DOMAIN_VERIFICATION",
} as const;
const ALIAS = {
  type: "ALIAS",
  name: "example.org",
  relativeName: "@",
  zone: "example.org",
  value: "d1.cdn.example.net",
  purpose: "SERVICE_CONNECTION",
} as const;
const CAA = {
  ...ALIAS,
  type: "CAA",
  value: '0 issue "ca.example.net"',
  purpose: "CERTIFICATE_AUTHORITY_AUTHORIZATION",
} as const;

describe("DNS records as texts", () => {
  it("are a table with tabs", () => {
    assert.equal(
      recordsAsTable([CNAME]),
      "Zone\tName\tType\tValue\nexample.com\t_a1.www\tCNAME\t_b2.validations.example.net",
    );
  });

  it("are a zone file by zone, in which an ALIAS is a comment", () => {
    assert.equal(
      recordsAsZoneFile([CNAME, ALIAS, CAA]),
      [
        "; example.com",
        "_a1.www.example.com.\t300\tIN\tCNAME\t_b2.validations.example.net.",
        "",
        "; example.org",
        "; example.org. ALIAS d1.cdn.example.net.  ; set it as ALIAS, ANAME or flattened CNAME",
        'example.org.\t300\tIN\tCAA\t0 issue "ca.example.net"',
      ].join("\n"),
    );
  });

  it("are a letter that names each, and says why", () => {
    const letter = recordsAsLetter([CNAME, ALIAS]);
    assert.match(letter, /^Please set these 2 DNS records\./);
    assert.match(letter, /In the DNS of example\.org:/);
    assert.match(letter, /Type: {2}ALIAS \(also called ANAME/);
    assert.match(letter, /Name: {2}_a1\.www {3}\(in full: _a1\.www\.example\.com\)/);
  });

  it("has what several domains need once", () => {
    assert.equal(distinctRecords([CNAME, { ...CNAME }, ALIAS]).length, 2);
  });
});
