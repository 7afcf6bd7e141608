import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DatabaseUnavailableError } from "../../db/database.ts";
import { notFound } from "../../lib/errors.ts";
import { createJoinedCommits } from "./joined-commits.ts";

/** What commits wait for, and what they got. */
function createCommits(refuses: (item: string) => Error | null = () => null) {
  const commits: (readonly string[])[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  let isHeld = true;
  const join = createJoinedCommits(async (items: readonly string[]) => {
    commits.push(items);
    const hold = Promise.withResolvers<void>();
    held.push(hold);
    if (isHeld) await hold.promise;
    for (const item of items) {
      const error = refuses(item);
      if (error !== null) throw error;
    }
    return items.map((item) => `${item} done`);
  });
  return {
    commits,
    join,
    releaseAll: (): void => {
      isHeld = false;
      for (const { resolve } of held) resolve();
    },
    untilBegun: async (count: number): Promise<void> => {
      while (commits.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("commits that are joined", () => {
  it("begin at once when none is under way, and then go together, each with its own answer", async () => {
    const { commits, join, releaseAll, untilBegun } = createCommits();
    const first = join("org", ["a"], "a");
    await untilBegun(1);
    const others = ["b", "c"].map((one) => join("org", [one], one));
    releaseAll();
    assert.deepEqual(await Promise.all([first, ...others]), ["a done", "b done", "c done"]);
    assert.deepEqual(commits, [["a"], ["b", "c"]]);
  });

  it("keep what changes the same apart, in its order", async () => {
    const { commits, join, releaseAll } = createCommits();
    const all = ["1 x", "2 y", "3 x", "4 z"].map((one) => join("org", [one.slice(2)], one));
    releaseAll();
    await Promise.all(all);
    assert.deepEqual(commits, [
      ["1 x", "2 y"],
      ["3 x", "4 z"],
    ]);
  });

  it("keep organizations apart", async () => {
    const { commits, join, releaseAll } = createCommits();
    const all = ["org_1", "org_2"].map((organizationId) => join(organizationId, ["a"], organizationId));
    releaseAll();
    await Promise.all(all);
    assert.deepEqual(commits, [["org_1"], ["org_2"]]);
  });

  it("do not wait long for a commit that waits itself", async () => {
    const { commits, join, releaseAll, untilBegun } = createCommits();
    const first = join("org", ["a"], "a");
    await untilBegun(1);
    const second = join("org", ["b"], "b");
    await untilBegun(2);
    releaseAll();
    await Promise.all([first, second]);
    assert.deepEqual(commits, [["a"], ["b"]]);
  });

  it("are carried out one by one when they are refused together", async () => {
    const refused = notFound();
    const { commits, join, releaseAll } = createCommits((item) => (item === "b" ? refused : null));
    const all = ["a", "b", "c"].map((one) => join("org", [one], one));
    releaseAll();
    assert.deepEqual(await Promise.allSettled(all), [
      { status: "fulfilled", value: "a done" },
      { status: "rejected", reason: refused },
      { status: "fulfilled", value: "c done" },
    ]);
    assert.deepEqual(commits, [["a", "b", "c"], ["a"], ["b"], ["c"]]);
  });

  it("are not repeated when it is unknown whether they took effect", async () => {
    const lost = new DatabaseUnavailableError("The connection was lost.");
    const { commits, join, releaseAll } = createCommits(() => lost);
    const all = ["a", "b"].map((one) => join("org", [one], one));
    releaseAll();
    for (const outcome of await Promise.allSettled(all))
      assert.deepEqual(outcome, { status: "rejected", reason: lost });
    assert.deepEqual(commits, [["a", "b"]]);
  });
});
