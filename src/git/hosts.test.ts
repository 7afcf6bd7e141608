import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import type { Git, GitAccess } from "./git.ts";
import { makeGitlab } from "./gitlab.ts";
import { makeGuardedClient } from "./http-client.ts";
import { createGit, routeByProvider } from "./hosts.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import { answerGit } from "../../test/helpers/git/fake-git-host.ts";
import { startLocalServer } from "../../test/helpers/git/local-server.ts";
import { CANARY_TOKEN, rejectedWith } from "../../test/helpers/git/rejections.ts";

const accessTo = (provider: GitAccess["provider"], host: string | null = null): GitAccess => ({
  provider,
  host,
  token: CANARY_TOKEN,
});

const SHOWN = { url: null, description: "d" } as const;
const STATUS = { commit: "a".repeat(40), context: "c", state: "success", ...SHOWN } as const;
const DEPLOYMENT = {
  ...SHOWN,
  id: null,
  commit: "a".repeat(40),
  ref: "main",
  environment: "e",
  isPreview: true,
  state: "queued",
  logUrl: null,
} as const;

/** A provider that only notes that it was called. */
function noting(name: string, calls: string[]): Git {
  const note = <Answer>(call: string, answer: Answer): Promise<Answer> => {
    calls.push(`${name} ${call}`);
    return Promise.resolve(answer);
  };
  return {
    credentialsFor: () => ({ username: name, token: "t" }),
    listBranches: (_access, { path }) => note(`listBranches ${path}`, []),
    readFile: (_access, { path }) => note(`readFile ${path}`, null),
    listFolder: (_access, { path }) => note(`listFolder ${path}`, null),
    readCommit: (_access, { path }) => note(`readCommit ${path}`, null),
    listCommits: (_access, { path }) => note(`listCommits ${path}`, []),
    listChangesBetween: (_access, { path }) => note(`listChangesBetween ${path}`, null),
    userCanRead: (_access, { path }) => note(`userCanRead ${path}`, true),
    listPullRequests: (_access, { path }) => note(`listPullRequests ${path}`, null),
    listChangedFiles: (_access, { path }) => note(`listChangedFiles ${path}`, null),
    reportDeployment: (_access, { path }) => note(`reportDeployment ${path}`, { id: "1" }),
    writeComment: (_access, { path }) => note(`writeComment ${path}`, { id: "1" }),
    reportStatus: (_access, { path }) => note(`reportStatus ${path}`, undefined),
    checkToken: () => note("checkToken", undefined),
    listRepositories: (_access, { number }) =>
      note(`listRepositories ${number}`, { repositories: [], hasMore: false }),
  };
}

