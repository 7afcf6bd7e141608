import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  DeployedService,
  DeploymentApproval,
  DeploymentDetails,
} from "../../../sdk/src/generated/types.ts";
import {
  failureOf,
  nextStepFor,
  placeFor,
  reasonAgainstCancel,
  reasonAgainstNewest,
  reasonAgainstRedeploy,
  reasonAgainstRollback,
  stepsOf,
  titleOfCommit,
} from "./deployment-rules.ts";

const AT = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();

const WAITING: DeploymentDetails = {
  id: "dep_1",
  projectId: "proj_1",
  environmentId: "env_1",
  branch: "main",
  commit: "0123456",
  commitHash: "0123456789",
  commitMessage: "Open the shop\n\nAt last.",
  commitAuthor: "Ann",
  trigger: "api",
  startedBy: null,
  rollbackOf: null,
  restartedServiceId: null,
  status: "PENDING",
  statusReason: null,
  error: null,
  cancelRequestedAt: null,
  startedAt: null,
  endedAt: null,
  createdAt: AT(0),
  updatedAt: AT(0),
  environments: [],
  services: [],
  approvals: [],
};
const SERVICE: DeployedService = {
  id: "svc_1",
  environmentId: "env_1",
  configId: "web",
  name: "Web",
  type: "web",
  status: "BUILDING",
  error: null,
  artifact: null,
  url: null,
  postDeploy: null,
  buildStartedAt: AT(10),
  buildEndedAt: null,
  releaseStartedAt: null,
  endedAt: null,
};
const BUILDING: DeploymentDetails = { ...WAITING, status: "BUILDING", startedAt: AT(5), services: [SERVICE] };
const states = (deployment: DeploymentDetails) => stepsOf(deployment).map(({ state }) => state);

const LIVE = { status: "SUCCESS", endedAt: "2026-11-20T09:09:00.000Z" } as const;

describe("the steps of a deployment that a second person approves", () => {
  const asked: DeploymentApproval = {
    environmentId: "env_1",
    configId: "production",
    approvers: "admin",
    status: "WAITING",
    requestedAt: AT(2),
    expiresAt: AT(59),
    decidedBy: null,
    decidedAt: null,
    comment: null,
    isBypass: false,
  };
  it("have the approval, which is the only step under way while it waits", () => {
    const held: DeploymentDetails = { ...WAITING, status: "PENDING_APPROVAL", approvals: [asked] };
    assert.deepEqual(states(held), ["done", "busy", "waiting", "waiting", "waiting"]);
    const decided = { ...asked, status: "APPROVED", decidedAt: AT(4) } as const;
    assert.deepEqual(states({ ...BUILDING, approvals: [decided] }).slice(0, 3), ["done", "done", "done"]);
    const rejected = { ...asked, status: "REJECTED", decidedAt: AT(4) } as const;
    const ended: DeploymentDetails = {
      ...WAITING,
      status: "CANCELLED",
      endedAt: AT(4),
      approvals: [rejected],
    };
    assert.deepEqual(states(ended), ["stopped", "stopped", "skipped", "skipped", "skipped"]);
  });
});

describe("what a deployment's state permits", () => {
  it("cancels what has not ended, once", () => {
    assert.equal(reasonAgainstCancel(WAITING), null);
    assert.equal(
      reasonAgainstCancel({ ...WAITING, cancelRequestedAt: AT(1) }),
      "It is being cancelled already.",
    );
    assert.equal(reasonAgainstCancel({ ...WAITING, endedAt: AT(1) }), "It has ended.");
  });

  it("deploys the newest commit only if it is known and another one", () => {
    const at = { environmentId: "env_1", branch: "main", commitHash: "a" };
    const newest = { commit: "b", commitHash: "b", commitMessage: null, commitAuthor: null };
    const drift = { branch: "main", newest, problem: null, state: "BEHIND", services: [] } as const;
    assert.equal(reasonAgainstNewest(at, drift, false), null);
    assert.match(reasonAgainstNewest({ ...at, commitHash: "b" }, drift, false) ?? "", /^This is the newest/);
    assert.equal(reasonAgainstNewest(at, { ...drift, newest: null, problem: "Away." }, false), "Away.");
    assert.match(reasonAgainstNewest(at, null, false) ?? "", /^Asking/);
  });

  it("rolls back to what went live, and repeats what has ended", () => {
    assert.equal(reasonAgainstRollback({ ...WAITING, ...LIVE, isLive: false }), null);
    assert.equal(reasonAgainstRollback({ ...WAITING, ...LIVE, isLive: true }), "It is live now.");
    assert.equal(reasonAgainstRollback({ ...BUILDING, isLive: false }), "It has not ended.");
    assert.equal(
      reasonAgainstRollback({ ...WAITING, ...LIVE, trigger: "restart", isLive: true }),
      "It only restarted a service.",
    );
    assert.notEqual(
      reasonAgainstRollback({ ...WAITING, status: "CANCELLED", endedAt: AT(9), isLive: false }),
      null,
    );
    assert.equal(reasonAgainstRedeploy({ endedAt: AT(9) }), null);
    assert.notEqual(reasonAgainstRedeploy(WAITING), null);
  });
});

