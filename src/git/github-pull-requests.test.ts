import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { answerPage } from "../../test/helpers/git/paged.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import { type LocalServer, startLocalServer } from "../../test/helpers/git/local-server.ts";
import { CANARY_TOKEN, holdsToken, rejectedWith } from "../../test/helpers/git/rejections.ts";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import { type Git, GitError } from "./git.ts";
import { makeGithub } from "./github.ts";
import { makeGuardedClient } from "./http-client.ts";
import type { DeploymentReport } from "./pull-requests.ts";
import { parseRepositoryUrl } from "./repository-url.ts";

/** A delivery of GitHub, whose `pull_request` has the form of its lists: https://github.com/octokit/webhooks (MIT). */
const RECORDED = JSON.parse(readFileSync("test/helpers/git/recorded/github-pull-request.json", "utf8")) as {
  readonly pull_request: Pull;
};
type Pull = Record<string, unknown> & {
  number: number;
  state: string;
  updated_at: string;
  head: Record<string, unknown>;
  base: Record<string, unknown>;
};
type Call = {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
};

const ACCESS = { provider: "provider_a", host: null, token: CANARY_TOKEN } as const;
const HELLO = parseRepositoryUrl("https://github.com/Codertocat/Hello-World");
const COMMIT = "ec26c3e57ca3a959ca5aad62de7213c562f8c821";
const PATH = "/repos/Codertocat/Hello-World";
const RECENT = `${PATH}/pulls?state=all&sort=updated&direction=desc&per_page=100`;
const DEPLOYMENT: DeploymentReport = {
  id: null,
  commit: COMMIT,
  ref: "changes",
  environment: "preview/pr-2",
  isPreview: true,
  state: "in_progress",
  url: "https://web-pr-2.example.com",
  logUrl: "https://slipway.example.com/deployments/depl_1",
  description: "Building",
};

