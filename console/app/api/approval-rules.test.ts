import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonAgainstDecision, tellApprovers, emitDecision } from "./approval-rules.ts";

describe("the approval of a deployment", () => {
  it("is not given by who started it", () => {
    assert.equal(reasonAgainstDecision({ startedBy: "user_1" }, "user_2"), null);
    assert.equal(reasonAgainstDecision({ startedBy: null }, "user_2"), null);
    assert.match(reasonAgainstDecision({ startedBy: "user_1" }, "user_1") ?? "", /second person/);
  });
  it("says whom it takes", () => {
    assert.match(tellApprovers({ approvers: "admin" }), /an admin of the project/);
    assert.match(tellApprovers({ approvers: "developer" }), /a developer or an admin/);
  });
  it("says what became of it", () => {
    assert.equal(emitDecision({ status: "APPROVED", isBypass: false }, "Ann"), "Approved by Ann");
    assert.equal(
      emitDecision({ status: "APPROVED", isBypass: true }, "Ann"),
      "Begun by Ann without a second person",
    );
    assert.equal(emitDecision({ status: "REJECTED", isBypass: false }, null), "Rejected");
    assert.equal(emitDecision({ status: "TIMED_OUT", isBypass: false }, null), "Not approved in time");
  });
});
