import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stackColumns } from "./columns.ts";

describe("the columns of a picture", () => {
  it("are as tall as their sums, and stand on the ground", () => {
    assert.deepEqual(stackColumns([[1, 1], [4, 0], []]), [
      [
        { y: 75, height: 25 },
        { y: 50, height: 25 },
      ],
      [
        { y: 0, height: 100 },
        { y: 0, height: 0 },
      ],
      [],
    ]);
  });

  it("show what is small beside the rest, and stay in the picture", () => {
    const [[large, small] = []] = stackColumns([[9_999, 1]]);
    assert.ok(small !== undefined && small.height > 3 && Math.abs(small.y) < 1e-9, JSON.stringify(small));
    assert.ok(Math.abs((large?.height ?? 0) + small.height - 100) < 1e-9, JSON.stringify(large));
  });

  it("are flat without anything", () => {
    assert.deepEqual(stackColumns([[0], [0]]), [[{ y: 100, height: 0 }], [{ y: 100, height: 0 }]]);
    assert.deepEqual(stackColumns([]), []);
  });
});
