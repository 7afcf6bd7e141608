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
      assert.equal(shares.room().laneMax, account);
      assert.deepEqual(shares.room().laneRooms, [0]);
      const others = Array.from({ length: slots }, (_, index) => shares.take(holder(`aws_2${index}`)));
      assert.equal(others.filter(Boolean).length, organization - account);
      assert.ok(shares.take(holder("aws_3", "org_2")), "another organization has room");
    });
  }

  it("count all of an organization's work that uses no account as one account's", () => {
    const shares = createShares(4);
    const taken = Array.from({ length: 4 }, () => shares.take(holder(null)));
    assert.deepEqual(taken, [true, true, false, false]);
  });

  it("hold in every order of taking and giving back, and say how much room is left", () => {
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
          const { organizations: holding, organizationRooms } = shares.room();
          const rooms = new Map(holding.map((id, index) => [id, organizationRooms[index]]));
          for (const id of organizations) assert.equal(rooms.get(id) ?? 6, 6 - ofOrganization(id));
        }
      }),
    );
  });
});