describe("the steps of a deployment", () => {
  it("go from waiting to live", () => {
    assert.deepEqual(states(WAITING), ["busy", "waiting", "waiting", "waiting"]);
    assert.deepEqual(states(BUILDING), ["done", "done", "busy", "waiting"]);
    const live: DeploymentDetails = {
      ...BUILDING,
      status: "SUCCESS",
      endedAt: AT(30),
      services: [{ ...SERVICE, buildEndedAt: AT(20), releaseStartedAt: AT(21), endedAt: AT(30) }],
    };
    assert.deepEqual(stepsOf(live), [
      { name: "Waiting", state: "done", from: AT(0), to: AT(5) },
      { name: "Planning", state: "done", from: AT(5), to: AT(10) },
      { name: "Building", state: "done", from: AT(10), to: AT(21) },
      { name: "Releasing", state: "done", from: AT(21), to: AT(30) },
    ]);
  });

  it("skip the build of a rollback, and end where it failed or was stopped", () => {
    const rollback = [{ ...SERVICE, buildStartedAt: null, releaseStartedAt: AT(6) }];
    assert.deepEqual(states({ ...BUILDING, status: "DEPLOYING", services: rollback }), [
      "done",
      "done",
      "skipped",
      "busy",
    ]);
    const ended = { ...BUILDING, endedAt: AT(30) };
    assert.deepEqual(states({ ...ended, status: "BUILD_ERROR" }), ["done", "done", "failed", "skipped"]);
    assert.deepEqual(states({ ...ended, status: "CANCELLED" }), ["done", "done", "stopped", "skipped"]);
  });
});

describe("a failed deployment", () => {
  const nameOf = () => "Production";

  it("names the first cause, not what follows from it", () => {
    const following = { code: "OTHER_BUILD_FAILED", message: "Another build failed." };
    const cause = { code: "BUILD_FAILED", message: "It ended with 2." };
    const failure = failureOf(
      {
        ...BUILDING,
        status: "BUILD_ERROR",
        services: [
          { ...SERVICE, error: following },
          { ...SERVICE, id: "svc_2", name: "API", error: cause },
        ],
      },
      nameOf,
    );
    assert.equal(failure?.title, "API could not be built");
    assert.equal(failure.error, cause);
    assert.match(nextStepFor(cause), /push, and deploy again/);
    assert.equal(
      nextStepFor({ code: "NEW", message: "" }),
      "Correct what the message says, then deploy again.",
    );
  });

  it("leads to where its cause is corrected, and nowhere if that is the repository or not known", () => {
    const placeOf = (code: string) => placeFor({ code, message: "" });
    assert.equal(placeOf("PROCESS_ENDED"), "variables");
    assert.equal(placeOf("DATA_STORE_FAILED"), "data stores");
    assert.match(nextStepFor({ code: "DATA_STORE_FAILED", message: "" }), /data store/);
    assert.equal(placeOf("STACK_OUTDATED"), "cloud accounts");
    assert.equal(placeOf("TOKEN_REFUSED"), "git integrations");
    assert.equal(placeOf("CONFIG_INVALID"), null);
    assert.equal(placeOf("IMAGE_NOT_FOUND"), null);
    assert.equal(placeOf("NEW"), null);
  });

  it("reports a fault of the whole, and nothing of successful parts", () => {
    const error = { code: "CONFIG_INVALID", message: "Not valid." };
    assert.equal(failureOf({ ...WAITING, status: "ERROR", error }, nameOf)?.error, error);
    assert.equal(failureOf({ ...WAITING, status: "SUCCESS" }, nameOf), null);
  });
});

describe("a commit in words", () => {
  it("is the first line of its message, or its hash", () => {
    assert.equal(titleOfCommit(WAITING), "Open the shop");
    assert.equal(titleOfCommit({ commitMessage: null, commit: "0123456" }), "Commit 0123456");
  });
});
