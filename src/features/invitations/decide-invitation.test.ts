import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideNextStep, decideWays, hasWay } from "./decide-invitation.ts";

const ORG = "org_own";
const FIRST = "org_first";
const EVERYONE = [{ group: "*", role: "viewer", organizationId: null }] as const;
const provider = (label: string, more: Partial<Parameters<typeof decideWays>[0][number]> = {}) => ({
  label,
  issuer: `https://${label}.example`,
  rules: EVERYONE,
  organizationId: ORG,
  linksByEmail: true,
  ...more,
});
const NEW = { organizationId: ORG, providerIssuers: [], hasKey: false };

describe("how an invited person can sign in", () => {
  const ofOther = [{ group: "*", role: "viewer", organizationId: "org_other" }] as const;
  const known = { ...NEW, providerIssuers: ["https://b.example"] };
  const rows: readonly [string, Parameters<typeof decideWays>, providers: readonly string[]][] = [
    ["at all providers that link", [[provider("a"), provider("b")], NEW, FIRST], ["a", "b"]],
    [
      "not at a provider that refuses the address",
      [[provider("a", { linksByEmail: false })], NEW, FIRST],
      [],
    ],
    [
      "not at a provider of another organization",
      [[provider("a", { organizationId: "org_other" })], NEW, FIRST],
      [],
    ],
    ["not where the groups lead elsewhere", [[provider("a", { rules: ofOther })], NEW, FIRST], []],
    ["not without rules", [[provider("a", { rules: [] })], NEW, FIRST], []],
    ["in the first organization", [[provider("a", { organizationId: null })], NEW, ORG], ["a"]],
    ["not elsewhere by default", [[provider("a", { organizationId: null })], NEW, FIRST], []],
    [
      "where the user was before",
      [[provider("a"), provider("b", { linksByEmail: false })], known, FIRST],
      ["b"],
    ],
  ];
  for (const [title, given, providers] of rows)
    it(title, () => {
      const ways = decideWays(...given);
      assert.deepEqual(ways, { providers, hasKey: false });
      assert.equal(hasWay(ways), providers.length > 0);
    });

  it("with a key", () => assert.ok(hasWay(decideWays([], { ...NEW, hasKey: true }, FIRST))));
});

describe("after the answer of the mail server", () => {
  const rows: readonly [Parameters<typeof decideNextStep>, ReturnType<typeof decideNextStep>][] = [
    [[1, { errorCode: null, reply: "250 Ok" }], { status: "SENT" }],
    [[1, { errorCode: "MAIL_REFUSED", reply: "550 No such mailbox" }], { status: "FAILED" }],
    [[1, { errorCode: "MAIL_REFUSED", reply: null }], { status: "FAILED" }],
    [[1, { errorCode: "MAIL_REFUSED", reply: "451 Greylisted" }], { retryAfterMs: 60_000 }],
    [[2, { errorCode: "MAIL_UNREACHABLE", reply: null }], { retryAfterMs: 300_000 }],
    [[3, { errorCode: "MAIL_UNAUTHORIZED", reply: "535 Denied" }], { retryAfterMs: 900_000 }],
    [[4, { errorCode: "MAIL_CLOSED", reply: null }], { retryAfterMs: 3_600_000 }],
    [[5, { errorCode: "MAIL_CLOSED", reply: null }], { status: "FAILED" }],
  ];
  for (const [given, expected] of rows)
    it(`${given[0]}: ${given[1].errorCode} ${given[1].reply}`, () =>
      assert.deepEqual(decideNextStep(...given), expected));
});
