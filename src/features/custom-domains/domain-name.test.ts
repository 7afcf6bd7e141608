import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { readDomainName, zoneOf } from "./domain-name.ts";

describe("a custom domain as users write it", () => {
  for (const [text, name, type] of [
    ["www.example.com", "www.example.com", "SUBDOMAIN"],
    [" www.example.com\u00A0\n", "www.example.com", "SUBDOMAIN"],
    ["WWW.Example.COM.", "www.example.com", "SUBDOMAIN"],
    ["example.com", "example.com", "APEX"],
    ["example.co.uk", "example.co.uk", "APEX"],
    ["*.example.com", "*.example.com", "WILDCARD"],
    ["bücher.example.de", "xn--bcher-kva.example.de", "SUBDOMAIN"],
    ["*.github.io", "*.github.io", "WILDCARD"],
    ["github.io", "github.io", "APEX"],
    ["uk.com", "uk.com", "APEX"],
    ["shop.github.io", "shop.github.io", "SUBDOMAIN"],
    [" www.example.com\t", "www.example.com", "SUBDOMAIN"],
    ["www.example.xn--fiqs8s", "www.example.xn--fiqs8s", "SUBDOMAIN"],
    [`${"a.".repeat(104)}example.com`, `${"a.".repeat(104)}example.com`, "SUBDOMAIN"],
    ["mylocal.com", "mylocal.com", "APEX"],
    ["test.example.org", "test.example.org", "SUBDOMAIN"],
    ["xn--bcher-kva.example.de", "xn--bcher-kva.example.de", "SUBDOMAIN"],
  ] as const) {
    it(`${text} is ${type} ${name}`, () => assert.deepEqual(readDomainName(text), { name, type }));
  }

  for (const [text, code] of [
    ["xn--a.example.com", "NOT_A_DOMAIN"],
    ["*.xn--zzzzzz99999.com", "NOT_A_DOMAIN"],
    ["xn--.example.com", "NOT_A_DOMAIN"],
    ["a.local", "SPECIAL_USE"],
    ["a.internal", "SPECIAL_USE"],
    ["test.localhost", "SPECIAL_USE"],
    ["A.Invalid.", "SPECIAL_USE"],
    ["*.shop.test", "SPECIAL_USE"],
    ["www.acme.example", "SPECIAL_USE"],
    ["facebookcorewwwi.onion", "SPECIAL_USE"],
    ["nas.home.arpa", "SPECIAL_USE"],
    ["1.0.0.10.in-addr.arpa", "SPECIAL_USE"],
    ["name.alt", "SPECIAL_USE"],
    ["co.uk", "PUBLIC_SUFFIX"],
    ["*.com", "PUBLIC_SUFFIX"],
    ["www.example.con", "UNKNOWN_TOP_LEVEL_DOMAIN"],
    ["nas.lan", "UNKNOWN_TOP_LEVEL_DOMAIN"],
    ["srv.corp", "UNKNOWN_TOP_LEVEL_DOMAIN"],
    [`${"a.".repeat(105)}example.com`, "TOO_LONG"],
    [`*.${"a.".repeat(105)}example.com`, "TOO_LONG"],
    ["localhost", "SINGLE_LABEL"],
    ["127.0.0.1", "IP_ADDRESS"],
    ["0x7f.1", "IP_ADDRESS"],
    ["_acme.example.com", "UNDERSCORE"],
    ["a.*.example.com", "WILDCARD_MISPLACED"],
    ["https://example.com", "NOT_A_DOMAIN"],
    ["example.com:443", "NOT_A_DOMAIN"],
    ["example..com", "NOT_A_DOMAIN"],
    ["-a.example.com", "NOT_A_DOMAIN"],
    [`${"a".repeat(64)}.example.com`, "LABEL_TOO_LONG"],
    [`${"a.".repeat(130)}example.com`, "TOO_LONG"],
    ["x".repeat(100_000), "TOO_LONG"],
    ["", "NOT_A_DOMAIN"],
  ] as const) {
    it(`${text.slice(0, 40) || "nothing"} is refused as ${code}`, () => {
      const read = readDomainName(text);
      assert.equal("fault" in read && read.fault.code, code);
    });
  }

  it("never throws, and what it accepts it accepts again unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string(), fc.string({ unit: "grapheme" })), (text) => {
        const read = readDomainName(text);
        if ("name" in read) assert.deepEqual(readDomainName(read.name), read);
      }),
      { numRuns: 500 },
    );
  });

  it("is in the zone of its registrable domain", () =>
    assert.equal(zoneOf("*.a.example.co.uk"), "example.co.uk"));
});
