import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { conditionsOf, GITLAB, PLATFORM_CHOICES, formatConditions, workflowOf } from "./workload-words.ts";

const [GITHUB = ""] = PLATFORM_CHOICES[0] ?? [];
const URL = "https://slipway.example.com";
const TRUST: WorkloadTrust = {
  id: "trust_1",
  userId: "user_1",
  name: "deploy shop",
  issuer: GITHUB,
  audience: URL,
  conditions: { repository: "acme/shop", ref: "refs/heads/main" },
  scopes: ["deploy"],
  projectIds: null,
  createdAt: "2026-11-20T09:30:12.000Z",
  lastUsedAt: null,
};

describe("a workload trust", () => {
  it("has the claims of its platform", () => {
    const typed = { repository: " acme/shop ", branch: "main", more: "environment = production\n\n" };
    assert.deepEqual(conditionsOf(GITHUB, typed), {
      repository: "acme/shop",
      ref: "refs/heads/main",
      environment: "production",
    });
    assert.deepEqual(conditionsOf(GITLAB, { ...typed, more: "" }), {
      project_path: "acme/shop",
      ref: "main",
      ref_type: "branch",
    });
    assert.deepEqual(
      conditionsOf("https://other.example", { repository: "", branch: "", more: "sub=a=b\nodd" }),
      {
        sub: "a=b",
        odd: "",
      },
    );
  });

  it("says its conditions in words", () =>
    assert.equal(
      formatConditions({ repository: "acme/*", ref: "refs/heads/main" }),
      "repository is acme/…, ref is refs/heads/main",
    ));

  it("has a workflow for GitHub, and one for GitLab", () => {
    const github = workflowOf(TRUST, URL, "shop");
    const parsed = parse(github.text);
    assert.deepEqual(parsed.permissions, { "id-token": "write" });
    assert.deepEqual(parsed.on.push.branches, ["main"]);
    assert.deepEqual(parsed.jobs.deploy.env, { SLIPWAY_URL: URL, SLIPWAY_WORKLOAD_TRUST: "trust_1" });
    const other = workflowOf({ ...TRUST, audience: "ours" }, URL, "shop");
    assert.equal(parse(other.text).jobs.deploy.env.SLIPWAY_WORKLOAD_AUDIENCE, "ours");
    const gitlab = workflowOf({ ...TRUST, issuer: GITLAB, conditions: { ref: "main" } }, URL, "shop");
    assert.deepEqual(parse(gitlab.text).deploy.id_tokens, { SLIPWAY_ID_TOKEN: { aud: URL } });
    assert.equal(gitlab.file, ".gitlab-ci.yml");
  });
});
