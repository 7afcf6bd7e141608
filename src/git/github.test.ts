import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import { makeGithub } from "./github.ts";
import { FILE_BYTES_MAX, makeGuardedClient } from "./http-client.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import { testProvider } from "../../test/helpers/git/provider-tests.ts";
import { CANARY_TOKEN, rejectedWith } from "../../test/helpers/git/rejections.ts";

const COMMIT = "c".repeat(40);
const MESSAGE = "Show the price\n\nCo-authored-by: Bob <bob@acme.example>";
const RAW = "application/vnd.github.v3.raw; charset=utf-8";
const repositories: Record<string, { private: boolean; permissions: Record<string, string> }> = {
  "acme/open": { private: false, permissions: {} },
  "acme/closed": { private: true, permissions: { ann: "read", bob: "none", cy: "admin" } },
};
const files: Record<string, { type: string; body: string | Buffer }> = {
  "slipway.json": { type: RAW, body: '{"name":"ünï"}' },
  "deploy/with space #1.json": { type: RAW, body: "{}" },
  empty: { type: RAW, body: "" },
  full: { type: RAW, body: Buffer.alloc(FILE_BYTES_MAX, 97) },
  large: { type: RAW, body: Buffer.alloc(FILE_BYTES_MAX + 1, 97) },
  binary: { type: "application/octet-stream", body: Buffer.from([97, 0xff]) },
  folder: { type: "application/json; charset=utf-8", body: '[{"type":"file"}]' },
};

const folders: Record<string, unknown> = {
  "": [
    { name: "deploy", type: "dir" },
    { name: "slipway.json", type: "file" },
    { name: "link", type: "symlink" },
    { name: "module", type: "submodule" },
  ],
  deploy: [{ name: "with space #1.json", type: "file" }],
};

const REFUSALS = [
  [401, {}, "TOKEN_REFUSED"],
  [403, {}, "REPOSITORY_DENIED"],
  [403, { "retry-after": "60" }, "HOST_UNAVAILABLE"],
  [404, {}, "REPOSITORY_NOT_FOUND"],
  [429, {}, "HOST_UNAVAILABLE"],
  [500, {}, "HOST_UNAVAILABLE"],
  [301, { location: "https://example.com/" }, "HOST_REFUSED"],
] as const;

function answerApi(request: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, body: unknown) => {
    response
      .writeHead(status, { "content-type": "application/json; charset=utf-8" })
      .end(JSON.stringify(body));
  };
  const { authorization } = request.headers;
  const url = new URL(request.url ?? "", "https://h");
  if (authorization !== undefined && authorization !== `Bearer ${CANARY_TOKEN}`) {
    return json(401, { message: `Bad credentials ${authorization}` });
  }
  if (url.pathname === "/rate_limit") return json(200, { resources: {}, rate: {} });
  if (url.pathname === "/user/repos") {
    const first = [
      {
        full_name: "acme/open",
        default_branch: "main",
        private: false,
        pushed_at: "2026-11-20T09:30:12Z",
      },
      { full_name: "acme/closed", default_branch: "trunk", private: true },
    ];
    if (url.searchParams.get("page") === "2")
      return json(200, [{ full_name: "acme/new", default_branch: null, private: true }]);
    response.setHeader("link", '<https://api.github.com/user/repos?page=2>; rel="next"');
    return json(200, first);
  }
  const [, owner, name, rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(url.pathname) ?? [];
  const found = repositories[`${owner}/${name}`];
  if (found === undefined || (found.private && authorization === undefined)) {
    return json(404, { message: "Not Found" });
  }
  if (rest === "") return json(200, { private: found.private });
  const login = /^collaborators\/([^/]+)\/permission$/.exec(rest)?.[1];
  if (login !== undefined) {
    const permission = found.permissions[decodeURIComponent(login)];
    return permission === undefined ? json(404, { message: "Not Found" }) : json(200, { permission });
  }
  const commit = /^git\/commits\/(.+)$/.exec(rest)?.[1];
  if (commit !== undefined) {
    if (commit !== COMMIT) return json(404, { message: "Not Found" });
    const author = { name: "Ada Lovelace", email: "ada@acme.example", date: "2026-11-20T09:30:12Z" };
    return json(200, { sha: commit, message: MESSAGE, author, committer: author });
  }
  if (rest === "commits") {
    if (url.searchParams.get("sha") !== COMMIT) return json(404, { message: "Not Found" });
    const author = { name: "Ada Lovelace", email: "ada@acme.example", date: "2026-11-20T09:30:12Z" };
    return json(200, [{ sha: COMMIT, commit: { message: MESSAGE, author, committer: author } }]);
  }
  const folder = folders[/^contents\/(.*)$/.exec(rest)?.[1] ?? "none"];
  if (folder !== undefined && url.searchParams.get("ref") === COMMIT) return json(200, folder);
  const file = files[decodeURIComponent(/^contents\/(.+)$/.exec(rest)?.[1] ?? "")];
  if (file === undefined || url.searchParams.get("ref") !== COMMIT)
    return json(404, { message: "Not Found" });
  if (request.headers.accept !== "application/vnd.github.v3.raw") return json(200, { content: "Base64" });
  response.writeHead(200, { "content-type": file.type }).end(file.body);
}

