import assert from "node:assert/strict";
import { it } from "node:test";
import { findBranches } from "./find-branches.ts";

const named = (...names: readonly string[]) => names.map((name) => ({ name, commit: "4f1c2b7" }));
const many = Array.from({ length: 3_000 }, (_, index) => `feature/${String(index).padStart(4, "0")}`);

it("finds one of 3,000 branches by a part of its name, and has at most 100 of them", () => {
  const branches = named(...many, "main");
  const all = findBranches(branches);
  assert.deepEqual([all.branches.length, all.branches[0]?.name, all.hasMore], [100, "main", true]);
  assert.deepEqual(findBranches(branches, "URE/2999"), { branches: named("feature/2999"), hasMore: false });
  assert.equal(findBranches(branches, "feature/").hasMore, true);
  assert.deepEqual(findBranches(branches, "none"), { branches: [], hasMore: false });
});

it("puts the usual default branches first, then goes by name", () => {
  const { branches, hasMore } = findBranches(named("z", "master", "a", "main"));
  assert.deepEqual([branches.map(({ name }) => name), hasMore], [["main", "master", "a", "z"], false]);
});
