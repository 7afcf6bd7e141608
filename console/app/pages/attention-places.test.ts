import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Attention, AttentionCode, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { placeOfAttention } from "./attention-places.ts";

const PROJECT = {
  id: "proj_1",
  awsAccountId: "aws_1",
  environments: [{ id: "env_1", lastDeployment: { id: "depl_1" } }],
} as unknown as ProjectRow;

describe("what needs attention", () => {
  it("leads to the page where it is solved, whatever it is", () => {
    const placeOf = (code: AttentionCode, environmentId: Attention["environmentId"] = "env_1") =>
      placeOfAttention({ code, environmentId, count: 1 }, PROJECT).to;
    assert.equal(placeOf("ACCOUNT_NOT_CONNECTED", null), "/accounts/aws_1");
    assert.equal(placeOf("DEPLOYMENT_FAILED"), "/deployments/depl_1");
    assert.equal(placeOf("APPROVAL_AWAITED"), "/approvals");
    assert.equal(placeOf("FORK_AWAITS_APPROVAL"), "/approvals");
    assert.equal(placeOf("DOMAINS_AWAIT_RECORDS"), "/domains");
    assert.equal(placeOf("DOMAINS_IN_ERROR"), "/domains");
    assert.equal(placeOf("REDEPLOY_PENDING"), "/environments/env_1/variables");
    assert.equal(placeOf("NEWER" as "REDEPLOY_PENDING"), "/projects/proj_1");
  });
});
