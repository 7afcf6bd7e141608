import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lookup } from "./authority.ts";
import { findCaaSet, refusesIssuers } from "./caa.ts";
import type { Caa, DnsRecord } from "./wire/message.ts";

const ISSUERS = ["amazon.com", "amazontrust.com"];

function caa(tag: string, value: string, critical = false): Caa {
  return { critical, tag, value };
}

describe("refusesIssuers", () => {
  const rows: readonly (readonly [string, string, readonly Caa[], boolean])[] = [
    ["allows a named issuer", "x.test", [caa("issue", "amazon.com")], false],
    [
      "allows any of the issuers",
      "x.test",
      [caa("issue", "ca.test"), caa("issue", "amazontrust.com")],
      false,
    ],
    ["ignores the case of the issuer", "x.test", [caa("issue", "Amazon.COM")], false],
    ["ignores parameters and spaces", "x.test", [caa("issue", "  amazon.com ; account=1")], false],
    ["refuses when only another may issue", "x.test", [caa("issue", "ca.test")], true],
    ["refuses every issuer for ;", "x.test", [caa("issue", ";")], true],
    ["refuses every issuer for an empty issuer", "x.test", [caa("issue", "")], true],
    ["allows every issuer when the set has no issue", "x.test", [caa("iodef", "mailto:a@x.test")], false],
    ["ignores issuewild for a plain name", "x.test", [caa("issuewild", "ca.test")], false],
    ["takes issuewild for a wildcard", "*.x.test", [caa("issue", "amazon.com"), caa("issuewild", ";")], true],
    [
      "allows a wildcard by issuewild",
      "*.x.test",
      [caa("issue", "ca.test"), caa("issuewild", "amazon.com")],
      false,
    ],
    ["takes issue for a wildcard without issuewild", "*.x.test", [caa("issue", "ca.test")], true],
    [
      "refuses an unknown critical tag",
      "x.test",
      [caa("issue", "amazon.com"), caa("future", "1", true)],
      true,
    ],
    [
      "ignores an unknown tag that is not critical",
      "x.test",
      [caa("issue", "amazon.com"), caa("future", "1")],
      false,
    ],
    ["allows a known critical tag", "x.test", [caa("issue", "amazon.com", true)], false],
  ];
  for (const [sentence, name, records, refused] of rows) {
    it(sentence, () => assert.equal(refusesIssuers(records, name, ISSUERS), refused));
  }
});

describe("findCaaSet", () => {
  function tree(content: Record<string, readonly DnsRecord[]>, asked: string[] = []) {
    return (question: { readonly name: string }): Promise<Lookup> => {
      asked.push(question.name);
      const records = content[question.name] ?? [];
      return Promise.resolve({ kind: "answered", exists: true, records, zone: null });
    };
  }
  const issue = (name: string): DnsRecord => ({
    type: "CAA",
    name,
    ttlSeconds: 60,
    value: '0 issue "ca.test"',
    caa: caa("issue", "ca.test"),
  });
  const alias = (name: string, value: string): DnsRecord => ({ type: "CNAME", name, ttlSeconds: 60, value });

  it("climbs to the closest set and stops there", async () => {
    const asked: string[] = [];
    const set = await findCaaSet("a.b.x.test", tree({ "b.x.test": [issue("b.x.test")] }, asked));
    assert.equal(set?.kind === "set" && set.at, "b.x.test");
    assert.deepEqual(asked, ["a.b.x.test", "b.x.test"]);
  });

  it("starts below the asterisk and ends with the top-level domain", async () => {
    const asked: string[] = [];
    assert.equal(await findCaaSet("*.X.test.", tree({}, asked)), null);
    assert.deepEqual(asked, ["x.test", "test"]);
  });

  it("uses the set of an alias's target, in the same answer or another", async () => {
    const together = tree({ "www.x.test": [alias("www.x.test", "cdn.test"), issue("cdn.test")] });
    const apart = tree({ "www.x.test": [alias("www.x.test", "cdn.test")], "cdn.test": [issue("cdn.test")] });
    for (const lookUp of [together, apart]) {
      const set = await findCaaSet("www.x.test", lookUp);
      assert.deepEqual(set?.kind === "set" && [set.at, set.owner], ["www.x.test", "cdn.test"]);
    }
  });

  it("climbs from the alias, not from its target", async () => {
    const asked: string[] = [];
    await findCaaSet("www.x.test", tree({ "www.x.test": [alias("www.x.test", "a.cdn.example")] }, asked));
    assert.deepEqual(asked, ["www.x.test", "a.cdn.example", "x.test", "test"]);
  });

  it("ends when aliases form a loop", async () => {
    const circle = tree({ "a.test": [alias("a.test", "b.test")], "b.test": [alias("b.test", "a.test")] });
    assert.equal(await findCaaSet("a.test", circle), null);
  });
});
