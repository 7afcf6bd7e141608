import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { lintTemplate } from "./lint-template.ts";
import { kindOf, type Template, type TemplateKind, templateOf, variablesOf } from "./template.ts";

/** Of the shipped examples. */
const OURS = {
  providerId: "slipway.example",
  providerName: "Slipway",
  redirectHost: "console.slipway.example",
  suffixes: { distribution: "cloudfront.net", verification: "acm-validations.aws" },
};

const KINDS: readonly TemplateKind[] = ["domain", "apex"];

describe("a template", () => {
  for (const kind of KINDS) {
    const template = templateOf(kind, OURS);

    it(`of kind ${kind} passes the providers' review`, () => {
      assert.deepEqual(lintTemplate(template), []);
    });

    it(`of kind ${kind} is shipped as it is made`, async () => {
      const name = `${OURS.providerId}.${template.serviceId}.json`;
      const file = new URL(`../../docs/examples/domain-connect/${name}`, import.meta.url);
      assert.equal(await readFile(file, "utf8"), `${JSON.stringify(template, null, 2)}\n`);
    });
  }

  it("never sets a CNAME at an apex", () => {
    const types = templateOf("apex", OURS).records.map(({ type, host }) => `${type} ${host ?? "@"}`);
    assert.deepEqual(types, ["APEXCNAME @", "CNAME _%verification%"]);
  });

  const good = templateOf("domain", OURS);
  const record = { type: "CNAME", host: "www", pointsTo: "%x%.example.net", ttl: 60 };
  const { syncPubKeyDomain: _key, ...unsigned } = good;
  const { syncRedirectDomain: _back, ...oneWay } = good;
  const { hostRequired: _host, ...atApex } = good;
  const REFUSED: readonly (readonly [what: string, template: Template, problem: RegExp])[] = [
    ["without a key", unsigned, /syncPubKeyDomain/],
    ["without a way back", oneWay, /syncRedirectDomain/],
    ["with a CNAME at what may be an apex", atApex, /CNAME at the apex/],
    [
      "with a value that is one variable",
      { ...good, records: [{ ...record, pointsTo: "%x%" }] },
      /nothing but/,
    ],
    ["with a value of variables", { ...good, records: [{ ...record, pointsTo: "%x%%y%" }] }, /nothing but/],
    ["with a host that is one variable", { ...good, records: [{ ...record, host: "%x%" }] }, /nothing but/],
    ["with %host%", { ...good, records: [{ ...record, host: "a.%host%" }] }, /%host%/],
    ["with an APEXCNAME elsewhere", { ...good, records: [{ ...record, type: "APEXCNAME" }] }, /at the apex/],
    ["with a variable without a name", { ...good, records: [{ ...record, host: "a%%" }] }, /not the name/],
    ["with an id that no path can have", { ...good, providerId: "a/b" }, /is not an id/],
    ["without records", { ...good, records: [] }, /no record/],
  ];
  for (const [what, template, problem] of REFUSED) {
    it(`is refused ${what}`, () => assert.match(lintTemplate(template).join(" "), problem));
  }
});

describe("what a template is filled with", () => {
  it("depends on the zone", () => {
    assert.equal(kindOf("www.shop.example.com", "example.com"), "domain");
    assert.equal(kindOf("shop.example.com", "shop.example.com"), "apex");
    assert.equal(kindOf("*.example.com", "example.com"), null);
    assert.equal(kindOf("www.example.com", "ample.com"), null);
  });

  const records = {
    verification: { name: "_a1.www.example.com", value: "_b2.c3.acm-validations.aws" },
    connection: { name: "www.example.com", value: "d4.cloudfront.net" },
  };
  it("are the parts of the records that are not fixed", () => {
    assert.deepEqual(variablesOf("www.example.com", records, OURS.suffixes), {
      distribution: "d4",
      verification: "a1",
      proof: "b2.c3",
    });
  });

  it("is nothing for records of another form", () => {
    const { verification, connection } = records;
    for (const other of [
      { verification, connection: { ...connection, value: "d4.example.net" } },
      { verification, connection: { ...connection, value: ".cloudfront.net" } },
      { verification, connection: { ...connection, name: "other.example.com" } },
      { verification: { ...verification, name: "a1.www.example.com" }, connection },
      { verification: { ...verification, name: "_a1.other.example.com" }, connection },
      { verification: { ...verification, value: "_b2&host=x.acm-validations.aws" }, connection },
    ])
      assert.equal(variablesOf("www.example.com", other, OURS.suffixes), null);
  });
});
