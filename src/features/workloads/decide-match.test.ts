import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findConditionFaults, findUnmet } from "./decide-match.ts";

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
    { sub: "repo:acme/shop:*", ref: "refs/heads/*" },
    { repository_id: "74123", ref_protected: "true" },
  ])
    test(`${JSON.stringify(conditions)} is met`, () => assert.equal(findUnmet(conditions, CLAIMS), null));

  for (const [claim, pattern] of [
    ["repository", "acme/shop2"],
    ["repository", "acme/sho"],
    ["repository", "ACME/shop"],
    ["repository", "evil/*"],
    ["ref", "refs/heads/main/"],
    ["environment", "production"],
    ["environment", "*"],
    ["teams", "acme/shop"],
    ["constructor", "*"],
  ] as const)
    test(`${claim}: ${pattern} is not met`, () =>
      assert.equal(findUnmet({ sub: CLAIMS.sub, [claim]: pattern }, CLAIMS), claim));
});

describe("findConditionFaults", () => {
  for (const conditions of [
    { repository: "acme/shop" },
    { repository: "acme/*", ref: "*" },
    { sub: "system:serviceaccount:ci:deployer" },
    { project_path: "acme/web/*" },
  ])
    test(`takes ${JSON.stringify(conditions)}`, () => assert.deepEqual(findConditionFaults(conditions), []));

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
        findConditionFaults(conditions).map((fault) => fault.claim),
        [claim],
      ));
});