describe("pull requests at GitHub", () => {
  let server: LocalServer;
  let git: Git;
  let calls: Call[];
  let pulls: Map<number, Pull>;
  let files: { filename: string; previous_filename?: string }[];
  let comments: { id: number; body: string }[];
  let deployments: { id: number; sha: string; environment: string }[];
  /** Answers a request itself, if it returns true. */
  let instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  let minutes: number;

  /** Changes a pull request, which GitHub notes as its last update. */
  const change = (number: number, more: Partial<Pull> = {}): void => {
    minutes += 1;
    const updated_at = new Date(Date.parse("2026-11-20T10:00:00Z") + minutes * 60_000)
      .toISOString()
      .replace(".000Z", "Z");
    const known = pulls.get(number) ?? { ...RECORDED.pull_request, number };
    pulls.set(number, { ...known, updated_at, ...more });
  };
  const newestFirst = () =>
    [...pulls.values()].toSorted((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at));
  const open = () =>
    [...pulls.values()]
      .filter(({ state }) => state === "open")
      .toSorted((one, other) => one.number - other.number);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const body = method === "GET" ? null : await json(request);
    response.on("finish", () => calls.push({ method, path: url, body, status: response.statusCode }));
    if (instead(request, response)) return;
    const send = (status: number, value: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const { pathname, searchParams } = new URL(url, "https://host");
    const rest = pathname.slice(PATH.length + 1);
    const missing = () => send(404, { message: "Not Found", status: "404" });
    if (!pathname.startsWith(PATH)) return missing();
    if (rest === "") return send(200, { private: false });
    if (rest === "pulls")
      return answerPage(request, response, searchParams.get("state") === "all" ? newestFirst() : open());
    if (rest === "pulls/2/files") return answerPage(request, response, files);
    if (rest === "deployments" && method === "GET") {
      const of = (name: string) => searchParams.get(name);
      const found = deployments.filter(
        ({ sha, environment }) => sha === of("sha") && environment === of("environment"),
      );
      return answerPage(request, response, found.toReversed());
    }
    if (rest === "deployments") {
      const { ref, environment } = body as { ref: string; environment: string };
      deployments.push({ id: 100 + deployments.length, sha: ref, environment });
      return send(201, { ...deployments.at(-1) });
    }
    const deployment = /^deployments\/(\d+)\/statuses$/.exec(rest)?.[1];
    if (deployment !== undefined)
      return deployments.some(({ id }) => id === Number(deployment)) ? send(201, { id: 1 }) : missing();
    if (/^statuses\/[0-9a-f]{40}$/.test(rest)) return send(201, { id: 1 });
    if (rest === "issues/2/comments" && method === "GET") return answerPage(request, response, comments);
    if (rest === "issues/2/comments") {
      comments.push({ id: 500 + comments.length, body: (body as { body: string }).body });
      return send(201, { ...comments.at(-1) });
    }
    const comment = /^issues\/comments\/(\d+)$/.exec(rest)?.[1];
    const edited = comments.find(({ id }) => id === Number(comment));
    if (edited === undefined) return missing();
    edited.body = (body as { body: string }).body;
    return send(200, edited);
  }

  before(async () => {
    server = await startLocalServer("https", (request, response) => void answer(request, response));
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 5_000,
    });
    git = makeGithub({ fetch, apiUrl: server.url, webUrl: server.url });
  });
  after(() => server.close());
  beforeEach(() => {
    calls = [];
    pulls = new Map();
    files = [];
    comments = [];
    deployments = [];
    instead = () => false;
    minutes = 0;
  });

  const list = (tag: string | null = null) => git.listPullRequests(ACCESS, HELLO, tag);
  const numbers = (found: Awaited<ReturnType<typeof list>>) =>
    found?.pullRequests.map(({ number }) => number);
  const failWith = (status: number, headers: Record<string, string> = {}, text = "") => {
    instead = (request, response) => {
      if (new URL(request.url ?? "", "https://h").pathname === PATH) return false;
      response.writeHead(status, headers).end(JSON.stringify({ message: `${text} ${CANARY_TOKEN}` }));
      return true;
    };
  };

  test("are read with their fork, author and labels", async () => {
    const { head } = RECORDED.pull_request;
    change(2);
    change(3, { head: { ...head, ref: "main", repo: { id: 7, full_name: "ann/Hello-World" } } });
    // A deleted fork, and a deleted account.
    change(4, { head: { ...head, repo: null, user: null }, user: null, labels: [], title: "A\u202etext" });
    change(5, { state: "closed" });
    // A stranger chose its branch.
    change(6, { head: { ...head, ref: "a/".repeat(127) + "bc" } });
    const found = await list();
    const recorded = {
      number: 2,
      title: "Update the README with new information.",
      url: "https://github.com/Codertocat/Hello-World/pull/2",
      author: "Codertocat",
      head: { branch: "changes", commit: COMMIT },
      base: "master",
      headRepository: "Codertocat/Hello-World",
      isFork: false,
      labels: ["bug"],
    };
    const at = (number: number) => `https://github.com/Codertocat/Hello-World/pull/${number}`;
    assert.deepEqual(
      found?.pullRequests.toSorted((one, other) => one.number - other.number),
      [
        recorded,
        {
          ...recorded,
          number: 3,
          url: at(3),
          head: { branch: "main", commit: COMMIT },
          headRepository: "ann/Hello-World",
          isFork: true,
        },
        {
          ...recorded,
          number: 4,
          url: at(4),
          title: "Atext",
          author: null,
          headRepository: null,
          isFork: true,
          labels: [],
        },
      ],
    );
  });

  test("cost one conditional request while nothing changes", async () => {
    change(2);
    const { tag = null } = (await list()) ?? {};
    calls.length = 0;
    assert.equal(await list(tag), null);
    assert.deepEqual(
      calls.map(({ path, status }) => [path, status]),
      [[RECENT, 304]],
    );
    // The repository's counts are in each pull request, and change at any time.
    const repo = { ...(RECORDED.pull_request.base["repo"] as object), stargazers_count: 1_000 };
    pulls.set(2, {
      ...RECORDED.pull_request,
      ...pulls.get(2),
      base: { ...RECORDED.pull_request.base, repo },
    });
    calls.length = 0;
    assert.equal(await list(tag), null);
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    for (const changed of [{ labels: [] }, { state: "closed" }, { state: "open" }, { title: "Other" }]) {
      change(2, changed);
      assert.notEqual(await list(tag), null, JSON.stringify(changed));
    }
  });

  test("of many pages are all listed, and a change of the oldest is seen", async () => {
    for (let number = 1; number <= 250; number += 1) change(number);
    const found = await list();
    assert.deepEqual(
      numbers(found)?.toSorted((one, other) => one - other),
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    assert.equal(calls.length, 5, "the recent ones, three pages, and the recent ones again");
    calls.length = 0;
    const { tag = null } = found ?? {};
    assert.equal(await list(tag), null);
    assert.equal(calls.length, 1);
    change(1, { state: "closed" });
    const then = await list(tag);
    assert.equal(then?.pullRequests.length, 249);
    assert.ok(!numbers(then)?.includes(1));
  });

  test("are not lost if others close, reopen or change while the pages are read", async () => {
    for (let number = 1; number <= 250; number += 1) change(number, number === 9 ? { state: "closed" } : {});
    let isFirst = true;
    instead = (request) => {
      // Number 101 moves to the first page, which has been read, and 9 back to it.
      if (isFirst && (request.url ?? "").includes("page=2")) {
        isFirst = false;
        change(1, { state: "closed" });
        change(9, { state: "open" });
        change(3, { head: { ...RECORDED.pull_request.head, sha: "f".repeat(40) } });
      }
      return false;
    };
    const found = await list();
    assert.equal(found?.pullRequests.length, 249);
    assert.deepEqual(
      [1, 9, 101, 102].map((number) => numbers(found)?.includes(number)),
      [false, true, true, true],
    );
    const moved = found?.pullRequests.find(({ number }) => number === 3);
    assert.equal(moved?.head.commit, "f".repeat(40));
    assert.equal(await list(found?.tag), null);
  });

  test("are not taken from a list that is late", async () => {
    for (let number = 1; number <= 101; number += 1) change(number);
    const late = open();
    change(5, { state: "closed" });
    let lateAnswers = 1;
    instead = (request, response) => {
      if (!(request.url ?? "").includes("state=open") || lateAnswers === 0) return false;
      if ((request.url ?? "").endsWith("page=2")) lateAnswers -= 1;
      answerPage(request, response, late);
      return true;
    };
    assert.equal((await list())?.pullRequests.length, 100);
    lateAnswers = 100;
    await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE", /does not show all/));
  });

  test("in another form than GitHub's are refused", async () => {
    for (const wrong of [
      { number: "2" },
      { title: null },
      { head: null },
      { head: { ...RECORDED.pull_request.head, sha: "short" } },
      { base: { ref: "" } },
      { labels: [{ name: 7 }] },
      { updated_at: null },
    ]) {
      pulls.set(2, { ...RECORDED.pull_request, ...wrong } as Pull);
      await assert.rejects(list(), rejectedWith("HOST_UNAVAILABLE", /unreadable/), JSON.stringify(wrong));
    }
  });

  test("change files, with the earlier path of a renamed one", async () => {
    files = Array.from({ length: 119 }, (_, index) => ({ filename: `web/${index}` }));
    files.push({ filename: "api/new", previous_filename: "web/old" });
    const changed = () => git.listChangedFiles(ACCESS, HELLO, 2);
    const found = await changed();
    assert.deepEqual([found?.length, found?.slice(-2)], [121, ["api/new", "web/old"]]);
    files = Array.from({ length: 3_000 }, (_, index) => ({ filename: `web/${index}` }));
    assert.equal(await changed(), null, "GitHub lists no more");
    assert.equal(await git.listChangedFiles(ACCESS, HELLO, 3), null);
    const other = parseRepositoryUrl("https://github.com/acme/none");
    await assert.rejects(git.listChangedFiles(ACCESS, other, 2), rejectedWith("REPOSITORY_NOT_FOUND"));
  });

  test("get a deployment for each commit, once", async () => {
    const report = (more: Partial<DeploymentReport> = {}) =>
      git.reportDeployment(ACCESS, HELLO, { ...DEPLOYMENT, ...more });
    assert.deepEqual(await report(), { id: "100" });
    const writes = calls.filter(({ method }) => method === "POST");
    assert.deepEqual(
      writes.map(({ path, body }) => ({ path, body })),
      [
        {
          path: `${PATH}/deployments`,
          body: {
            ref: COMMIT,
            environment: "preview/pr-2",
            description: "Building",
            auto_merge: false,
            required_contexts: [],
            transient_environment: true,
          },
        },
        {
          path: `${PATH}/deployments/100/statuses`,
          body: {
            state: "in_progress",
            description: "Building",
            environment_url: "https://web-pr-2.example.com",
            log_url: "https://slipway.example.com/deployments/depl_1",
          },
        },
      ],
    );
    // The answer was lost, and then it is known.
    assert.deepEqual(await report({ state: "success" }), { id: "100" });
    assert.deepEqual(await report({ id: "100", state: "inactive", url: null, logUrl: null }), { id: "100" });
    assert.deepEqual(calls.at(-1)?.body, { state: "inactive", description: "Building" });
    assert.deepEqual(await report({ commit: "f".repeat(40) }), { id: "101" });
    // A person deleted it.
    deployments.pop();
    assert.deepEqual(await report({ id: "101", state: "inactive" }), { id: "101" });
    assert.deepEqual(await report({ id: "101", commit: "f".repeat(40) }), { id: "101" });
    calls.length = 0;
    assert.deepEqual(await report({ commit: "a".repeat(40), state: "inactive" }), { id: null });
    assert.ok(
      calls.every(({ method }) => method === "GET"),
      "there is nothing to end",
    );
  });

  test("have one comment, which is edited", async () => {
    const write = (text: string, id: string | null) =>
      git.writeComment(ACCESS, HELLO, { number: 2, id, marker: "prev_1", text });
    for (let index = 0; index < 120; index += 1) comments.push({ id: index + 1, body: "A person's" });
    const { id } = await write("Building", null);
    assert.deepEqual(await write("Ready", id), { id });
    assert.deepEqual(await write("Ready again", null), { id }, "found by its marker on the second page");
    assert.equal(comments.at(-1)?.body, "Ready again\n\n<!-- slipway:prev_1 -->");
    assert.equal(comments.length, 121);
    comments.pop();
    const next = await write("After a person deleted it", id);
    assert.equal(comments.length, 121);
    assert.equal(comments.at(-1)?.id, Number(next.id));
  });

  test("get statuses of their commits", async () => {
    const description = "x".repeat(139).concat("🚢 and more");
    const url = "https://slipway.example.com/deployments/depl_1";
    const status = {
      commit: COMMIT,
      context: "slipway/preview",
      state: "success",
      url,
      description,
    } as const;
    await git.reportStatus(ACCESS, HELLO, status);
    await git.reportStatus(ACCESS, HELLO, { ...status, url: null });
    assert.deepEqual(
      calls.map(({ path, body }) => [path, body]),
      [
        [
          `${PATH}/statuses/${COMMIT}`,
          { state: "success", context: "slipway/preview", description: "x".repeat(139), target_url: url },
        ],
        [
          `${PATH}/statuses/${COMMIT}`,
          { state: "success", context: "slipway/preview", description: "x".repeat(139) },
        ],
      ],
    );
  });

  const reports: Record<string, () => Promise<unknown>> = {
    listing: () => list(),
    files: () => git.listChangedFiles(ACCESS, HELLO, 2),
    deployments: () => git.reportDeployment(ACCESS, HELLO, { ...DEPLOYMENT, id: "100" }),
    comments: () => git.writeComment(ACCESS, HELLO, { number: 2, id: null, marker: "m", text: "t" }),
    statuses: () =>
      git.reportStatus(ACCESS, HELLO, {
        commit: COMMIT,
        context: "c",
        state: "pending",
        url: null,
        description: "d",
      }),
  };
  for (const [name, call] of Object.entries(reports)) {
    test(`refuse ${name} that the token may not use, and say which permission it needs`, async () => {
      failWith(403, {}, "Resource not accessible by personal access token");
      await assert.rejects(call(), rejectedWith("PERMISSION_MISSING", /Give .* token (?:read|write) access/));
      failWith(401);
      await assert.rejects(call(), rejectedWith("TOKEN_REFUSED"));
      const resetAt = String(Math.ceil(Date.now() / 1_000) + 120);
      for (const [status, headers, text, seconds] of [
        [429, { "retry-after": "17" }, "", 17],
        [403, { "retry-after": "60" }, "", 60],
        [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": resetAt }, "", 120],
        [403, {}, "You have exceeded a secondary rate limit", null],
        [429, { "retry-after": "999999" }, "", 3_600],
      ] as const) {
        failWith(status, headers, text);
        await assert.rejects(call(), (error) => {
          assert.ok(rejectedWith("HOST_UNAVAILABLE", /rate limit/)(error) && error instanceof GitError);
          // The clock may have moved on.
          const off = Math.abs((error.retryAfterSeconds ?? 0) - (seconds ?? 0));
          assert.ok(off <= 2 && (error.retryAfterSeconds === null) === (seconds === null), `${status}`);
          return true;
        });
      }
      failWith(500);
      await assert.rejects(call(), rejectedWith("HOST_UNAVAILABLE", /500/));
    });
  }

  test("distinguish a hidden repository from a permission that is missing", async () => {
    const reportStatus = async () => await reports["statuses"]?.();
    // Classic tokens get this status without the scope, but see the commit.
    failWith(404);
    const refuse = instead;
    instead = (request, response) => {
      if (!(request.url ?? "").includes("/git/commits/")) return refuse(request, response);
      response.writeHead(200).end("{}");
      return true;
    };
    await assert.rejects(reportStatus(), rejectedWith("PERMISSION_MISSING"));
    for (const status of [404, 400, 422]) {
      failWith(status);
      await assert.rejects(reportStatus(), rejectedWith("REPORT_IMPOSSIBLE", /may no longer exist/));
    }
    failWith(404);
    await assert.rejects(
      git.writeComment(ACCESS, HELLO, { number: 77, id: null, marker: "m", text: "t" }),
      rejectedWith("REPORT_IMPOSSIBLE"),
    );
    failWith(404);
    await assert.rejects(list(), rejectedWith("REPOSITORY_NOT_FOUND"));
    instead = (_request, response) => {
      response.writeHead(404).end("{}");
      return true;
    };
    await assert.rejects(reportStatus(), rejectedWith("REPOSITORY_NOT_FOUND"));
    assert.ok(!calls.some(({ path, body }) => holdsToken(path) || holdsToken(JSON.stringify(body))));
  });
});
