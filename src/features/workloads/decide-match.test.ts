import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findConditionFaults, findUnmet } from "./decide-match.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

const CLAIMS = {
  sub: "repo:acme/shop:ref:refs/heads/main",
  repository: "acme/shop",
  repository_id: 74_123,
  ref: "refs/heads/main",
  ref_protected: true,
  teams: ["acme/shop"],
};

describe("findUnmet", () => {
  for (const conditions of [
    { repository: "acme/shop", ref: "refs/heads/main" },
    { repository: "acme/*" },
    { repository: "ACME/Shop" },
    { sub: "repo:Acme/*" },
    { sub: "repo:acme/shop:*", ref: "refs/heads/*" },
    { repository_id: "74123", ref_protected: "true" },
  ])
    test(`${JSON.stringify(conditions)} is met`, () => assert.equal(findUnmet(conditions, CLAIMS), null));

  for (const [claim, pattern] of [
    ["repository", "acme/shop2"],
    ["repository", "acme/sho"],
    ["sub", "repo:acme/shop:ref:refs/heads/MAIN"],
    ["ref", "refs/heads/Main"],
    ["repository", "evil/*"],
    ["ref", "refs/heads/main/"],
    ["environment", "production"],
    ["environment", "*"],
    ["teams", "acme/shop"],
    ["constructor", "*"],
  ] as const)
    test(`${claim}: ${pattern} is not met`, () =>
      assert.equal(findUnmet({ repository_id: "74123", [claim]: pattern }, CLAIMS), claim));
});

describe("findConditionFaults", () => {
  for (const conditions of [
    { repository: "acme/shop" },
    { repository: "acme/*", ref: "*" },
    { sub: "system:serviceaccount:ci:deployer" },
    { project_path: "acme/web/*" },
  ])
    test(`takes ${JSON.stringify(conditions)}`, () =>
      assert.deepEqual(findConditionFaults(conditions, GITHUB), []));

  for (const [conditions, claim] of [
    [{ ref: "refs/heads/main" }, null],
    [{ repository: "*" }, "repository"],
    [{ repository: "acme*" }, "repository"],
    [{ sub: "repo:*" }, "sub"],
    [{ repository: "acme/*/x" }, "repository"],
    [{ repository: "acme/shop", ref: "*/main" }, "ref"],
  ] as const)
    test(`refuses ${JSON.stringify(conditions)}`, () =>
      assert.deepEqual(
        findConditionFaults(conditions, GITHUB).map((fault) => fault.claim),
        [claim],
      ));
});

describe("findConditionFaults of other issuers", () => {
  for (const [issuer, conditions, faults] of [
    ["https://ci.acme.example", { ref: "refs/heads/main" }, []],
    [
      "https://ci.acme.example",
      { "oidc.circleci.com/project-id": "1", "https://acme.example/team": "a" },
      [],
    ],
    ["https://ci.acme.example", { sub: "system:serviceaccount:ci:*" }, []],
    ["https://ci.acme.example", { sub: "system*" }, ["sub"]],
    ["https://ci.acme.example", { ref: "*" }, [null]],
    ["https://ci.acme.example", {}, [null]],
    ["https://ci.acme.example", { "a b": "x" }, ["a b"]],
    ["https://token.actions.githubusercontent.com/acme", { ref: "refs/heads/main" }, [null]],
    ["https://agent.buildkite.com", { organization_slug: "acme" }, []],
    ["https://agent.buildkite.com", { sub: "organization:acme:pipeline:shop:*" }, []],
    ["https://agent.buildkite.com", { sub: "organization:ac*" }, ["sub"]],
    ["https://agent.buildkite.com", { organization_slug: "acme*" }, ["organization_slug"]],
    ["https://agent.buildkite.com", { build_branch: "main" }, [null]],
    ["https://app.terraform.io", { sub: "organization:acme:project:*" }, []],
    ["https://app.terraform.io", { terraform_run_phase: "apply" }, [null]],
    ["https://accounts.google.com", { email: "ci@acme.example" }, []],
    ["https://accounts.google.com", { email: "ci@*" }, ["email"]],
  ] as const)
    test(`${issuer} with ${JSON.stringify(conditions)}: ${JSON.stringify(faults)}`, () =>
      assert.deepEqual(
        findConditionFaults(conditions, issuer).map(({ claim }) => claim),
        faults,
      ));
});
