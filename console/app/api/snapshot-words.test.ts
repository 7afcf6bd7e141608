import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  hasSnapshots,
  isChanging,
  reasonAgainstDeletion,
  reasonAgainstRestore,
  reasonAgainstSnapshot,
  restoredIdOf,
  restoreLines,
  tellBytes,
  tellFailure,
  tellReason,
} from "./snapshot-words.ts";

const STORE = { status: "AVAILABLE", version: "17", waitingFor: null, failure: null } as const;
const FAILURE = { code: "SNAPSHOT_FAILED", message: "The disk is full." };
const STATUSES = ["CREATING", "AVAILABLE", "FAILED", "DELETING"] as const;

describe("the words of snapshots", () => {
  it("say why one was taken, and what went wrong", () => {
    assert.equal(tellReason({ reason: "manual" }), "on request");
    assert.equal(tellReason({ reason: "final" }), "before the deletion");
    assert.equal(tellFailure({ status: "AVAILABLE", failure: null }), null);
    assert.equal(tellFailure({ status: "FAILED", failure: FAILURE }), "The disk is full.");
    assert.match(
      tellFailure({ status: "CREATING", failure: FAILURE }) ?? "",
      /^Its data store cannot be deleted\. .*The disk is full\.$/,
    );
    assert.match(
      tellFailure({ status: "DELETING", failure: FAILURE }) ?? "",
      /^It cannot be deleted\. .*The disk is full\.$/,
    );
  });

  it("say how large one is", () => {
    const sizes = [0, 999, 1_000, 41_943_040, 99_949_999, 99_950_000, 999_499_999, 999_500_000, 2e12, 5e15];
    assert.deepEqual(sizes.map(tellBytes), [
      "0 B",
      "999 B",
      "1.0 kB",
      "41.9 MB",
      "99.9 MB",
      "100 MB",
      "999 MB",
      "1.0 GB",
      "2.0 TB",
      "5000 TB",
    ]);
  });

  it("offer them where Slipway takes them", () => {
    assert.equal(hasSnapshots({ type: "postgres", dataStore: STORE }), true);
    assert.equal(hasSnapshots({ type: "bucket", dataStore: STORE }), false);
    assert.equal(hasSnapshots({ type: "postgres", dataStore: null }), false);
  });

  it("take none of what has no data, and one at a time", () => {
    assert.equal(reasonAgainstSnapshot(STORE, [{ status: "AVAILABLE" }, { status: "DELETING" }]), null);
    assert.match(reasonAgainstSnapshot(STORE, [{ status: "CREATING" }]) ?? "", /being taken/);
    assert.equal(reasonAgainstSnapshot({ ...STORE, status: "CREATING" }, []), null);
    assert.match(reasonAgainstSnapshot({ ...STORE, status: "FAILED" }, []) ?? "", /no data/);
  });

  it("restore what is available, and delete what is not being taken or deleted", () => {
    const permitted = (reason: typeof reasonAgainstRestore) =>
      STATUSES.filter((status) => reason({ status }) === null);
    assert.deepEqual(permitted(reasonAgainstRestore), ["AVAILABLE"]);
    assert.deepEqual(permitted(reasonAgainstDeletion), ["AVAILABLE", "FAILED"]);
    assert.deepEqual(
      STATUSES.filter((status) => isChanging({ status })),
      ["CREATING", "DELETING"],
    );
  });

  it("write the lines of a data store that is created from one", () => {
    const snapshot = { id: "snap_1", type: "postgres", serviceConfigId: "db" } as const;
    assert.deepEqual(JSON.parse(restoreLines(snapshot, null)), {
      id: "db-restored",
      type: "postgres",
      snapshot: "snap_1",
    });
    const settings = { version: "16", storageGb: 50, deletionProtection: false, snapshot: "snap_0" };
    assert.deepEqual(JSON.parse(restoreLines(snapshot, settings)), {
      id: "db-restored",
      type: "postgres",
      version: "16",
      storageGb: 50,
      snapshot: "snap_1",
    });
    assert.equal(restoredIdOf({ serviceConfigId: "x".repeat(60) }).length, 60);
  });
});
