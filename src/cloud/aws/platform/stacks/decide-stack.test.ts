import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  decideAddition,
  decideExistence,
  decideStack,
  type Outcome,
  outcomeOf,
  type StackStep,
} from "./decide-stack.ts";

describe("the next step towards a stack as an operation wants it", () => {
  const rows: readonly [string | null, Outcome | null, StackStep][] = [
    [null, null, "create"],
    ["DELETE_COMPLETE", "succeeded", "create"],
    ["CREATE_IN_PROGRESS", null, "wait"],
    ["CREATE_IN_PROGRESS", "running", "wait"],
    ["CREATE_COMPLETE", null, "update"],
    ["CREATE_COMPLETE", "succeeded", "done"],
    ["UPDATE_COMPLETE", null, "update"],
    ["UPDATE_COMPLETE", "succeeded", "done"],
    // It ended between the two looks; the outputs are those of before.
    ["UPDATE_IN_PROGRESS", "succeeded", "wait"],
    // Another's update went over ours and came to rest.
    ["UPDATE_ROLLBACK_COMPLETE", "running", "failed"],
    ["UPDATE_ROLLBACK_COMPLETE", "failed", "failed"],
    ["UPDATE_ROLLBACK_COMPLETE", null, "update"],
    ["UPDATE_IN_PROGRESS", null, "breakOff"],
    ["UPDATE_IN_PROGRESS", "running", "wait"],
    // What the update replaced is still being deleted; the new is in place.
    ["UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "succeeded", "done"],
    ["UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", null, "wait"],
    ["UPDATE_ROLLBACK_IN_PROGRESS", "failed", "wait"],
    ["ROLLBACK_IN_PROGRESS", "running", "wait"],
    ["DELETE_IN_PROGRESS", null, "wait"],
    ["ROLLBACK_COMPLETE", null, "delete"],
    ["ROLLBACK_COMPLETE", "failed", "failed"],
    ["CREATE_FAILED", null, "delete"],
    ["DELETE_FAILED", null, "delete"],
    ["UPDATE_ROLLBACK_FAILED", null, "continueRollback"],
    ["UPDATE_ROLLBACK_FAILED", "failed", "failed"],
  ];
  for (const [status, outcome, step] of rows) {
    test(`from ${status ?? "no stack"}, the operation ${outcome ?? "not begun"}, is to ${step}`, () => {
      assert.equal(decideStack(status, { desired: outcome, fixing: null }), step);
    });
  }
});

describe("a stack that has to be fixed first", () => {
  const rows: readonly [string, Outcome | null, StackStep][] = [
    ["UPDATE_ROLLBACK_FAILED", null, "continueRollback"],
    ["UPDATE_ROLLBACK_FAILED", "running", "continueRollback"],
    ["UPDATE_ROLLBACK_FAILED", "failed", "stuck"],
    ["UPDATE_ROLLBACK_IN_PROGRESS", "running", "wait"],
    // The rollback has come to its end, and the update's turn.
    ["UPDATE_ROLLBACK_COMPLETE", "failed", "update"],
    ["DELETE_FAILED", null, "delete"],
    ["DELETE_FAILED", "failed", "stuck"],
    ["ROLLBACK_FAILED", null, "delete"],
    // A change set that was created but never executed.
    ["REVIEW_IN_PROGRESS", null, "delete"],
    // Another update, without a rollback.
    ["UPDATE_FAILED", null, "update"],
    ["IMPORT_COMPLETE", null, "update"],
  ];
  for (const [status, fixing, step] of rows) {
    test(`at ${status}, its fixing ${fixing ?? "not begun"}, is to ${step}`, () => {
      assert.equal(decideStack(status, { desired: null, fixing }), step);
    });
  }

  test("whose fix failed too is stuck, even if it only has to exist", () => {
    assert.equal(decideExistence("DELETE_FAILED", { desired: null, fixing: "failed" }), "stuck");
    assert.equal(decideExistence("REVIEW_IN_PROGRESS", { desired: null, fixing: null }), "delete");
  });
});

describe("the next step towards a stack that exists", () => {
  const rows: readonly [string | null, Outcome | null, StackStep][] = [
    [null, null, "create"],
    ["CREATE_IN_PROGRESS", null, "wait"],
    ["ROLLBACK_IN_PROGRESS", "running", "wait"],
    ["DELETE_IN_PROGRESS", null, "wait"],
    ["CREATE_COMPLETE", null, "done"],
    ["UPDATE_IN_PROGRESS", null, "done"],
    ["UPDATE_ROLLBACK_FAILED", null, "done"],
    ["ROLLBACK_COMPLETE", "failed", "failed"],
    ["ROLLBACK_COMPLETE", null, "delete"],
    ["DELETE_FAILED", null, "delete"],
  ];
  for (const [status, outcome, step] of rows) {
    test(`from ${status ?? "no stack"}, its creation ${outcome ?? "another's"}, is to ${step}`, () => {
      assert.equal(decideExistence(status, { desired: outcome, fixing: null }), step);
    });
  }
});

describe("the next step towards a stack with an addition that it lacks", () => {
  const rows: readonly [string | null, Outcome | null, Outcome | null, StackStep][] = [
    [null, null, null, "create"],
    ["CREATE_IN_PROGRESS", null, null, "wait"],
    ["CREATE_COMPLETE", null, null, "update"],
    ["UPDATE_COMPLETE", null, null, "update"],
    // Another release's update, which may add the same.
    ["UPDATE_IN_PROGRESS", null, null, "wait"],
    ["UPDATE_IN_PROGRESS", "running", null, "wait"],
    ["UPDATE_ROLLBACK_IN_PROGRESS", "failed", null, "wait"],
    // It ended between the two looks; the outputs are those of before.
    ["UPDATE_COMPLETE", "succeeded", null, "wait"],
    ["UPDATE_ROLLBACK_COMPLETE", "failed", null, "failed"],
    ["UPDATE_ROLLBACK_COMPLETE", null, null, "update"],
    ["UPDATE_ROLLBACK_FAILED", null, null, "continueRollback"],
    ["UPDATE_ROLLBACK_FAILED", null, "failed", "stuck"],
    ["UPDATE_ROLLBACK_FAILED", "failed", null, "failed"],
    ["ROLLBACK_COMPLETE", null, null, "delete"],
    ["DELETE_FAILED", null, "failed", "stuck"],
    ["DELETE_IN_PROGRESS", null, null, "wait"],
  ];
  for (const [status, desired, fixing, step] of rows) {
    test(`from ${status ?? "no stack"}, the addition ${desired ?? "not begun"}, fixing ${fixing ?? "not begun"}: ${step}`, () => {
      assert.equal(decideAddition(status, { desired, fixing }), step);
    });
  }
});

test("an operation has succeeded when its changes are done, even during its cleanup", () => {
  assert.deepEqual(
    ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"].map(outcomeOf),
    ["succeeded", "succeeded", "succeeded"],
  );
  assert.deepEqual(
    ["UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_FAILED"].map(
      outcomeOf,
    ),
    ["running", "running", "failed", "failed"],
  );
});
