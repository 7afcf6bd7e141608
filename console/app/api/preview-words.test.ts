import assert from "node:assert/strict";
import { it } from "node:test";
import type { EnvironmentRow, LastDeployment, PullRequest } from "../../../sdk/src/generated/types.ts";
import { describePreview, titleOfPreview } from "./preview-words.ts";

const after = (status: LastDeployment["status"]): Pick<EnvironmentRow, "state" | "lastDeployment"> => ({
  state: "NOT_LIVE",
  lastDeployment: { status } as LastDeployment,
});

it("says how far a preview is, and who acts next", () => {
  const of = (...given: Parameters<typeof describePreview>) => {
    const { words, next } = describePreview(...given);
    return `${words}: ${next.split(":")[0] ?? ""}`;
  };
  const active = { state: "ACTIVE", reason: null } as const;
  assert.equal(of(active, undefined), "Deploying: Slipway");
  assert.equal(of(active, after("BUILDING")), "Deploying: Slipway");
  assert.equal(of(active, after("BUILD_ERROR")), "Failed: The author");
  assert.equal(of(active, after("CANCELLED")), "Cancelled: A member");
  assert.equal(of(active, after("SUCCESS")), "Live: Reviewers");
  const asleep = { state: "SLEEPING", reason: null } as const;
  assert.equal(of(asleep, after("SUCCESS")), "Asleep: Reviewers");
  assert.equal(of(asleep, after("BUILDING")), "Deploying: Slipway");
  const waiting = { state: "WAITING_FOR_APPROVAL", reason: null } as const;
  assert.equal(of(waiting, undefined), "Awaiting approval: A member");
  assert.equal(of(waiting, after("SUCCESS")), "Awaiting approval: A member");
  assert.equal(of({ ...waiting, waitsFor: "admin" }, undefined), "Awaiting approval: An admin");
  assert.equal(of({ ...waiting, state: "WAITING_FOR_CAPACITY" }, undefined), "Waiting for room: Slipway");
  assert.equal(of({ state: "ENDED", reason: "It expired." }, undefined), "Ended: It expired.");
  assert.equal(of({ state: "DELETING", reason: null }, undefined), "Deleting: Slipway");
});

it("names a preview by its pull request, or by its key", () => {
  const pullRequest = { number: 12, title: "Add a cart" } as PullRequest;
  assert.equal(titleOfPreview({ key: "pr-12", pullRequest }), "#12 Add a cart");
  assert.equal(titleOfPreview({ key: "pr-12", pullRequest: { ...pullRequest, title: " " } }), "#12");
  assert.equal(titleOfPreview({ key: "change-1", pullRequest: null }), "change-1");
});
