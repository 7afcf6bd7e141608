import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Deciders,
  describeApprovers,
  describeDecision,
  listApprovers,
  namesOfApprovers,
  reasonAgainstApproval,
  reasonAgainstDecision,
  reasonByRole,
} from "./approval-rules.ts";

describe("the approval of a deployment", () => {
  it("is not given by who started it", () => {
    assert.equal(reasonAgainstDecision({ startedBy: "user_1" }, "user_2"), null);
    assert.equal(reasonAgainstDecision({ startedBy: null }, "user_2"), null);
    assert.match(reasonAgainstDecision({ startedBy: "user_1" }, "user_1") ?? "", /second person/);
  });
  it("says whom it takes", () => {
    assert.match(describeApprovers({ approvers: "admin" }), /an admin of the project/);
    assert.match(describeApprovers({ approvers: "developer" }), /a developer or an admin/);
  });
  it("says what became of it", () => {
    assert.equal(describeDecision({ status: "APPROVED", isBypass: false }, "Ann"), "Approved by Ann");
    assert.equal(
      describeDecision({ status: "APPROVED", isBypass: true }, "Ann"),
      "Begun by Ann without a second person",
    );
    assert.equal(describeDecision({ status: "REJECTED", isBypass: false }, null), "Rejected");
    assert.equal(describeDecision({ status: "TIMED_OUT", isBypass: false }, null), "Not approved in time");
  });
});

describe("the people who may approve", () => {
  const person = (id: string, role: "viewer" | "developer" | "admin") =>
    ({ id, name: id, role, kind: "person" }) as const;
  const users = [
    person("Zoe", "admin"),
    person("Dora", "developer"),
    person("Ann", "developer"),
    person("Vera", "viewer"),
    { id: "CI", name: "CI", role: "admin", kind: "service" } as const,
  ];
  const open: Deciders = {
    users,
    members: [],
    access: "organization",
    approvers: "developer",
    deployers: "developer",
    startedBy: "Dora",
  };

  it("have the role in the project, and have not started it", () => {
    assert.deepEqual(namesOfApprovers(open), ["Ann", "Zoe"]);
    assert.deepEqual(namesOfApprovers({ ...open, members: [{ userId: "Vera", role: "developer" }] }), [
      "Ann",
      "Vera",
      "Zoe",
    ]);
  });

  it("are only its members and admins of the organization if it is closed to others", () => {
    const closed = { ...open, access: "members" as const };
    assert.deepEqual(namesOfApprovers(closed), ["Zoe"]);
    assert.deepEqual(namesOfApprovers({ ...closed, members: [{ userId: "Vera", role: "developer" }] }), [
      "Vera",
      "Zoe",
    ]);
  });

  it("are admins if the environment asks for them, to approve or to deploy", () => {
    assert.deepEqual(namesOfApprovers({ ...open, approvers: "admin" }), ["Zoe"]);
    assert.deepEqual(namesOfApprovers({ ...open, deployers: "admin" }), ["Zoe"]);
  });

  it("are named in a sentence", () => {
    assert.equal(listApprovers(["Ann", "Zoe"], "Ann"), "Zoe may approve it too.");
    assert.equal(listApprovers(["Ann"], "Ann"), "Only you may approve it.");
    assert.equal(listApprovers(["Ann", "Ben", "Zoe"], null), "Ann, Ben and Zoe may approve it.");
    assert.equal(listApprovers([], null), "No other user has the role for it in this project.");
    assert.equal(
      listApprovers(["A", "B", "C", "D", "E", "F"], null),
      "A, B, C, D and 2 more may approve it.",
    );
  });
});

describe("why a user must not approve", () => {
  const refused = { allowed: false, refusedBy: "role", neededRole: "admin", neededScope: null } as const;
  const target = { projectId: "proj_1", environmentId: "env_1" };
  const given = { operations: { updateEnvironment: refused }, admins: [] };

  it("is the role that the environment asks for, or that they started it", () => {
    const reason = (approvers: "developer" | "admin", startedBy: string) =>
      reasonAgainstApproval(given, { approvers }, { startedBy }, "me", target);
    assert.equal(reason("developer", "other"), null);
    assert.match(reason("admin", "other") ?? "", /role admin/);
    assert.match(reason("developer", "me") ?? "", /second person/);
  });

  it("is, for the commit of a fork, the role that the preview waits for", () => {
    const developer = { deciding: null, protecting: "Ask Ann." };
    assert.equal(reasonByRole(developer, "developer"), null);
    assert.equal(reasonByRole(developer, "admin"), "Ask Ann.");
    assert.equal(reasonByRole({ deciding: null, protecting: null }, "admin"), null);
    assert.equal(reasonByRole({ deciding: "Read only.", protecting: "Ask Ann." }, "developer"), "Read only.");
  });
});
