import assert from "node:assert/strict";
import { test } from "node:test";
import { findReplacement, shapeOf } from "./shapes.ts";

test("what is left out keeps its value, and is chosen for a new store", () => {
  const fresh = shapeOf({ type: "postgres", deletionProtection: true }, null);
  assert.deepEqual(fresh, {
    type: "postgres",
    version: "17",
    size: "micro",
    storageGb: 20,
    backupRetentionDays: 7,
    deletionProtection: true,
  });
  const larger = shapeOf({ type: "postgres", storageGb: 50, deletionProtection: false }, fresh);
  assert.deepEqual(larger, { ...fresh, storageGb: 50, deletionProtection: false });
  assert.deepEqual(shapeOf({ type: "postgres", deletionProtection: false }, larger), larger);
  assert.equal(findReplacement(fresh, larger), null);
});

test("another type, another version and less storage would replace data", () => {
  const present = shapeOf({ type: "mysql", storageGb: 50, deletionProtection: true }, null);
  const cases = [
    [shapeOf({ type: "postgres", deletionProtection: true }, null), /mysql, and cannot become postgres/],
    [
      shapeOf({ type: "mysql", version: "8.0", deletionProtection: true }, present),
      /8\.4, which cannot become 8\.0/,
    ],
    [
      shapeOf({ type: "mysql", storageGb: 49, deletionProtection: true }, present),
      /50 GB.* cannot become 49 GB/,
    ],
  ] as const;
  for (const [next, words] of cases) assert.match(findReplacement(present, next) ?? "", words);
});
