import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideImport, type Grouping, ownerOf } from "./decide-import.ts";
import type { ImportLine } from "./read-lines.ts";

const LIMITS = { namesPerGroup: 2, newGroups: 10, groupBy: "registrable-domain" } as const;
const linesOf = (...names: readonly string[]): readonly ImportLine[] =>
  names.map((name, index) => ({ line: index + 1, name, kind: "name", type: "SUBDOMAIN" }));
const groupOf = (id: string, owner: string, room: number) => ({ id, name: `${id}.${owner}`, owner, room });

describe("an import", () => {
  const decide = (
    names: readonly string[],
    groups: readonly ReturnType<typeof groupOf>[],
    limits: {
      readonly namesPerGroup: number;
      readonly newGroups: number;
      readonly groupBy: Grouping;
    } = LIMITS,
  ) => {
    const plan = decideImport(linesOf(...names), { serviceId: "svc", taken: [], groups }, limits);
    return plan.fates.map(({ fate, groupName }) => (fate === "accepted" ? groupName : fate));
  };

  it("never puts names of two owners into one group", () => {
    assert.deepEqual(decide(["a.one.com", "a.two.com", "b.one.com", "b.two.com"], []), [
      "a.one.com",
      "a.two.com",
      "a.one.com",
      "a.two.com",
    ]);
    assert.deepEqual(decide(["alice.github.io", "bob.github.io"], []), ["alice.github.io", "bob.github.io"]);
  });

  it("fills groups of the same owner that exist, and no others", () => {
    const groups = [groupOf("g1", "one.com", 1), groupOf("g2", "two.com", 50)];
    assert.deepEqual(decide(["a.one.com", "b.one.com", "a.three.com"], groups), [
      "g1.one.com",
      "b.one.com",
      "a.three.com",
    ]);
  });

  it("puts names of several owners together only if that is requested, and then into new groups", () => {
    const limits = { ...LIMITS, groupBy: "none" } as const;
    const groups = [groupOf("g1", "one.com", 50)];
    assert.deepEqual(decide(["a.one.com", "a.two.com", "a.three.com"], groups, limits), [
      "a.one.com",
      "a.one.com",
      "a.three.com",
    ]);
  });

  it("leaves out names that need more groups than the quota allows, and still fills the present groups", () => {
    const limits = { ...LIMITS, newGroups: 1 };
    assert.deepEqual(decide(["a.one.com", "a.two.com", "b.one.com", "c.one.com"], [], limits), [
      "a.one.com",
      "quota",
      "a.one.com",
      "quota",
    ]);
  });

  it("knows the owner of a group only if all its names have one", () => {
    assert.equal(ownerOf(["www.example.co.uk", "*.example.co.uk", "example.co.uk"]), "example.co.uk");
    assert.equal(ownerOf(["www.example.com", "www.example.org"]), null);
    assert.equal(ownerOf([]), null);
  });
});
