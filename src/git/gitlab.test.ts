import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { parseAllowedHosts } from "./address-rules.ts";
import type { Git, GitAccess } from "./git.ts";
import { makeGitlab } from "./gitlab.ts";
import { makeGuardedFetch } from "./guarded-fetch.ts";
import { FILE_BYTES_MAX } from "./http-exchange.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { TEST_CERTIFICATE } from "./testing/certificate.ts";
import { answerGit } from "./testing/fake-git-host.ts";
import { startLocalServer } from "./testing/local-server.ts";
import type { LocalServer } from "./testing/local-server.ts";
import { CANARY_TOKEN, holdsToken, rejectedWith } from "./testing/rejections.ts";

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
const files: Record<string, string | Buffer> = {
  "slipway.json": '{"name":"ünï"}',
  "deploy/with space #1.json": "{}",
  empty: "",
  full: Buffer.alloc(FILE_BYTES_MAX, 97),
  large: Buffer.alloc(FILE_BYTES_MAX + 1, 97),
};

describe("GitLab", () => {
  let server: LocalServer;
  let gitlab: Git;
  let addresses: string[];
  /** One test's answer in place of the usual. */
  let instead: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  beforeEach(() => {
    addresses = [];
    instead = null;
  });

  const access = (token: string | null = CANARY_TOKEN): GitAccess => ({
    provider: "provider_b_self_hosted",
    host: server.host,
    token,
  });
  const repository = (path: string) => parseRepositoryUrl(`${server.url}/${path}`);

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
    const file = files[decodeURIComponent(/^repository\/files\/([^/]+)\/raw$/.exec(rest)?.[1] ?? "")];
    if (file === undefined || url.searchParams.get("ref") !== COMMIT) {
      return json(404, { message: "404 File Not Found" });
    }
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(file);
  }

  before(async () => {
    server = await startLocalServer("https", (request, response) => {
      addresses.push(request.url ?? "");
      if (instead !== null) return instead(request, response);
      if ((request.url ?? "").includes(".git/")) {
        const authorization = `Basic ${Buffer.from(`oauth2:${CANARY_TOKEN}`).toString("base64")}`;
        if (request.headers.authorization !== authorization) return response.writeHead(401).end();
        return answerGit(request, response, [{ name: "refs/heads/main", oid: COMMIT }], 2);
      }
      return answerApi(request, response);
    });
    const fetch = makeGuardedFetch({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 2000,
    });
    gitlab = makeGitlab({ fetch });
  });
  after(() => server.close());

  test("lists branches with the token in the way that GitLab wants it", async () => {
    assert.deepEqual(await gitlab.listBranches(access(), repository("acme/sub/closed")), [
      { name: "main", commit: COMMIT },
    ]);
  });

  const contents: readonly (readonly [path: string, content: string | null])[] = [
    ["slipway.json", '{"name":"ünï"}'],
    ["deploy/with space #1.json", "{}"],
    ["empty", ""],
    ["full", "a".repeat(FILE_BYTES_MAX)],
    ["missing.json", null],
  ];
  for (const [path, content] of contents) {
    test(`reads ${path} as ${content === null ? "none" : `${content.length} characters`}`, async () => {
      assert.equal(await gitlab.readFile(access(), repository("acme/sub/closed"), COMMIT, path), content);
    });
  }

  test("knows without asking that a path out of the tree names no file", async () => {
    assert.equal(await gitlab.readFile(access(), repository("acme/open"), COMMIT, "../x"), null);
    assert.deepEqual(addresses, []);
  });

  test("refuses a file of more than 1 MiB", async () => {
    await assert.rejects(
      gitlab.readFile(access(), repository("acme/open"), COMMIT, "large"),
      rejectedWith("FILE_TOO_LARGE"),
    );
  });

  test("tells a missing project from a missing file", async () => {
    await assert.rejects(
      gitlab.readFile(access(), repository("acme/none"), COMMIT, "slipway.json"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  const readers: readonly (readonly [path: string, login: string, canRead: boolean])[] = [
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
  ];
  for (const [path, login, canRead] of readers) {
    test(`says that "${login}" ${canRead ? "may" : "may not"} read ${path}`, async () => {
      assert.equal(await gitlab.userCanRead(access(), repository(path), login), canRead);
    });
  }

  test("says that a private project is not found without a token", async () => {
    await assert.rejects(
      gitlab.userCanRead(access(null), repository("acme/sub/closed"), "ann"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  test("takes a token that works, and refuses one that does not and none", async () => {
    await gitlab.checkToken(access());
    await assert.rejects(
      gitlab.checkToken(access(`${CANARY_TOKEN}x`)),
      rejectedWith("TOKEN_REFUSED", /expired/),
    );
    await assert.rejects(gitlab.checkToken(access(null)), rejectedWith("TOKEN_REFUSED"));
    instead = (_request, response) => response.writeHead(403).end('{"error":"insufficient_scope"}');
    await assert.rejects(gitlab.checkToken(access()), rejectedWith("TOKEN_REFUSED", /read_api/));
  });

  const refusals = [
    [401, "TOKEN_REFUSED"],
    [403, "REPOSITORY_DENIED"],
    [404, "REPOSITORY_NOT_FOUND"],
    [429, "HOST_UNAVAILABLE"],
    [502, "HOST_UNAVAILABLE"],
    [302, "HOST_REFUSED"],
  ] as const;
  for (const [status, code] of refusals) {
    test(`takes a status ${status} for ${code}, without the host's words`, async () => {
      instead = (request, response) => {
        response.writeHead(status, { location: "/users/sign_in", "content-type": "text/html" });
        response.end(`<html>echo ${request.headers.authorization ?? ""}`);
      };
      for (const call of [
        () => gitlab.userCanRead(access(), repository("acme/sub/closed"), "ann"),
        () => gitlab.readFile(access(), repository("acme/sub/closed"), COMMIT, "slipway.json"),
      ]) {
        await assert.rejects(call(), rejectedWith(code));
      }
    });
  }

  test("refuses answers that are not GitLab's", async () => {
    for (const body of [`<html>${CANARY_TOKEN}`, "null", "[]", '"text"', ""]) {
      instead = (_request, response) => response.end(body);
      await assert.rejects(
        gitlab.userCanRead(access(), repository("acme/sub/closed"), "ann"),
        rejectedWith("HOST_UNAVAILABLE"),
      );
      await assert.rejects(gitlab.checkToken(access()), rejectedWith("HOST_UNAVAILABLE"));
    }
  });

  test("takes an id that is no number for no user of GitLab's", async () => {
    instead = (request, response) => {
      if ((request.url ?? "").includes("/users?")) {
        response.end(JSON.stringify([{ id: "../../../user", username: "ann", state: "active" }]));
      } else answerApi(request, response);
    };
    await assert.rejects(
      gitlab.userCanRead(access(), repository("acme/sub/closed"), "ann"),
      rejectedWith("HOST_UNAVAILABLE"),
    );
  });

  test("puts the token into no address", async () => {
    await gitlab.listBranches(access(), repository("acme/sub/closed"));
    await gitlab.readFile(access(), repository("acme/sub/closed"), COMMIT, "slipway.json");
    await gitlab.userCanRead(access(), repository("acme/sub/closed"), "ann");
    assert.equal(addresses.length, 6);
    assert.ok(!addresses.some(holdsToken));
  });
});
