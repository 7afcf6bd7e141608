import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { createShares } from "./shares.ts";

const holder = (accountId: string | null, organizationId = "org_1") => ({ organizationId, accountId });

describe("the shares of a process's workers", () => {
  for (const [slots, account, organization] of [
    [4, 2, 3],
    [8, 3, 6],
    [16, 6, 12],
  ] as const) {
    it(`are ${account} for an account and ${organization} for an organization, of ${slots}`, () => {
      const shares = createShares(slots);
      const taken = Array.from({ length: slots }, () => shares.take(holder("aws_1"))).filter(Boolean);
      assert.equal(taken.length, account);
      assert.equal(shares.limits.default, account);
      const others = Array.from({ length: slots }, (_, index) => shares.take(holder(`aws_2${index}`)));
      assert.equal(others.filter(Boolean).length, organization - account);
      assert.ok(shares.take(holder("aws_3", "org_2")), "another organization has room");
    });
  }

  it("count all work of an organization without an account as one account", () => {
    const shares = createShares(4);
    const taken = Array.from({ length: 4 }, () => shares.take(holder(null)));
    assert.deepEqual(taken, [true, true, false, false]);
  });

  it("hold in every order of taking and returning, and close only the organizations that are full", () => {
    const organizations = ["org_1", "org_2"];
    const holders = organizations.flatMap((organizationId) =>
      ["1", "2", "3", null].map((account) =>
        holder(account === null ? null : `aws_${organizationId}_${account}`, organizationId),
      ),
    );
    const anyStep = fc.record({ takes: fc.boolean(), asked: fc.constantFrom(...holders) });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const shares = createShares(8);
        const running: (typeof holders)[number][] = [];
        const ofOrganization = (id: string): number =>
          running.filter(({ organizationId }) => organizationId === id).length;
        for (const { takes, asked } of steps) {
          if (takes) {
            const ofAccount = running.filter((one) => one === asked).length;
            const hasRoom = ofOrganization(asked.organizationId) < 6 && ofAccount < 3;
            assert.equal(shares.take(asked), hasRoom);
            if (hasRoom) running.push(asked);
          } else {
            const ended = running.shift();
            if (ended !== undefined) shares.giveBack(ended);
          }
          const full = organizations.filter((id) => ofOrganization(id) === 6);
          assert.deepEqual(shares.limits.tiers, Object.fromEntries(full.map((id) => [id, 0])));
        }
      }),
    );
  });
});
