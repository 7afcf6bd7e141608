import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Environment } from "../projects/project.ts";
import { decideTarget } from "./decide-targets.ts";

function environment(id: string, branch: string): Environment {
  const at = new Date(0);
  return {
    organizationId: "org_1",
    id,
    projectId: "proj_1",
    configId: id,
    name: id,
    region: "us-west-2",
    branch,
    deployTrigger: "manual",
    report: "comment",
    template: null,
    templateId: null,
    isFork: false,
    pullRequest: null,
    deployers: "developer",
    approvers: null,
    approvalHours: null,
    createdAt: at,
    updatedAt: at,
  };
}

const production = environment("production", "main");
const preview = environment("preview", "main");
const staging = environment("staging", "develop");

describe("the target of a deployment", () => {
  const cases: Record<
    string,
    [environments: readonly Environment[], wanted: string | null, target: unknown]
  > = {
    "is the only environment, and its branch where none is named": [
      [production],
      null,
      { kind: "branch", branch: "main", environmentId: "production" },
    ],
    "is every environment of the branch where several follow it": [
      [production, preview],
      null,
      { kind: "branch", branch: "main", environmentId: null },
    ],
    "is not guessed where environments follow several branches": [
      [production, staging],
      null,
      { kind: "ambiguous", branches: ["develop", "main"] },
    ],
    "is the environment that follows the branch named": [
      [production, staging],
      "develop",
      { kind: "branch", branch: "develop", environmentId: "staging" },
    ],
    "is a branch that no environment follows, for none of them": [
      [production],
      "feature",
      { kind: "branch", branch: "feature", environmentId: null },
    ],
  };
  for (const [name, [environments, wanted, target]] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(decideTarget(environments, wanted), target));
  }
});
