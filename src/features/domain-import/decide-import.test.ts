import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commonOwner, decideImport, type Grouping, ownersOf } from "./decide-import.ts";
import type { ImportLine } from "./read-lines.ts";

const LIMITS = { namesPerGroup: 2, newGroups: 10, groupBy: "registrable-domain" } as const;
const linesOf = (...names: readonly string[]): readonly ImportLine[] =>
  names.map((name, index) => ({ line: index + 1, name, kind: "name", type: "SUBDOMAIN", group: null }));
/** `name customer`, or only the name. */
const linesWith = (...texts: readonly string[]): readonly ImportLine[] =>
  texts.map((text, index) => {
    const [name = "", group = null] = text.split(" ");
    return { line: index + 1, name, kind: "name", type: "SUBDOMAIN", group };
  });
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

  it("groups names by a column, whatever their registrable domains are", () => {
    const lines = linesWith("a.one.com Acme", "a.two.com acme", "b.one.com Bolt", "c.two.com", "d.two.com");
    const plan = decideImport(
      lines,
      { serviceId: "svc", taken: [], groups: [] },
      { ...LIMITS, groupBy: "column" },
    );
    assert.deepEqual(
      plan.fates.map(({ groupName }) => groupName),
      ["Acme", "Acme", "Bolt", "c.two.com", "c.two.com"],
    );
  });

  it("numbers the groups of a customer who needs several", () => {
    const lines = linesWith("a.com Acme", "b.com Acme", "c.com Acme", "d.com Acme");
    const groups = [groupOf("g1", "Acme", 0)].map((group) => ({ ...group, name: "Acme" }));
    const limits = { ...LIMITS, groupBy: "column" } as const;
    const { fates } = decideImport(lines, { serviceId: "svc", taken: [], groups }, limits);
    assert.deepEqual(
      fates.map(({ groupName }) => groupName),
      ["Acme (2)", "Acme (2)", "Acme (3)", "Acme (3)"],
    );
  });

  it("knows the owner of a group only if all its names have one", () => {
    const byZone = ownersOf([], "registrable-domain");
    assert.equal(
      commonOwner(["www.example.co.uk", "*.example.co.uk", "example.co.uk"], byZone),
      "example.co.uk",
    );
    assert.equal(commonOwner(["www.example.com", "www.example.org"], byZone), null);
    assert.equal(commonOwner([], byZone), null);
  });

  it("knows the customer of a group only if the file has all its names", () => {
    const lines = linesWith("a.one.com Acme", "b.two.com Acme", "c.one.com Bolt", "d.one.com", "e.one.com");
    const byColumn = ownersOf(lines, "column");
    assert.notEqual(commonOwner(["a.one.com", "b.two.com"], byColumn), null);
    assert.equal(commonOwner(["d.one.com", "e.one.com"], byColumn), "one.com");
    for (const names of [
      ["a.one.com", "c.one.com"],
      ["a.one.com", "elsewhere.com"],
      ["a.one.com", "d.one.com"],
    ])
      assert.equal(commonOwner(names, byColumn), null, names.join());
  });
});
