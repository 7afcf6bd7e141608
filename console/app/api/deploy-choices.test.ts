import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANOTHER_BRANCH, deployChoices, requestOfChoice } from "./deploy-choices.ts";

const PRODUCTION = { id: "env_1", name: "Production", branch: "main" };
const PREVIEW = { id: "env_2", name: "Preview", branch: "main" };
const STAGING = { id: "env_3", name: "Staging", branch: "next" };

describe("what can be deployed of a project", () => {
  it("is each environment, and all that follow the same branch", () => {
    assert.deepEqual(deployChoices([PRODUCTION, PREVIEW, STAGING]), [
      ["env_1", "Production, from main"],
      ["env_2", "Preview, from main"],
      ["env_3", "Staging, from next"],
      ["branch:main", "All that follow main: Production, Preview"],
    ]);
  });

  it("is sent with the environment or the branch", () => {
    const filter = { projectId: "proj_1" };
    assert.deepEqual(requestOfChoice("proj_1", "env_3", "ignored"), {
      filter: { ...filter, environmentId: "env_3" },
    });
    assert.deepEqual(requestOfChoice("proj_1", "branch:main", ""), { filter, branch: "main" });
    assert.deepEqual(requestOfChoice("proj_1", ANOTHER_BRANCH, " fix/1 "), { filter, branch: "fix/1" });
    assert.deepEqual(requestOfChoice("proj_1", ANOTHER_BRANCH, " "), { filter });
  });
});
