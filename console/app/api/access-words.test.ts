import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameOfMember, tellAccess, tellDeployers } from "./access-words.ts";

describe("access to a project", () => {
  it("says whose role counts", () => {
    assert.match(tellAccess("organization"), /or the role in the organization if it is higher/);
    assert.match(tellAccess("members"), /whatever their role in the organization/);
    assert.notEqual(tellDeployers("admin"), tellDeployers("developer"));
  });

  it("shows the id of a member whose name was not read", () => {
    assert.equal(nameOfMember({ userId: "user_1" }, []), "user_1");
  });
});
