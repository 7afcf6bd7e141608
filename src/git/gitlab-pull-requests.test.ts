import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { answerPage } from "../../test/helpers/git/paged.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import { type LocalServer, startLocalServer } from "../../test/helpers/git/local-server.ts";
import { CANARY_TOKEN, rejectedWith } from "../../test/helpers/git/rejections.ts";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import type { Git, GitAccess, Repository } from "./git.ts";
import { makeGitlab } from "./gitlab.ts";
import { makeGuardedClient } from "./http-client.ts";
import type { DeploymentReport, StatusReport } from "./pull-requests.ts";
import { parseRepositoryUrl } from "./repository-url.ts";

/** A merge request as GitLab lists it: https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests */
const RECORDED = JSON.parse(
  readFileSync("test/helpers/git/recorded/gitlab-merge-request.json", "utf8"),
) as MergeRequest;
type MergeRequest = Record<string, unknown> & { iid: number; state: string; updated_at: string };
type Call = { readonly method: string; readonly path: string; readonly body: unknown };
type Deployment = { id: number; sha: string; status: string; environment: { name: string } };

const COMMIT = "8".repeat(40);
const PROJECT = "/api/v4/projects/my-group%2Fmy-project";
const DEPLOYMENT: DeploymentReport = {
  id: null,
  commit: COMMIT,
  ref: "changes",
  environment: "preview/pr-2",
  isPreview: true,
  state: "in_progress",
  url: "https://web-pr-2.example.com",
  logUrl: null,
  description: "Building",
};

