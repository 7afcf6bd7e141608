import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readDomainNames, tellNameFault } from "./domain-names.ts";

describe("typed domain names", () => {
  it("may be separated by anything, and be addresses", () => {
    assert.deepEqual(readDomainNames(" a.example.com, b.example.com;\nhttps://c.example.com/shop\n\n"), [
      "a.example.com",
      "b.example.com",
      "c.example.com",
    ]);
  });

  it("may have comments, ports and queries", () => {
    const text =
      "# old\na.example.com # the shop, b.example.com\n//c.example.com:8080/?x\nhttps://d.example.com/#/x";
    assert.deepEqual(readDomainNames(text), ["a.example.com", "c.example.com", "d.example.com"]);
  });

  it("have faults that say which name they are about", () => {
    const fault = { path: "/domains/1", code: "PUBLIC_SUFFIX", message: "is a public suffix" } as const;
    assert.match(tellNameFault(fault, "a.example.com\nco.uk"), /^co\.uk: It is a public suffix/);
    assert.match(tellNameFault({ ...fault, path: "/domains" }, "co.uk"), /^It is a public suffix/);
  });
});
