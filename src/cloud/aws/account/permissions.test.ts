import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { APIS } from "../calls/apis.ts";
import { isLost, requiredPermissions } from "./permissions.ts";

const ACCOUNT = {
  connectionId: "aws_0123456789abcdefghijklmnop",
  accountId: "123456789012",
  roleArn: "arn:aws:iam::123456789012:role/slipway-access-AccessRole-1",
};

test("every operation that each customer allows is among the checked permissions", () => {
  const checked = new Set(requiredPermissions(ACCOUNT).flatMap(({ actions }) => actions));
  const unchecked = Object.keys(APIS).filter((api) => !checked.has(api) && !api.startsWith("route53:"));
  // The simulation's own action.
  assert.deepEqual(unchecked, ["iam:SimulatePrincipalPolicy"]);
});

describe("a permission is lost", () => {
  const cases: readonly (readonly [string, Parameters<typeof isLost>[0], boolean])[] = [
    ["when nothing allows it", { EvalDecision: "implicitDeny", MissingContextValues: [] }, true],
    ["when a policy denies it", { EvalDecision: "explicitDeny" }, true],
    ["not while it is allowed", { EvalDecision: "allowed" }, false],
    [
      "not for sure when a policy asks for what only a real request has",
      { EvalDecision: "implicitDeny", MissingContextValues: ["aws:RequestedRegion"] },
      false,
    ],
    [
      "not for sure when it is the organization's policies that seem to deny",
      { EvalDecision: "implicitDeny", OrganizationsDecisionDetail: { AllowedByOrganizations: false } },
      false,
    ],
    ["not for sure when IAM says something new", { EvalDecision: "perhaps" as "allowed" }, false],
  ];
  for (const [name, evaluation, expected] of cases) {
    test(name, () => assert.equal(isLost(evaluation), expected));
  }
});