describe("merge requests at GitLab", () => {
  let server: LocalServer;
  let git: Git;
  let access: GitAccess;
  let project: Repository;
  let calls: Call[];
  let requests: MergeRequest[];
  let diffs: { old_path: string; new_path: string }[];
  let changesCount: string;
  let notes: { id: number; body: string }[];
  let deployments: Deployment[];
  let environments: { id: number; name: string; external_url: string | null; state: string; tier?: string }[];
  let statuses: { name: string; status: string; target_url?: string }[];
  let refusal: number | null;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const body = (method === "GET" ? {} : await json(request)) as Record<string, string>;
    const { pathname, searchParams } = new URL(url, "https://host");
    const rest = pathname.slice(PROJECT.length + 1);
    calls.push({ method, path: rest, body });
    const send = (status: number, value: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const missing = () => send(404, { message: "404 Not found" });
    if (pathname === "/api/v4/projects/9") return send(200, { path_with_namespace: "ann/my-project" });
    if (!pathname.startsWith(PROJECT)) return missing();
    if (refusal !== null && rest !== "") return send(refusal, { error: "insufficient_scope" });
    if (rest === "") return send(200, { id: 3, visibility: "private" });
    if (rest === "merge_requests") {
      const by = (name: "updated_at" | "created_at") => (one: MergeRequest, other: MergeRequest) =>
        String(one[name]).localeCompare(String(other[name]));
      const found =
        searchParams.get("state") === "all"
          ? requests.toSorted(by("updated_at")).toReversed()
          : requests.filter(({ state }) => state === "opened").toSorted(by("created_at"));
      return answerPage(request, response, found);
    }
    if (rest === "merge_requests/2") return send(200, { ...RECORDED, changes_count: changesCount });
    if (rest === "merge_requests/2/diffs") return answerPage(request, response, diffs);
    if (rest === "merge_requests/2/notes" && method === "GET") return answerPage(request, response, notes);
    if (rest === "merge_requests/2/notes") {
      notes.push({ id: 300 + notes.length, body: body["body"] ?? "" });
      return send(201, { ...notes.at(-1) });
    }
    const note = /^merge_requests\/2\/notes\/(\d+)$/.exec(rest)?.[1];
    if (note !== undefined) {
      const found = notes.find(({ id }) => id === Number(note));
      if (found === undefined) return missing();
      found.body = body["body"] ?? "";
      return send(200, found);
    }
    if (rest === "environments" && method === "GET")
      return answerPage(
        request,
        response,
        environments.filter(({ name }) => name === searchParams.get("name")),
      );
    if (rest === "environments") {
      const { name = "", external_url: address = null, tier = "production" } = body;
      environments.push({
        id: 70 + environments.length,
        name,
        external_url: address,
        state: "available",
        tier,
      });
      return send(201, { ...environments.at(-1) });
    }
    const [, environmentId, stop] = /^environments\/(\d+)(\/stop)?$/.exec(rest) ?? [];
    const environment = environments.find(({ id }) => id === Number(environmentId));
    if (environment !== undefined) {
      if (stop === undefined) environment.external_url = body["external_url"] ?? null;
      else environment.state = "stopped";
      return send(200, environment);
    }
    if (rest === "deployments" && method === "GET") {
      const found = deployments.filter(({ environment: of }) => of.name === searchParams.get("environment"));
      return answerPage(request, response, found.toReversed());
    }
    if (rest === "deployments") {
      const { sha = "", status = "", environment: name = "" } = body;
      deployments.push({ id: 40 + deployments.length, sha, status, environment: { name } });
      return send(201, { ...deployments.at(-1) });
    }
    const deployment = deployments.find(({ id }) => rest === `deployments/${id}`);
    if (deployment !== undefined) {
      if (method === "GET") return send(200, deployment);
      // GitLab's state machine has no transition to the present state, or back to running.
      if (deployment.status === body["status"] || body["status"] === "running")
        return send(400, { message: { status: ["cannot transition"] } });
      deployment.status = body["status"] ?? "";
      return send(200, deployment);
    }
    if (rest === `repository/commits/${COMMIT}/statuses`)
      return answerPage(
        request,
        response,
        statuses.filter(({ name }) => name === searchParams.get("name")),
      );
    if (rest === `statuses/${COMMIT}`) {
      const { name = "", state = "" } = body;
      const present = statuses.find((one) => one.name === name);
      if (present?.status === state)
        return send(400, {
          message:
            'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")',
        });
      if (present === undefined) statuses.push({ name, status: state });
      else present.status = state;
      return send(201, { id: 1 });
    }
    return missing();
  }

  before(async () => {
    server = await startLocalServer("https", (request, response) => void answer(request, response));
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      trustedCa: TEST_CERTIFICATE,
      totalTimeoutMs: 5_000,
    });
    git = makeGitlab({ fetch });
    access = { provider: "provider_b_self_hosted", host: server.host, token: CANARY_TOKEN };
    project = parseRepositoryUrl(`${server.url}/my-group/my-project`);
  });
  after(() => server.close());
  beforeEach(() => {
    calls = [];
    requests = [RECORDED];
    diffs = [];
    changesCount = "1";
    notes = [];
    deployments = [];
    environments = [];
    statuses = [];
    refusal = null;
  });

  const list = (tag: string | null = null) => git.listPullRequests(access, project, tag);
  const report = (more: Partial<DeploymentReport> = {}) =>
    git.reportDeployment(access, project, { ...DEPLOYMENT, ...more });

  test("are read with their fork, author and labels", async () => {
    requests = [
      RECORDED,
      { ...RECORDED, iid: 3, source_project_id: 9, source_branch: "main" },
      { ...RECORDED, iid: 4, source_project_id: 10 },
      { ...RECORDED, iid: 5, source_project_id: null, author: null, labels: [] },
      { ...RECORDED, iid: 6, state: "merged" },
      { ...RECORDED, iid: 7, state: "closed", source_project_id: 11 },
      // Its branch never had a commit.
      { ...RECORDED, iid: 8, sha: null },
      // A stranger chose its branch.
      { ...RECORDED, iid: 9, source_project_id: 9, source_branch: "a/".repeat(127) + "bc" },
    ];
    const recorded = {
      number: 2,
      title: "Update the README with new information.",
      url: `${server.url}/my-group/my-project/-/merge_requests/2`,
      author: "admin",
      head: { branch: "changes", commit: COMMIT },
      base: "main",
      headRepository: "my-group/my-project",
      isFork: false,
      labels: ["Community contribution", "Manage"],
    };
    const found = await list();
    const at = (number: number) => ({
      ...recorded,
      number,
      url: `${server.url}/my-group/my-project/-/merge_requests/${number}`,
    });
    assert.deepEqual(
      found?.pullRequests.toSorted((one, other) => one.number - other.number),
      [
        recorded,
        {
          ...at(3),
          head: { branch: "main", commit: COMMIT },
          headRepository: "ann/my-project",
          isFork: true,
        },
        { ...at(4), headRepository: null, isFork: true },
        { ...at(5), author: null, headRepository: null, isFork: true, labels: [] },
      ],
    );
    calls.length = 0;
    assert.equal(await list(found?.tag), null);
    assert.equal(calls.length, 1);
    requests[0] = { ...RECORDED, labels: [] };
    assert.deepEqual((await list(found?.tag))?.pullRequests.length, 4, "a label is seen without an update");
  });

  test("of many pages are all listed, and a close of the oldest is seen", async () => {
    const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000).toISOString();
    requests = Array.from({ length: 230 }, (_, index) => ({
      ...RECORDED,
      iid: index + 1,
      created_at: at(index),
      updated_at: at(index),
    }));
    const found = await list();
    assert.equal(new Set(found?.pullRequests.map(({ number }) => number)).size, 230);
    assert.equal(await list(found?.tag), null);
    requests[0] = { ...RECORDED, iid: 1, state: "merged", created_at: at(0), updated_at: at(9_999) };
    assert.equal((await list(found?.tag))?.pullRequests.length, 229);
  });

  test("change files, as many as GitLab lists", async () => {
    diffs = Array.from({ length: 40 }, (_, index) => ({
      old_path: `web/${index}`,
      new_path: `web/${index}`,
    }));
    diffs.push({ old_path: "web/old", new_path: "api/new" });
    const changed = () => git.listChangedFiles(access, project, 2);
    const found = await changed();
    assert.deepEqual([found?.length, found?.slice(-2)], [42, ["api/new", "web/old"]]);
    changesCount = "1000+";
    assert.equal(await changed(), null);
    assert.equal(await git.listChangedFiles(access, project, 3), null);
  });

  test("get an environment with its address, and a deployment that ends once", async () => {
    assert.deepEqual(await report(), { id: "40" });
    assert.deepEqual(
      environments.map(({ name, external_url, tier }) => [name, external_url, tier]),
      [["preview/pr-2", "https://web-pr-2.example.com", "development"]],
    );
    assert.deepEqual(deployments[0], {
      id: 40,
      sha: COMMIT,
      status: "running",
      environment: { name: "preview/pr-2" },
    });
    assert.deepEqual(await report({ state: "queued", url: null }), { id: "40" }, "GitLab has no such state");
    assert.deepEqual(await report({ id: "40", state: "success", url: "https://other.example.com" }), {
      id: "40",
    });
    assert.deepEqual(await report({ id: "40", state: "success" }), { id: "40" }, "it is repeated");
    assert.equal(environments[0]?.external_url, "https://web-pr-2.example.com");
    assert.equal(deployments[0]?.status, "success");
    // A deployment that ended does not run again.
    assert.deepEqual(await report({ id: "40", state: "in_progress" }), { id: "41" });
    assert.deepEqual(await report({ commit: "9".repeat(40) }), { id: "42" });
    // The end of an earlier commit's deployment leaves the environment as it is.
    assert.deepEqual(await report({ id: "41", state: "inactive" }), { id: "41" });
    assert.equal(environments[0]?.state, "available");
    assert.equal(deployments[1]?.status, "canceled");
    for (let times = 1; times <= 2; times += 1)
      assert.deepEqual(await report({ id: "42", state: "inactive" }), { id: "42" });
    assert.equal(environments[0]?.state, "stopped");
    assert.equal(calls.filter(({ path }) => path.endsWith("/stop")).length, 1);
    assert.deepEqual(await report({ environment: "never", state: "inactive" }), { id: null });
    assert.equal(environments.length, 1);
  });

  test("have one note, which is edited", async () => {
    const write = (text: string, id: string | null) =>
      git.writeComment(access, project, { number: 2, id, marker: "prev_1", text });
    const { id } = await write("Building", null);
    assert.deepEqual(await write("Ready", null), { id });
    assert.deepEqual(notes, [{ id: 300, body: "Ready\n\n<!-- slipway:prev_1 -->" }]);
    notes = [];
    await write("After a person deleted it", id);
    assert.equal(notes.length, 1);
  });

  test("get statuses of their commits, in a state that GitLab accepts", async () => {
    const status: StatusReport = {
      commit: COMMIT,
      context: "slipway/preview",
      state: "pending",
      url: "https://slipway.example.com",
      description: "Building",
    };
    for (const state of ["pending", "pending", "failure", "success", "success"] as const)
      await git.reportStatus(access, project, { ...status, state });
    assert.deepEqual(statuses, [{ name: "slipway/preview", status: "success" }]);
    assert.deepEqual(calls.find(({ method }) => method === "POST")?.body, {
      state: "pending",
      name: "slipway/preview",
      description: "Building",
      target_url: "https://slipway.example.com",
    });
    await assert.rejects(
      git.reportStatus(access, project, { ...status, commit: "1".repeat(40) }),
      rejectedWith("REPORT_IMPOSSIBLE"),
    );
  });

  test("are refused to a token without the scope, with the scope that it needs", async () => {
    refusal = 403;
    await assert.rejects(list(), rejectedWith("PERMISSION_MISSING", /read_api/));
    await assert.rejects(report(), rejectedWith("PERMISSION_MISSING", /scope api/));
    await assert.rejects(
      git.writeComment(access, project, { number: 2, id: "1", marker: "m", text: "t" }),
      rejectedWith("PERMISSION_MISSING", /scope api/),
    );
    for (const [status, code] of [
      [401, "TOKEN_REFUSED"],
      [404, "REPOSITORY_NOT_FOUND"],
      [429, "HOST_UNAVAILABLE"],
      [502, "HOST_UNAVAILABLE"],
    ] as const) {
      refusal = status;
      await assert.rejects(list(), rejectedWith(code));
    }
  });
});
