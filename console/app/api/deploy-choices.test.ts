import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeploymentRow } from "../../../sdk/src/generated/types.ts";
import {
  ANOTHER_BRANCH,
  branchOfChoice,
  deployChoices,
  redeployChoices,
  requestOfChoice,
} from "./deploy-choices.ts";

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

  it("has a branch, which is the environment's or the typed one", () => {
    const all = [PRODUCTION, STAGING];
    assert.equal(branchOfChoice(all, "env_3", "ignored"), "next");
    assert.equal(branchOfChoice(all, "branch:main", ""), "main");
    assert.equal(branchOfChoice(all, ANOTHER_BRANCH, " fix/1 "), "fix/1");
  });

  it("is also an earlier commit, once and if its deployment has ended", () => {
    const row = (id: string, hash: string, endedAt: string | null, isLive = false) =>
      ({
        id,
        commit: hash,
        commitHash: hash,
        commitMessage: `Change ${hash}\n\nMore`,
        endedAt,
        environments: [{ id: "env_1", name: "Production", status: "SUCCESS", isLive }],
      }) as unknown as DeploymentRow;
    const at = "2026-11-20T09:30:00.000Z";
    const rows = [row("d4", "c", null), row("d3", "b", at, true), row("d2", "b", at), row("d1", "a", at)];
    assert.deepEqual(
      redeployChoices(rows).map(({ id, words, environments }) => [id, words, environments]),
      [
        ["d3", "Redeploy b: Change b (live now)", "Production"],
        ["d1", "Redeploy a: Change a", "Production"],
      ],
    );
  });
});
