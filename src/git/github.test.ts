import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { parseAllowedHosts } from "./address-rules.ts";
import type { Git, GitAccess } from "./git.ts";
import { makeGithub } from "./github.ts";
import { makeGuardedFetch } from "./guarded-fetch.ts";
import { FILE_BYTES_MAX } from "./http-exchange.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { TEST_CERTIFICATE } from "./testing/certificate.ts";
import { answerGit } from "./testing/fake-git-host.ts";
import { startLocalServer } from "./testing/local-server.ts";
import type { LocalServer } from "./testing/local-server.ts";
import { CANARY_TOKEN, holdsToken, rejectedWith } from "./testing/rejections.ts";

const COMMIT = "c".repeat(40);
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

describe("GitHub", () => {
  let server: LocalServer;
  let github: Git;
  let addresses: string[];
  /** One test's answer in place of the usual. */
  let instead: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  beforeEach(() => {
    addresses = [];
    instead = null;
  });

  const access = (token: string | null = CANARY_TOKEN): GitAccess => ({
    provider: "provider_a",
    host: null,
    token,
  });
  const repository = (name: string) => parseRepositoryUrl(`https://github.com/${name}`);

  function answerApi(request: IncomingMessage, response: ServerResponse): void {
    const json = (status: number, body: unknown) => {
      response
        .writeHead(status, { "content-type": "application/json; charset=utf-8" })
        .end(JSON.stringify(body));
    };
    const { authorization } = request.headers;
    const url = new URL(request.url ?? "", "https://h");
    if (authorization !== undefined && authorization !== `token ${CANARY_TOKEN}`) {
      return json(401, { message: `Bad credentials ${authorization}` });
    }
    if (url.pathname === "/rate_limit") return json(200, { resources: {}, rate: {} });
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
    const file = files[decodeURIComponent(/^contents\/(.+)$/.exec(rest)?.[1] ?? "")];
    if (file === undefined || url.searchParams.get("ref") !== COMMIT)
      return json(404, { message: "Not Found" });
    if (request.headers.accept !== "application/vnd.github.v3.raw") return json(200, { content: "Base64" });
    response.writeHead(200, { "content-type": file.type }).end(file.body);
  }

  before(async () => {
    server = await startLocalServer("https", (request, response) => {
      addresses.push(request.url ?? "");
      if (instead !== null) return instead(request, response);
      if ((request.url ?? "").includes(".git/")) {
        const authorization = `Basic ${Buffer.from(`x-access-token:${CANARY_TOKEN}`).toString("base64")}`;
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
    github = makeGithub({ fetch, apiUrl: server.url, webUrl: server.url });
  });
  after(() => server.close());

  test("lists branches with the token in the way that GitHub wants it", async () => {
    assert.deepEqual(await github.listBranches(access(), repository("acme/closed")), [
      { name: "main", commit: COMMIT },
    ]);
  });

  const contents: readonly (readonly [path: string, content: string | null])[] = [
    ["slipway.json", '{"name":"ünï"}'],
    ["deploy/with space #1.json", "{}"],
    ["empty", ""],
    ["full", "a".repeat(FILE_BYTES_MAX)],
    ["binary", "a\ufffd"],
    ["folder", null],
    ["missing.json", null],
  ];
  for (const [path, content] of contents) {
    test(`reads ${path} as ${content === null ? "none" : `${content.length} characters`}`, async () => {
      assert.equal(await github.readFile(access(), repository("acme/closed"), COMMIT, path), content);
    });
  }

  test("knows without asking that a path out of the tree names no file", async () => {
    for (const path of ["", "/slipway.json", "../x", "a/../b", "a//b", "a\\b", "a\nb", "./x", "\ud800"]) {
      assert.equal(await github.readFile(access(), repository("acme/open"), COMMIT, path), null);
    }
    assert.deepEqual(addresses, []);
  });

  test("refuses a file of more than 1 MiB", async () => {
    await assert.rejects(
      github.readFile(access(), repository("acme/open"), COMMIT, "large"),
      rejectedWith("FILE_TOO_LARGE"),
    );
  });

  test("tells a missing repository from a missing file", async () => {
    await assert.rejects(
      github.readFile(access(), repository("acme/none"), COMMIT, "slipway.json"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  const readers: readonly (readonly [name: string, login: string, canRead: boolean])[] = [
    ["acme/open", "anyone", true],
    ["acme/closed", "ann", true],
    ["acme/closed", "cy", true],
    ["acme/closed", "bob", false],
    ["acme/closed", "stranger", false],
    ["acme/closed", "../../open", false],
    ["acme/closed", "", false],
  ];
  for (const [name, login, canRead] of readers) {
    test(`says that "${login}" ${canRead ? "may" : "may not"} read ${name}`, async () => {
      assert.equal(await github.userCanRead(access(), repository(name), login), canRead);
    });
  }

  test("says that a private repository is not found without a token", async () => {
    await assert.rejects(
      github.userCanRead(access(null), repository("acme/closed"), "ann"),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  test("takes a token that works, and refuses one that does not and none", async () => {
    await github.checkToken(access());
    await assert.rejects(
      github.checkToken(access(`${CANARY_TOKEN}x`)),
      rejectedWith("TOKEN_REFUSED", /expired/),
    );
    await assert.rejects(github.checkToken(access(null)), rejectedWith("TOKEN_REFUSED"));
    assert.deepEqual(addresses, ["/rate_limit", "/rate_limit"]);
  });

  const refusals = [
    [401, {}, "TOKEN_REFUSED"],
    [403, {}, "REPOSITORY_DENIED"],
    [403, { "retry-after": "60" }, "HOST_UNAVAILABLE"],
    [404, {}, "REPOSITORY_NOT_FOUND"],
    [429, {}, "HOST_UNAVAILABLE"],
    [500, {}, "HOST_UNAVAILABLE"],
    [301, { location: "https://example.com/" }, "HOST_REFUSED"],
  ] as const;
  for (const [status, headers, code] of refusals) {
    test(`takes a status ${status} ${JSON.stringify(headers)} for ${code}, saying nothing to the console`, async (t) => {
      const written = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
        t.mock.method(console, name, () => {}),
      );
      instead = (request, response) => {
        const message = `echo ${request.headers.authorization ?? ""}`;
        response.writeHead(status, { ...headers, "content-type": "application/json" });
        response.end(JSON.stringify({ message, documentation_url: "https://docs.github.com" }));
      };
      for (const call of [
        () => github.userCanRead(access(), repository("acme/closed"), "ann"),
        () => github.readFile(access(), repository("acme/closed"), COMMIT, "slipway.json"),
      ]) {
        await assert.rejects(call(), rejectedWith(code));
      }
      assert.deepEqual(
        written.map(({ mock }) => mock.callCount()),
        [0, 0, 0, 0, 0],
      );
    });
  }

  test("refuses answers that are not GitHub's", async () => {
    for (const [type, body] of [
      ["text/html", "<!doctype html>"],
      ["application/json", "<!doctype html>"],
      ["application/json", "null"],
      ["application/json", "{}"],
    ]) {
      instead = (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
      await assert.rejects(
        github.userCanRead(access(), repository("acme/closed"), "ann"),
        rejectedWith("HOST_UNAVAILABLE"),
      );
      await assert.rejects(github.checkToken(access()), rejectedWith("HOST_UNAVAILABLE"));
    }
  });

  test("gives up on an API that hangs", async () => {
    const fetch = makeGuardedFetch({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 150,
    });
    instead = () => {};
    const slow = makeGithub({ fetch, apiUrl: server.url });
    await assert.rejects(slow.checkToken(access()), rejectedWith("HOST_UNAVAILABLE", /in time/));
  });

  test("dials no inside address for the API either", async () => {
    const fetch = makeGuardedFetch({ allowedHosts: parseAllowedHosts([]) });
    const guarded = makeGithub({ fetch, apiUrl: server.url, webUrl: server.url });
    await assert.rejects(guarded.checkToken(access()), rejectedWith("HOST_REFUSED", /loopback/));
    await assert.rejects(
      guarded.listBranches(access(), repository("acme/open")),
      rejectedWith("HOST_REFUSED", /loopback/),
    );
    assert.deepEqual(addresses, []);
  });

  test("puts the token into no address", async () => {
    await github.listBranches(access(), repository("acme/closed"));
    await github.readFile(access(), repository("acme/closed"), COMMIT, "slipway.json");
    await github.userCanRead(access(), repository("acme/closed"), "ann");
    assert.equal(addresses.length, 5);
    assert.ok(!addresses.some(holdsToken));
  });
});
