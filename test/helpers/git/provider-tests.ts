/** The tests of a git host's API that GitHub and GitLab share, with their differences as a table. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { parseAllowedHosts } from "../../../src/egress/address-rules.ts";
import type { Git, GitAccess, GitErrorCode, Repository } from "../../../src/git/git.ts";
import { type HttpClient, makeGuardedClient } from "../../../src/git/http-client.ts";
import { TEST_CERTIFICATE } from "./certificate.ts";
import { answerGit } from "./fake-git-host.ts";
import { type LocalServer, startLocalServer } from "./local-server.ts";
import { CANARY_TOKEN, holdsToken, rejectedWith } from "./rejections.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export type TestedProvider = {
  readonly name: "GitHub" | "GitLab";
  /** What the host calls a repository. */
  readonly noun: "repository" | "project";
  /** At the branch `main` of every repository. */
  readonly commit: string;
  /** The user that git's own protocol logs in as, with the token as the password. */
  readonly gitUser: string;
  readonly make: (fetch: HttpClient, server: LocalServer) => Git;
  readonly access: (server: LocalServer, token: string | null) => GitAccess;
  readonly repository: (server: LocalServer, path: string) => Repository;
  /** A private repository, which the user `ann` can read. */
  readonly closed: string;
  readonly answerApi: Answer;
  /** Where the API says whether a token works. */
  readonly tokenPath: string;
  readonly contents: readonly (readonly [path: string, content: string | null])[];
  readonly readers: readonly (readonly [path: string, login: string, canRead: boolean])[];
  readonly refusals: readonly {
    readonly title: string;
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly code: GitErrorCode;
  }[];
  /** The body of a refusal, which repeats what the request was authorized with. */
  readonly echo: (authorization: string) => string;
  /** Answers with status 200 that are not the host's; without a type, none is said. */
  readonly strange: readonly { readonly type?: string; readonly body: string }[];
  /** Where the API lists what the token reaches, with the query of the second page, newest first. */
  readonly listPath: string;
  /** The same by the last push. */
  readonly pushedPath: RegExp;
  /** How many requests are needed to list the branches and the repositories, read a file and look up a user. */
  readonly requests: number;
};

export type ProviderBench = {
  readonly server: () => LocalServer;
  readonly git: () => Git;
  /** The requests that the host received in this test. */
  readonly addresses: () => readonly string[];
  /** Has the host answer so for the rest of this test. */
  readonly answerInstead: (answer: Answer) => void;
  readonly access: (token?: string | null) => GitAccess;
  readonly repository: (path: string) => Repository;
};

