import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findOptions, type PickGroup, toggleGroup, toggleOption } from "./pick.ts";

const option = (value: string, detail?: string) => ({ value, label: value, detail });
const DOMAINS: PickGroup = {
  value: "domain.*",
  label: "Domains",
  options: [option("domain.created"), option("domain.attached", "The domain is served over HTTPS.")],
};
const USERS: PickGroup = { value: "user.*", label: "Users", options: [option("user.created")] };

describe("picking some of many", () => {
  it("picks and drops one", () => {
    assert.deepEqual(toggleOption([], "user.created", USERS), ["user.created"]);
    assert.deepEqual(toggleOption(["user.created"], "user.created", USERS), []);
    assert.deepEqual(toggleOption(["a"], "b"), ["a", "b"]);
  });

  it("picks a group in place of its options, and drops it", () => {
    assert.deepEqual(toggleGroup(["domain.created", "user.created"], DOMAINS), ["user.created", "domain.*"]);
    assert.deepEqual(toggleGroup(["user.created", "domain.*"], DOMAINS), ["user.created"]);
  });

  it("keeps the other options of a group that loses one", () => {
    assert.deepEqual(toggleOption(["domain.*"], "domain.created", DOMAINS), ["domain.attached"]);
  });

  it("finds options by their words, their group and their description", () => {
    const found = (text: string) =>
      findOptions([DOMAINS, USERS], text).flatMap(({ options }) => options.map(({ value }) => value));
    assert.deepEqual(found(" "), ["domain.created", "domain.attached", "user.created"]);
    assert.deepEqual(found("created"), ["domain.created", "user.created"]);
    assert.deepEqual(found("Domains https"), ["domain.attached"]);
    assert.deepEqual(found("nothing"), []);
  });
});
