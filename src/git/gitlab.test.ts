import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { makeGitlab } from "./gitlab.ts";
import { FILE_BYTES_MAX } from "./http-client.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { testProvider } from "../../test/helpers/git/provider-tests.ts";
import { CANARY_TOKEN, rejectedWith } from "../../test/helpers/git/rejections.ts";

const COMMIT = "d".repeat(40);
type Project = { visibility: string; repository_access_level?: string };
const projects: Record<string, Project> = {
  "acme/open": { visibility: "public" },
  "acme/half-open": { visibility: "public", repository_access_level: "private" },
  "acme/inner": { visibility: "internal", repository_access_level: "enabled" },
  "acme/sub/closed": { visibility: "private", repository_access_level: "enabled" },
};
const users = [
  { id: 1, username: "ann", state: "active", external: false },
  { id: 2, username: "guest", state: "active", external: false },
  { id: 3, username: "blocked", state: "blocked", external: false },
  { id: 4, username: "contractor", state: "active", external: true },
  { id: 5, username: "Reporter", state: "active", external: false },
  { id: 6, username: "stranger", state: "active", external: false },
];
const accessLevels: Record<string, number> = { 1: 50, 2: 10, 3: 50, 5: 20 };
const MESSAGE = "Show the price\n\nCo-authored-by: Bob <bob@acme.example>";
const files: Record<string, string | Buffer> = {
  "slipway.json": '{"name":"ünï"}',
  "deploy/with space #1.json": "{}",
  empty: "",
  full: Buffer.alloc(FILE_BYTES_MAX, 97),
  large: Buffer.alloc(FILE_BYTES_MAX + 1, 97),
};

/** By page. */
const folders: Record<string, readonly object[][]> = {
  "": [
    [
      { name: "deploy", type: "tree" },
      { name: "module", type: "commit" },
    ],
    [{ name: "slipway.json", type: "blob" }],
  ],
  deploy: [[{ name: "with space #1.json", type: "blob" }]],
};

const REFUSALS = [
  [401, "TOKEN_REFUSED"],
  [403, "REPOSITORY_DENIED"],
  [404, "REPOSITORY_NOT_FOUND"],
  [429, "HOST_UNAVAILABLE"],
  [502, "HOST_UNAVAILABLE"],
  [302, "HOST_REFUSED"],
] as const;