/** Registers the shared tests in the calling suite. @returns the host, for the suite's other tests */
export function testProvider(provider: TestedProvider): ProviderBench {
  const { commit, closed } = provider;
  let server: LocalServer;
  let git: Git;
  let addresses: string[];
  let instead: Answer | null;
  const access = (token: string | null = CANARY_TOKEN) => provider.access(server, token);
  const repository = (path: string) => provider.repository(server, path);

  beforeEach(() => {
    addresses = [];
    instead = null;
  });
  before(async () => {
    server = await startLocalServer("https", (request, response) => {
      addresses.push(request.url ?? "");
      if (instead !== null) return instead(request, response);
      if ((request.url ?? "").includes(".git/")) {
        const login = Buffer.from(`${provider.gitUser}:${CANARY_TOKEN}`).toString("base64");
        if (request.headers.authorization !== `Basic ${login}`) return response.writeHead(401).end();
        return answerGit(request, response, [{ name: "refs/heads/main", oid: commit }], 2);
      }
      return provider.answerApi(request, response);
    });
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 2000,
    });
    git = provider.make(fetch, server);
  });
  after(() => server.close());

  test(`lists branches with the token in the way that ${provider.name} wants it`, async () => {
    assert.deepEqual(await git.listBranches(access(), repository(closed)), [{ name: "main", commit }]);
  });

  for (const [path, content] of provider.contents) {
    test(`reads ${path} as ${content === null ? "none" : `${content.length} characters`}`, async () => {
      assert.equal(await git.readFile(access(), repository(closed), commit, path), content);
    });
  }

  test("reads the message and the author's name of a commit, and no address", async () => {
    assert.deepEqual(await git.readCommit(access(), repository(closed), commit), {
      message: "Show the price\n\nCo-authored-by: Bob",
      author: "Ada Lovelace",
    });
    assert.equal(await git.readCommit(access(), repository(closed), "e".repeat(commit.length)), null);
  });

  test("lists the recent commits with their times, and no address", async () => {
    assert.deepEqual(await git.listCommits(access(), repository(closed), commit), [
      {
        hash: commit,
        message: "Show the price\n\nCo-authored-by: Bob",
        author: "Ada Lovelace",
        committedAt: new Date("2026-11-20T09:30:12Z"),
      },
    ]);
    assert.deepEqual(await git.listCommits(access(), repository(closed), "e".repeat(commit.length)), []);
  });

  test("knows without asking that a path out of the tree names no file", async () => {
    for (const path of ["", "/slipway.json", "../x", "a/../b", "a//b", "a\\b", "a\nb", "./x", "\ud800"]) {
      assert.equal(await git.readFile(access(), repository("acme/open"), commit, path), null);
    }
    assert.deepEqual(addresses, []);
  });

  test("lists what is in a folder, without links and submodules", async () => {
    const list = (path: string) => git.listFolder(access(), repository(closed), commit, path);
    assert.deepEqual(await list(""), [
      { name: "deploy", kind: "folder" },
      { name: "slipway.json", kind: "file" },
    ]);
    assert.deepEqual(await list("deploy"), [{ name: "with space #1.json", kind: "file" }]);
    assert.equal(await list("missing"), null);
    addresses.length = 0;
    assert.equal(await list("../other"), null);
    assert.deepEqual(addresses, [], "not even asked");
    await assert.rejects(
      git.listFolder(access(), repository("acme/none"), commit, ""),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  test("refuses a folder in another form than the host's", async () => {
    for (const entry of [{ name: 7, type: "file" }, { name: "a" }, "a", null]) {
      instead = (_request, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([entry]));
      await assert.rejects(
        git.listFolder(access(), repository(closed), commit, ""),
        rejectedWith("HOST_UNAVAILABLE"),
      );
    }
  });

  test("refuses a file of more than 1 MiB", async () => {
    await assert.rejects(
      git.readFile(access(), repository("acme/open"), commit, "large"),
      rejectedWith("FILE_TOO_LARGE"),
    );
  });

  test(`distinguishes a missing ${provider.noun} from a missing file`, async () => {
    await assert.rejects(
      git.readFile(access(), repository("acme/none"), commit, "slipway.json"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  for (const [path, login, canRead] of provider.readers) {
    test(`says that "${login}" ${canRead ? "may" : "may not"} read ${path}`, async () => {
      assert.equal(await git.userCanRead(access(), repository(path), login), canRead);
    });
  }

  test(`says that a private ${provider.noun} is not found without a token`, async () => {
    await assert.rejects(
      git.userCanRead(access(null), repository(closed), "ann"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  test("accepts a token that works, and refuses a token that does not, and a missing one", async () => {
    await git.checkToken(access());
    await assert.rejects(
      git.checkToken(access(`${CANARY_TOKEN}x`)),
      rejectedWith("TOKEN_REFUSED", /expired/),
    );
    await assert.rejects(git.checkToken(access(null)), rejectedWith("TOKEN_REFUSED"));
    assert.deepEqual(addresses, [provider.tokenPath, provider.tokenPath]);
  });

  test("lists the repositories that the token reaches, page by page, in both orders", async () => {
    const first = await git.listRepositories(access(), { number: 1, order: "asc", sort: "created" });
    const second = await git.listRepositories(access(), { number: 2, order: "desc", sort: "created" });
    const at = (path: string) => provider.repository(server, path).normalizedUrl;
    assert.deepEqual(first, {
      repositories: [
        {
          url: at("acme/open"),
          name: "acme/open",
          defaultBranch: "main",
          isPrivate: false,
          lastPushedAt: new Date("2026-11-20T09:30:12Z"),
        },
        { url: at(closed), name: closed, defaultBranch: "trunk", isPrivate: true, lastPushedAt: null },
      ],
      hasMore: true,
    });
    assert.deepEqual(second, {
      repositories: [
        {
          url: at("acme/new"),
          name: "acme/new",
          defaultBranch: null,
          isPrivate: true,
          lastPushedAt: null,
        },
      ],
      hasMore: false,
    });
    assert.equal(addresses[1], provider.listPath);
    await git.listRepositories(access(), { number: 1, order: "desc", sort: "pushed" });
    assert.match(String(addresses[2]), provider.pushedPath);
  });

  test("lists nothing for a token that does not work, or from an answer in another form", async () => {
    const list = (token?: string) =>
      git.listRepositories(access(token), { number: 1, order: "asc", sort: "created" });
    await assert.rejects(list(`${CANARY_TOKEN}x`), rejectedWith("TOKEN_REFUSED", /expired/));
    for (const path of [undefined, 7, "", "../../other", "a b"]) {
      const told = { full_name: path, path_with_namespace: path, private: true, visibility: "private" };
      instead = (_request, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([told]));
      await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE"));
    }
  });

  for (const { title, status, headers, code } of provider.refusals) {
    test(title, async (t) => {
      const written = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
        t.mock.method(console, name, () => {}),
      );
      instead = (request, response) => {
        response.writeHead(status, headers).end(provider.echo(request.headers.authorization ?? ""));
      };
      for (const call of [
        () => git.userCanRead(access(), repository(closed), "ann"),
        () => git.readFile(access(), repository(closed), commit, "slipway.json"),
      ]) {
        await assert.rejects(call(), rejectedWith(code));
      }
      assert.deepEqual(
        written.map(({ mock }) => mock.callCount()),
        [0, 0, 0, 0, 0],
      );
    });
  }

  test(`refuses answers that are not ${provider.name}'s`, async () => {
    for (const { type, body } of provider.strange) {
      instead = (_request, response) =>
        response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
      await assert.rejects(
        git.userCanRead(access(), repository(closed), "ann"),
        rejectedWith("HOST_UNAVAILABLE"),
      );
      await assert.rejects(git.checkToken(access()), rejectedWith("HOST_UNAVAILABLE"));
      // An empty list is one.
      if (body !== "[]")
        await assert.rejects(
          git.listRepositories(access(), { number: 1, order: "asc", sort: "created" }),
          rejectedWith("HOST_UNAVAILABLE"),
        );
    }
  });

  test("puts the token into no address", async () => {
    await git.listBranches(access(), repository(closed));
    await git.readFile(access(), repository(closed), commit, "slipway.json");
    await git.userCanRead(access(), repository(closed), "ann");
    await git.listRepositories(access(), { number: 1, order: "asc", sort: "created" });
    assert.equal(addresses.length, provider.requests);
    assert.ok(!addresses.some(holdsToken));
  });

  return {
    server: () => server,
    git: () => git,
    addresses: () => addresses,
    answerInstead: (answer) => (instead = answer),
    access,
    repository,
  };
}
