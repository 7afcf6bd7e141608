import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type GitLinks, type GitPlace, linksOf } from "./git-links.ts";

const COMMIT = { commitHash: "a1", branch: "main", commitMessage: "Show the price" };
const GITHUB: GitPlace = { repoUrl: "https://github.com/acme/shop.git", provider: "provider_a", host: null };
const GITLAB: GitPlace = { repoUrl: "https://gitlab.com/acme/web/shop", provider: "provider_b", host: null };
const OWN: GitPlace = {
  repoUrl: "https://git.acme.example:8443/acme/shop.git/",
  provider: "provider_b_self_hosted",
  host: "git.acme.example:8443",
};

type Case = readonly [
  what: string,
  place: GitPlace,
  commit: Partial<typeof COMMIT>,
  since: string | null,
  links: GitLinks | null,
];
const CASES: readonly Case[] = [
  [
    "a commit at GitHub, and what changed since another one",
    GITHUB,
    {},
    "b2",
    {
      commit: "https://github.com/acme/shop/commit/a1",
      branch: "https://github.com/acme/shop/tree/main",
      pullRequest: null,
      compare: "https://github.com/acme/shop/compare/b2...a1",
    },
  ],
  [
    "the pull request of a squashed commit at GitHub, with a branch of several parts",
    GITHUB,
    { commitMessage: "Show the price (#42)\n\nFor #7 (#8)", branch: "feature/a #1" },
    null,
    {
      commit: "https://github.com/acme/shop/commit/a1",
      branch: "https://github.com/acme/shop/tree/feature/a%20%231",
      pullRequest: { url: "https://github.com/acme/shop/pull/42", words: "Pull request #42" },
      compare: null,
    },
  ],
  [
    "the pull request of a merge at GitHub, and no comparison with itself",
    GITHUB,
    { commitMessage: "Merge pull request #9 from acme/price" },
    "a1",
    {
      commit: "https://github.com/acme/shop/commit/a1",
      branch: "https://github.com/acme/shop/tree/main",
      pullRequest: { url: "https://github.com/acme/shop/pull/9", words: "Pull request #9" },
      compare: null,
    },
  ],
  [
    "a merge request at GitLab",
    GITLAB,
    { commitMessage: "Merge branch 'price' into 'main'\n\nSee merge request acme/web/shop!5" },
    "b2",
    {
      commit: "https://gitlab.com/acme/web/shop/-/commit/a1",
      branch: "https://gitlab.com/acme/web/shop/-/tree/main",
      pullRequest: {
        url: "https://gitlab.com/acme/web/shop/-/merge_requests/5",
        words: "Merge request !5",
      },
      compare: "https://gitlab.com/acme/web/shop/-/compare/b2...a1",
    },
  ],
  [
    "a commit at a GitLab of one's own",
    OWN,
    {},
    null,
    {
      commit: "https://git.acme.example:8443/acme/shop/-/commit/a1",
      branch: "https://git.acme.example:8443/acme/shop/-/tree/main",
      pullRequest: null,
      compare: null,
    },
  ],
  ["nothing in the sandbox", { ...GITHUB, repoUrl: "https://git.sandbox.test/shop.git" }, {}, "b2", null],
  [
    "nothing at a host that is not the provider's",
    { ...GITLAB, repoUrl: "https://evil.example/a/b" },
    {},
    null,
    null,
  ],
  ["nothing for a text that is not an address", { ...GITHUB, repoUrl: "shop" }, {}, null, null],
];

describe("the links to a git host", () => {
  for (const [what, place, commit, since, links] of CASES)
    it(`show ${what}`, () => assert.deepEqual(linksOf(place, { ...COMMIT, ...commit }, since), links));
});
