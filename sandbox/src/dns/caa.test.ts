import assert from "node:assert/strict";
import { test } from "node:test";
import type { DnsRecord } from "../../../src/dns/wire/message.ts";
import { isAllowedByCaa, isIssueAllowed } from "./caa.ts";

const property = (tag: string, value: string, critical = false) => ({ tag, value, critical });

const CASES: readonly {
  readonly says: string;
  readonly set: Parameters<typeof isIssueAllowed>[0];
  readonly plain: boolean;
  readonly wildcard: boolean;
}[] = [
  {
    says: "a set without issue restricts nothing",
    set: [property("iodef", "mailto:a@b")],
    plain: true,
    wildcard: true,
  },
  { says: "our issuer is allowed", set: [property("issue", "ca.sandbox.test")], plain: true, wildcard: true },
  {
    says: "case and parameters of the issuer do not matter",
    set: [property("issue", " CA.sandbox.test ; account=1")],
    plain: true,
    wildcard: true,
  },
  { says: "another issuer is refused", set: [property("issue", "ca.test")], plain: false, wildcard: false },
  { says: "a lone semicolon refuses everyone", set: [property("issue", ";")], plain: false, wildcard: false },
  {
    says: "one of several issuers is enough",
    set: [property("issue", "ca.test"), property("issue", "ca.sandbox.test")],
    plain: true,
    wildcard: true,
  },
  {
    says: "only issuewild decides for wildcards",
    set: [property("issue", "ca.sandbox.test"), property("issuewild", "ca.test")],
    plain: true,
    wildcard: false,
  },
  {
    says: "issuewild says nothing of plain names",
    set: [property("issue", "ca.test"), property("issuewild", "ca.sandbox.test")],
    plain: false,
    wildcard: true,
  },
  {
    says: "a critical property that is unknown refuses",
    set: [property("issue", "ca.sandbox.test"), property("tbs", "x", true)],
    plain: false,
    wildcard: false,
  },
  {
    says: "an unknown property that is not critical is ignored",
    set: [property("issue", "ca.sandbox.test"), property("tbs", "x")],
    plain: true,
    wildcard: true,
  },
];

for (const { says, set, plain, wildcard } of CASES) {
  test(`in a CAA set, ${says}`, () => {
    assert.equal(isIssueAllowed(set, false), plain);
    assert.equal(isIssueAllowed(set, true), wildcard);
  });
}

test("the closest CAA set up the tree decides, starting below a wildcard's asterisk", async () => {
  const asked: string[] = [];
  const ask = async (name: string): Promise<readonly DnsRecord[]> => {
    asked.push(name);
    const value = name === "shop.example" ? "ca.test" : name === "example" ? "ca.sandbox.test" : null;
    if (value === null) return [];
    const caa = { critical: false, tag: "issue", value };
    return [{ type: "CAA", name, ttlSeconds: 60, value: `0 issue "${value}"`, caa }];
  };
  assert.equal(await isAllowedByCaa("*.a.shop.example", ask), false);
  assert.deepEqual(asked.splice(0), ["a.shop.example", "shop.example"]);
  assert.equal(await isAllowedByCaa("other.example", ask), true);
  assert.deepEqual(asked.splice(0), ["other.example", "example"]);
});
