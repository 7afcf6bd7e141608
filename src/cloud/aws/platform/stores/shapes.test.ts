import assert from "node:assert/strict";
import { test } from "node:test";
import { findFault } from "./find-fault.ts";
import { findReplacement, findSmallGrowth, shapeOf } from "./shapes.ts";

test("statuses of AWS in which a store does not work are faults, and others are not", () => {
  const table = {
    STORE_DELETED: [null, "deleting"],
    STORE_STOPPED: ["stopped", "stopping", "starting"],
    STORAGE_FULL: ["storage-full"],
    STORE_FAILED: ["failed", "incompatible-network", "inaccessible-encryption-credentials", "create-failed"],
    none: ["available", "backing-up", "modifying", "maintenance", "rebooting", "snapshotting", "creating"],
  };
  for (const [code, statuses] of Object.entries(table))
    for (const status of statuses)
      assert.equal(findFault("RDS", status)?.code ?? "none", code, String(status));
});

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

test("storage grows by a tenth or more", () => {
  const of = (storageGb: number) => shapeOf({ type: "postgres", storageGb, deletionProtection: true }, null);
  for (const [before, after] of [
    [20, 20],
    [20, 22],
    [25, 28],
    [50, 55],
    [50, 49],
  ] as const)
    assert.equal(findSmallGrowth(of(before), of(after)), null, `${before} to ${after}`);
  assert.match(findSmallGrowth(of(20), of(21)) ?? "", /has 20 GB .* storageGb: 22 or more/);
  assert.match(findSmallGrowth(of(25), of(27)) ?? "", /storageGb: 28 or more/);
  const cache = shapeOf({ type: "redis", deletionProtection: true }, null);
  assert.equal(findSmallGrowth(cache, cache), null);
});
