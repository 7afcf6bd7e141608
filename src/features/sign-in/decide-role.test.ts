import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideRole } from "./decide-role.ts";

const RULES = [
  { group: "ops", role: "admin", organizationId: null },
  { group: "dev", role: "developer", organizationId: null },
  { group: "partner", role: "developer", organizationId: "org_b" },
] as const;

describe("who signs in", () => {
  it("has the highest role of its groups", () => {
    assert.deepEqual(decideRole(RULES, ["dev", "ops", "other"]), { organizationId: null, role: "admin" });
    assert.deepEqual(decideRole(RULES.toReversed(), ["dev", "ops"]), {
      organizationId: null,
      role: "admin",
    });
    assert.deepEqual(decideRole(RULES, ["dev"]), { organizationId: null, role: "developer" });
  });

  it("comes to the organization of the first rule, with only its roles there", () => {
    assert.deepEqual(decideRole(RULES, ["partner"]), { organizationId: "org_b", role: "developer" });
    assert.deepEqual(decideRole(RULES.toReversed(), ["partner", "ops"]), {
      organizationId: "org_b",
      role: "developer",
    });
  });

  it("comes to nothing without a group, unless a rule is for everyone", () => {
    assert.equal(decideRole(RULES, []), null);
    assert.equal(decideRole(RULES, ["*", "OPS"]), null);
    const everyone = { group: "*", role: "viewer", organizationId: null } as const;
    assert.deepEqual(decideRole([...RULES, everyone], []), { organizationId: null, role: "viewer" });
    assert.deepEqual(decideRole([everyone, ...RULES], ["ops"]), { organizationId: null, role: "admin" });
  });
});