function answerApi(request: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const { authorization } = request.headers;
  const url = new URL(request.url ?? "", "https://h");
  if (authorization !== undefined && authorization !== `Bearer ${CANARY_TOKEN}`) {
    return json(401, { message: `401 Unauthorized ${authorization}` });
  }
  const path = url.pathname.replace(/^\/api\/v4\//, "");
  if (path === "user") return json(200, { id: 9, username: "integration" });
  if (path === "projects") {
    const first = [
      {
        path_with_namespace: "acme/open",
        default_branch: "main",
        visibility: "public",
        last_activity_at: "2026-11-20T09:30:12.000Z",
      },
      { path_with_namespace: "acme/sub/closed", default_branch: "trunk", visibility: "internal" },
    ];
    const isLast = url.searchParams.get("page") === "2";
    response.setHeader("x-next-page", isLast ? "" : "2");
    return json(200, isLast ? [{ path_with_namespace: "acme/new", visibility: "private" }] : first);
  }
  if (path === "users") {
    const login = url.searchParams.get("username")?.toLowerCase();
    const found = users.filter(({ username }) => username.toLowerCase() === login);
    return json(200, found);
  }
  const [, id = "", rest = ""] = /^projects\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  const project = projects[decodeURIComponent(id)];
  if (project === undefined || (project.visibility !== "public" && authorization === undefined)) {
    return json(404, { message: "404 Project Not Found" });
  }
  if (rest === "") return json(200, { id: 7, ...project });
  const member = /^members\/all\/(\d+)$/.exec(rest)?.[1];
  if (member !== undefined) {
    const level = accessLevels[member];
    return level === undefined
      ? json(404, { message: "404 Not found" })
      : json(200, { id: Number(member), access_level: level });
  }
  const commit = /^repository\/commits\/(.+)$/.exec(rest)?.[1];
  if (commit !== undefined) {
    if (commit !== COMMIT) return json(404, { message: "404 Commit Not Found" });
    const author = { author_name: "Ada Lovelace", author_email: "ada@acme.example" };
    return json(200, { id: commit, title: "Show the price", message: MESSAGE, ...author });
  }
  if (rest === "repository/commits") {
    if (url.searchParams.get("ref_name") !== COMMIT) return json(404, { message: "404 Not Found" });
    const author = { author_name: "Ada Lovelace", author_email: "ada@acme.example" };
    return json(200, [
      { id: COMMIT, message: MESSAGE, ...author, committed_date: "2026-11-20T10:30:12.000+01:00" },
    ]);
  }
  if (rest === "repository/tree") {
    const folder = folders[url.searchParams.get("path") ?? ""];
    if (folder === undefined || url.searchParams.get("ref") !== COMMIT)
      return json(404, { message: "404 Tree Not Found" });
    const page = Number(url.searchParams.get("page"));
    response.setHeader("x-next-page", page < folder.length ? String(page + 1) : "");
    return json(200, folder[page - 1]);
  }
  const file = files[decodeURIComponent(/^repository\/files\/([^/]+)\/raw$/.exec(rest)?.[1] ?? "")];
  if (file === undefined || url.searchParams.get("ref") !== COMMIT) {
    return json(404, { message: "404 File Not Found" });
  }
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(file);
}

describe("GitLab", () => {
  const host = testProvider({
    name: "GitLab",
    noun: "project",
    commit: COMMIT,
    gitUser: "oauth2",
    make: (fetch) => makeGitlab({ fetch }),
    access: (server, token) => ({ provider: "provider_b_self_hosted", host: server.host, token }),
    repository: (server, path) => parseRepositoryUrl(`${server.url}/${path}`),
    closed: "acme/sub/closed",
    answerApi,
    tokenPath: "/api/v4/user",
    contents: [
      ["slipway.json", '{"name":"ünï"}'],
      ["deploy/with space #1.json", "{}"],
      ["empty", ""],
      ["full", "a".repeat(FILE_BYTES_MAX)],
      ["missing.json", null],
    ],
    readers: [
      ["acme/open", "anyone", true],
      ["acme/half-open", "ann", true],
      ["acme/half-open", "stranger", false],
      ["acme/inner", "stranger", true],
      ["acme/inner", "contractor", false],
      ["acme/inner", "nobody", false],
      ["acme/inner", "blocked", false],
      ["acme/sub/closed", "ann", true],
      ["acme/sub/closed", "ANN", true],
      ["acme/sub/closed", "reporter", true],
      ["acme/sub/closed", "guest", false],
      ["acme/sub/closed", "blocked", false],
      ["acme/sub/closed", "stranger", false],
      ["acme/sub/closed", "ann&username=guest", false],
      ["acme/sub/closed", "", false],
    ],
    refusals: REFUSALS.map(([status, code]) => ({
      title: `takes a status ${status} for ${code}, without the host's words`,
      status,
      headers: { location: "/users/sign_in", "content-type": "text/html" },
      code,
    })),
    echo: (authorization) => `<html>echo ${authorization}`,
    strange: [`<html>${CANARY_TOKEN}`, "null", "[]", '"text"', ""].map((body) => ({ body })),
    listPath:
      "/api/v4/projects?membership=true&min_access_level=20&order_by=id&sort=desc&per_page=100&page=2",
    pushedPath: /&order_by=last_activity_at&sort=desc&/,
    requests: 7,
  });

  test("refuses a token without the scope that it needs", async () => {
    host.answerInstead((_request, response) => response.writeHead(403).end('{"error":"insufficient_scope"}'));
    await assert.rejects(host.git().checkToken(host.access()), rejectedWith("TOKEN_REFUSED", /read_api/));
  });

  test("lists what changed between two commits, if GitLab lists all of it", async () => {
    // https://docs.gitlab.com/api/repositories/#compare-branches-tags-or-commits and #merge-base
    const from = "a".repeat(40);
    const file = (path: string, earlier = path) => ({
      old_path: earlier,
      new_path: path,
      renamed_file: false,
    });
    const between = async (common: object | null, compared: object) => {
      const addresses: string[] = [];
      host.answerInstead((request, response) => {
        addresses.push(request.url ?? "");
        const answer = (request.url ?? "").includes("merge_base") ? common : compared;
        response
          .writeHead(answer === null ? 404 : 200, { "content-type": "application/json" })
          .end(JSON.stringify(answer));
      });
      const { git, access, repository } = host;
      const found = await git().listChangesBetween(access(), repository("acme/sub/open"), from, COMMIT);
      const at = "/api/v4/projects/acme%2Fsub%2Fopen/repository";
      assert.equal(addresses[0], `${at}/merge_base?refs[]=${from}&refs[]=${COMMIT}`);
      if (addresses.length > 1) assert.equal(addresses[1], `${at}/compare?from=${from}&to=${COMMIT}`);
      return found;
    };
    const diffs = [file("web/a"), file("new", "old")];
    const compared = { commits: [], diffs, compare_timeout: false, compare_same_ref: false };
    assert.deepEqual(await between({ id: from }, compared), ["web/a", "new", "old"]);
    assert.equal(await between({ id: "b".repeat(40) }, compared), null);
    assert.equal(await between(null, compared), null);
    assert.equal(await between({ id: from }, { ...compared, compare_timeout: true }), null);
    const many = Array.from({ length: 1_000 }, (_, index) => file(String(index)));
    assert.equal(await between({ id: from }, { ...compared, diffs: many }), null);
  });

  test("treats an id that is not a number as unknown", async () => {
    host.answerInstead((request, response) => {
      if ((request.url ?? "").includes("/users?")) {
        response.end(JSON.stringify([{ id: "../../../user", username: "ann", state: "active" }]));
      } else answerApi(request, response);
    });
    await assert.rejects(
      host.git().userCanRead(host.access(), host.repository("acme/sub/closed"), "ann"),
      rejectedWith("HOST_UNAVAILABLE"),
    );
  });
});
