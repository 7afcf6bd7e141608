import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameOfMember, formatAccess, formatDeployers } from "./access-words.ts";

describe("access to a project", () => {
  it("says whose role counts", () => {
    assert.match(formatAccess("organization"), /or the role in the organization if it is higher/);
    assert.match(formatAccess("members"), /whatever their role in the organization/);
    assert.notEqual(formatDeployers("admin"), formatDeployers("developer"));
  });

  it("shows the id of a member whose name was not read", () => {
    assert.equal(nameOfMember({ userId: "user_1" }, []), "user_1");
  });
});