describe("routeByProvider", () => {
  const calls: string[] = [];
  const git = routeByProvider({ github: noting("github", calls), gitlab: noting("gitlab", calls) });

  const routes: readonly (readonly [access: GitAccess, url: string, provider: string])[] = [
    [accessTo("provider_a"), "https://github.com/owner/name", "github"],
    [accessTo("provider_b"), "https://gitlab.com/group/sub/name", "gitlab"],
    [accessTo("provider_b_self_hosted", "Git.Corp.example"), "https://git.corp.example/group/name", "gitlab"],
    [
      accessTo("provider_b_self_hosted", "git.corp.example:8443"),
      "https://git.corp.example:8443/a/b",
      "gitlab",
    ],
    [accessTo("provider_b_self_hosted", "git.corp.example:443"), "https://git.corp.example/a/b", "gitlab"],
  ];
  for (const [access, url, provider] of routes) {
    test(`sends ${access.provider} ${access.host ?? ""} to ${provider} for ${url}`, async () => {
      calls.length = 0;
      const repository = parseRepositoryUrl(url);
      assert.equal(git.credentialsFor(access, repository)?.username, provider);
      await git.listBranches(access, repository);
      await git.readFile(access, repository, "a".repeat(40), "slipway.json");
      await git.listFolder(access, repository, "a".repeat(40), "");
      await git.readCommit(access, repository, "a".repeat(40));
      await git.listCommits(access, repository, "a".repeat(40));
      await git.listChangesBetween(access, repository, "a", "b");
      await git.userCanRead(access, repository, "ann");
      await git.listPullRequests(access, repository, null);
      await git.listChangedFiles(access, repository, 3);
      await git.reportDeployment(access, repository, DEPLOYMENT);
      await git.writeComment(access, repository, { number: 3, id: null, marker: "m", text: "t" });
      await git.reportStatus(access, repository, STATUS);
      await git.checkToken(access);
      await git.listRepositories(access, { number: 2, order: "asc", sort: "created" });
      assert.deepEqual(calls, [
        `${provider} listBranches ${repository.path}`,
        `${provider} readFile ${repository.path}`,
        `${provider} listFolder ${repository.path}`,
        `${provider} readCommit ${repository.path}`,
        `${provider} listCommits ${repository.path}`,
        `${provider} listChangesBetween ${repository.path}`,
        `${provider} userCanRead ${repository.path}`,
        `${provider} listPullRequests ${repository.path}`,
        `${provider} listChangedFiles ${repository.path}`,
        `${provider} reportDeployment ${repository.path}`,
        `${provider} writeComment ${repository.path}`,
        `${provider} reportStatus ${repository.path}`,
        `${provider} checkToken`,
        `${provider} listRepositories 2`,
      ]);
    });
  }

  const refused = [
    [accessTo("provider_a"), "https://gitlab.com/owner/name", "HOST_REFUSED"],
    [accessTo("provider_a"), "https://github.com.evil.example/owner/name", "HOST_REFUSED"],
    [accessTo("provider_a"), "https://github.com:8443/owner/name", "HOST_REFUSED"],
    [accessTo("provider_b"), "https://github.com/owner/name", "HOST_REFUSED"],
    [accessTo("provider_b_self_hosted", "git.corp.example"), "https://gitlab.com/owner/name", "HOST_REFUSED"],
    [
      accessTo("provider_b_self_hosted", "git.corp.example"),
      "https://git.corp.example:8443/a/b",
      "HOST_REFUSED",
    ],
    [accessTo("provider_b_self_hosted", null), "https://git.corp.example/owner/name", "HOST_REFUSED"],
    [accessTo("provider_b_self_hosted", "h/path"), "https://h/owner/name", "HOST_REFUSED"],
    [accessTo("provider_a"), "https://github.com/owner", "REPOSITORY_NOT_FOUND"],
    [accessTo("provider_a"), "https://github.com/owner/name/wiki", "REPOSITORY_NOT_FOUND"],
    [accessTo("provider_b"), "https://gitlab.com/group", "REPOSITORY_NOT_FOUND"],
    [{ ...accessTo("provider_a"), token: "two\r\nlines" }, "https://github.com/owner/name", "TOKEN_REFUSED"],
    [{ ...accessTo("provider_b"), token: "" }, "https://gitlab.com/owner/name", "TOKEN_REFUSED"],
  ] as const;
  for (const [access, url, code] of refused) {
    test(`sends no token of ${access.provider} ${access.host ?? ""} to ${url}: ${code}`, async () => {
      calls.length = 0;
      const repository = parseRepositoryUrl(url);
      assert.throws(() => git.credentialsFor(access, repository), rejectedWith(code));
      await assert.rejects(git.listBranches(access, repository), rejectedWith(code));
      await assert.rejects(git.readFile(access, repository, "a".repeat(40), "f"), rejectedWith(code));
      await assert.rejects(git.userCanRead(access, repository, "ann"), rejectedWith(code));
      await assert.rejects(git.listPullRequests(access, repository, null), rejectedWith(code));
      await assert.rejects(git.reportDeployment(access, repository, DEPLOYMENT), rejectedWith(code));
      assert.deepEqual(calls, []);
    });
  }
});

describe("createGit with hosts", () => {
  test("refuses an internal host before it gets a connection or the token", async (t) => {
    const inside = await startLocalServer("https", () => assert.fail("reached the inside"));
    t.after(() => inside.close());
    const git = createGit({ allowedHosts: [] });
    for (const host of [inside.host, `localhost:${inside.port}`, `0x7f.1:${inside.port}`]) {
      const access = accessTo("provider_b_self_hosted", host);
      await assert.rejects(git.checkToken(access), rejectedWith("HOST_REFUSED", /loopback/));
      const repository = parseRepositoryUrl(`https://${host}/owner/name`);
      await assert.rejects(git.listBranches(access, repository), rejectedWith("HOST_REFUSED", /loopback/));
    }
    assert.equal(inside.connections(), 0);
  });

  test("refuses a list of allowed hosts that it cannot read", () => {
    assert.throws(() => createGit({ allowedHosts: ["10.0.0.0/99"] }), RangeError);
  });

  test("reaches a self-hosted GitLab on a private network that the operator allowed", async (t) => {
    const commit = "f".repeat(40);
    const server = await startLocalServer("https", (request, response) =>
      answerGit(request, response, [{ name: "refs/heads/main", oid: commit }], 2),
    );
    t.after(() => server.close());
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts(["gitlab.test"]),
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      trustedCa: TEST_CERTIFICATE,
    });
    const git = routeByProvider({ github: noting("github", []), gitlab: makeGitlab({ fetch }) });
    const host = `gitlab.test:${server.port}`;
    assert.deepEqual(
      await git.listBranches(
        accessTo("provider_b_self_hosted", host),
        parseRepositoryUrl(`https://${host}/group/name.git`),
      ),
      [{ name: "main", commit }],
    );
  });
});