describe("GitHub", () => {
  const host = testProvider({
    name: "GitHub",
    noun: "repository",
    commit: COMMIT,
    gitUser: "x-access-token",
    make: (fetch, { url }) => makeGithub({ fetch, apiUrl: url, webUrl: url }),
    access: (_server, token) => ({ provider: "provider_a", host: null, token }),
    repository: (_server, name) => parseRepositoryUrl(`https://github.com/${name}`),
    closed: "acme/closed",
    answerApi,
    tokenPath: "/rate_limit",
    contents: [
      ["slipway.json", '{"name":"ünï"}'],
      ["deploy/with space #1.json", "{}"],
      ["empty", ""],
      ["full", "a".repeat(FILE_BYTES_MAX)],
      ["binary", "a\ufffd"],
      ["folder", null],
      ["missing.json", null],
    ],
    readers: [
      ["acme/open", "anyone", true],
      ["acme/closed", "ann", true],
      ["acme/closed", "cy", true],
      ["acme/closed", "bob", false],
      ["acme/closed", "stranger", false],
      ["acme/closed", "../../open", false],
      ["acme/closed", "", false],
    ],
    refusals: REFUSALS.map(([status, headers, code]) => ({
      title: `takes a status ${status} ${JSON.stringify(headers)} for ${code}, saying nothing to the console`,
      status,
      headers: { ...headers, "content-type": "application/json" },
      code,
    })),
    echo: (authorization) =>
      JSON.stringify({ message: `echo ${authorization}`, documentation_url: "https://docs.github.com" }),
    strange: [
      { type: "text/html", body: "<!doctype html>" },
      { type: "application/json", body: "<!doctype html>" },
      { type: "application/json", body: "null" },
      { type: "application/json", body: "{}" },
    ],
    listPath: "/user/repos?sort=created&direction=desc&per_page=100&page=2",
    pushedPath: /\?sort=pushed&direction=desc&/,
    requests: 6,
  });

  test("gives up on an API that hangs", async () => {
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 150,
    });
    host.answerInstead(() => {});
    const slow = makeGithub({ fetch, apiUrl: host.server().url });
    await assert.rejects(slow.checkToken(host.access()), rejectedWith("HOST_UNAVAILABLE", /in time/));
  });

  test("lists what changed between two commits, if GitHub lists all of it", async () => {
    // https://docs.github.com/rest/commits/commits#compare-two-commits
    const file = (filename: string, more: object = {}) => ({
      sha: "b",
      filename,
      status: "modified",
      ...more,
    });
    const between = async (status: number, answer: object) => {
      let address = "";
      host.answerInstead((request, response) => {
        address = request.url ?? "";
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
      });
      const { git, access, repository } = host;
      const found = await git().listChangesBetween(access(), repository("acme/open"), "a".repeat(40), COMMIT);
      assert.equal(address, `/repos/acme/open/compare/${"a".repeat(40)}...${COMMIT}?per_page=1`);
      return found;
    };
    const renamed = file("new", { status: "renamed", previous_filename: "old" });
    const answer = { status: "ahead", ahead_by: 2, behind_by: 0, files: [file("web/a"), renamed] };
    assert.deepEqual(await between(200, answer), ["web/a", "new", "old"]);
    for (const status of ["diverged", "behind"])
      assert.equal(await between(200, { ...answer, status }), null);
    const many = Array.from({ length: 300 }, (_, index) => file(String(index)));
    assert.equal(await between(200, { ...answer, files: many }), null);
    assert.equal(await between(404, { message: "Not Found" }), null);
    await assert.rejects(
      between(200, { ...answer, files: [{}, { filename: 1 }] }),
      rejectedWith("HOST_UNAVAILABLE"),
    );
    await assert.rejects(between(500, {}), rejectedWith("HOST_UNAVAILABLE"));
    assert.deepEqual(
      await host.git().listChangesBetween(host.access(), host.repository("acme/open"), COMMIT, COMMIT),
      [],
    );
  });

  test("does not connect to internal addresses for the API either", async () => {
    const fetch = makeGuardedClient({ allowedHosts: parseAllowedHosts([]) });
    const guarded = makeGithub({ fetch, apiUrl: host.server().url, webUrl: host.server().url });
    await assert.rejects(guarded.checkToken(host.access()), rejectedWith("HOST_REFUSED", /loopback/));
    await assert.rejects(
      guarded.listBranches(host.access(), host.repository("acme/open")),
      rejectedWith("HOST_REFUSED", /loopback/),
    );
    assert.deepEqual(host.addresses(), []);
  });
});
