import assert from "node:assert/strict";
import * as fs from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { deleteRef, readTree, resolveRef, writeCommit } from "isomorphic-git";
import { type Git, GitError } from "../../../src/git/git.ts";
import { parseRepositoryUrl } from "../../../src/git/repository-url.ts";
import { makeSandboxGit } from "../../../src/git/sandbox.ts";
import {
  FIXTURE_SECRET,
  type SandboxFixture,
  startFixture,
} from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { rejectedWith } from "../../../test/helpers/git/rejections.ts";
import { commitFiles, createRepository } from "./git-repositories.ts";

const ACCESS = { provider: "provider_a", host: null, token: "any" } as const;
const AT = new Date("2026-11-20T10:00:00Z");
const DEPLOYMENT = {
  id: null,
  ref: "feature",
  environment: "preview/pr-1",
  isPreview: true,
  state: "in_progress",
  url: "https://web-pr-1.example.com",
  logUrl: null,
  description: "Building",
} as const;

// Against a whole sandbox, with Slipway's own client.
describe("pull requests of the sandbox's git host", () => {
  let fixture: SandboxFixture;
  let git: Git;
  before(async () => {
    fixture = await startFixture();
    git = makeSandboxGit(fixture.server.url, FIXTURE_SECRET);
  });
  after(() => fixture.stop());

  const folder = () => fixture.server.gitDir;
  const gitdirOf = (name: string) => path.join(folder(), `${name}.git`);
  const create = (name: string, files: Record<string, string> = { "slipway.json": "{}", old: "1" }) =>
    createRepository({ folder: folder(), name, branch: "main", files, at: AT });
  /** Begins a branch at a commit, and adds commits with these files. */
  const commit = async (name: string, branch: string, files: Record<string, string>, from?: string) => {
    const gitdir = gitdirOf(name);
    if (from !== undefined) fs.writeFileSync(path.join(gitdir, "refs", "heads", branch), `${from}\n`);
    return await commitFiles({ gitdir, branch, files, message: "Change", at: AT });
  };
  const repository = (name: string) => parseRepositoryUrl(`https://git.sandbox.test/${name}.git`);
  const at = (name: string, number: number) => `/sandbox/git/repositories/${name}/pull-requests/${number}`;
  const ask = async (method: string, where: string, body?: object) => {
    const answer = await fixture.fetch(method, where, body);
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  };
  const put = async (name: string, number: number, body: object) => {
    const answer = await ask("PUT", at(name, number), {
      head: "feature",
      base: "main",
      state: "open",
      ...body,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const list = async (name: string, tag: string | null = null) =>
    await git.listPullRequests(ACCESS, repository(name), tag);

  test("follow the branch, and are listed while they are open", async () => {
    const main = await create("follow");
    const first = await commit("follow", "feature", { "slipway.json": "{}", old: "1", a: "1" }, main);
    const shown = await put("follow", 1, {
      author: "ada",
      labels: ["preview"],
      title: "Show\u202e the price",
    });
    assert.deepEqual(
      { ...shown, updatedAt: null },
      {
        number: 1,
        title: "Show\u202e the price",
        author: "ada",
        head: "feature",
        headCommit: first,
        headRepository: "follow",
        isFork: false,
        base: "main",
        labels: ["preview"],
        state: "open",
        updatedAt: null,
        files: ["a"],
        deployments: [],
        statuses: [],
        comments: [],
      },
    );
    const opened = await list("follow");
    assert.deepEqual(opened?.pullRequests, [
      {
        number: 1,
        title: "Show the price",
        url: "https://git.sandbox.test/follow/pull/1",
        author: "ada",
        head: { branch: "feature", commit: first },
        base: "main",
        headRepository: "follow",
        isFork: false,
        labels: ["preview"],
      },
    ]);
    assert.equal(await list("follow", opened.tag), null, "nothing changed");
    const second = await commit("follow", "feature", { "slipway.json": "{}", old: "1", a: "2" });
    const moved = await list("follow", opened.tag);
    assert.deepEqual(moved?.pullRequests[0]?.head, { branch: "feature", commit: second });
    // Fields that are left out stay.
    assert.equal((await put("follow", 1, { state: "closed" })).title, "Show\u202e the price");
    assert.deepEqual((await list("follow", moved.tag))?.pullRequests, []);
    const states = async (query: string) =>
      (await ask("GET", `/sandbox/git/repositories/follow/pull-requests${query}`)).body.pullRequests.map(
        ({ state }: { state: string }) => state,
      );
    assert.deepEqual(await states(""), ["closed"]);
    assert.deepEqual(await states("?state=open"), []);
    assert.deepEqual(await states("?state=closed"), ["closed"]);
  });

  test("change the files since their branch left the base, and a deleted file", async () => {
    const main = await create("files", { keep: "1", gone: "1", "deep/er/file": "1", swap: "1" });
    await commit("files", "feature", { keep: "1", "deep/er/file": "2", "swap/inside": "1" }, main);
    // Later files of the base are not the pull request's.
    await commit("files", "main", { keep: "2", gone: "1", "deep/er/file": "1", swap: "1", other: "1" });
    await put("files", 1, {});
    const files = () => git.listChangedFiles(ACCESS, repository("files"), 1);
    assert.deepEqual(await files(), ["deep/er/file", "gone", "swap", "swap/inside"]);
    assert.equal(await git.listChangedFiles(ACCESS, repository("files"), 2), null);
    await deleteRef({ fs, gitdir: gitdirOf("files"), ref: "refs/heads/main" });
    assert.equal(await files(), null, "the base branch was deleted");
    assert.equal((await list("files"))?.pullRequests.length, 1);
  });

  test("between two commits, the changed files are known if one is in the history of the other", async () => {
    const first = await create("between", { keep: "1", gone: "1" });
    const second = await commit("between", "main", { keep: "2", gone: "1" });
    const third = await commit("between", "main", { keep: "2", added: "1" });
    const changes = (from: string, to: string) =>
      git.listChangesBetween(ACCESS, repository("between"), from, to);
    assert.deepEqual(await changes(first, third), ["added", "gone", "keep"]);
    assert.deepEqual(await changes(second, third), ["added", "gone"]);
    assert.deepEqual(await changes(third, third), []);
    const forced = await commit("between", "other", { keep: "1" }, first);
    for (const [from, to] of [
      [second, forced],
      [third, first],
      ["e".repeat(40), third],
    ] as const)
      assert.equal(await changes(from, to), null);
  });

  test("of a fork bring its commits along, and stay when the fork is deleted", async () => {
    const main = await create("upstream");
    await create("fork");
    const head = await commit("fork", "feature", { "slipway.json": "{}", "of/fork": "1" }, main);
    // A branch of the same name is another one.
    const own = await commit("upstream", "feature", { "slipway.json": "{}" }, main);
    await put("upstream", 7, { headRepository: "fork" });
    const [listed] = (await list("upstream"))?.pullRequests ?? [];
    assert.deepEqual([listed?.head.commit, listed?.headRepository, listed?.isFork], [head, "fork", true]);
    assert.notEqual(head, own);
    assert.equal(await git.readFile(ACCESS, repository("upstream"), head, "of/fork"), "1");
    assert.deepEqual(await git.listChangedFiles(ACCESS, repository("upstream"), 7), ["of/fork", "old"]);
    fs.rmSync(gitdirOf("fork"), { recursive: true });
    const [left] = (await list("upstream"))?.pullRequests ?? [];
    assert.deepEqual([left?.head.commit, left?.headRepository, left?.isFork], [head, null, true]);
  });

  test("of a fork without their commits stay as they are, and others are listed", async () => {
    const main = await create("whole");
    await create("broken");
    const own = await commit("whole", "feature", { a: "1" }, main);
    await put("whole", 1, {});
    const head = await commit("broken", "feature", { b: "1" }, main);
    await put("whole", 2, { headRepository: "broken" });
    const commits = async () => (await list("whole"))?.pullRequests.map((one) => one.head.commit);
    const branch = path.join(gitdirOf("broken"), "refs", "heads", "feature");
    fs.writeFileSync(branch, `${"1".repeat(40)}\n`);
    assert.deepEqual(await commits(), [own, head]);
    const opened = await ask("PUT", at("whole", 3), {
      head: "feature",
      base: "main",
      state: "open",
      headRepository: "broken",
    });
    assert.deepEqual([opened.status, opened.body.errors?.[0].path], [400, "/head"]);
    fs.writeFileSync(branch, `${head}\n`);
    const next = await commit("broken", "feature", { b: "2" });
    assert.deepEqual(await commits(), [own, next]);
  });

  test("of a shallow repository are shown without their files", async () => {
    const main = await create("shallow");
    const { oid: tree } = await readTree({ fs, gitdir: gitdirOf("shallow"), oid: main });
    const author = { name: "Ada", email: "ada@example.com", timestamp: 0, timezoneOffset: 0 };
    const cut = { message: "Cut", tree, parent: ["1".repeat(40)], author, committer: author };
    const head = await writeCommit({ fs, gitdir: gitdirOf("shallow"), commit: cut });
    fs.writeFileSync(path.join(gitdirOf("shallow"), "refs", "heads", "feature"), `${head}\n`);
    assert.deepEqual((await put("shallow", 1, {})).files, null);
    assert.equal(await git.listChangedFiles(ACCESS, repository("shallow"), 1), null);
  });

  test("merge into the base branch, once, and not with a conflict", async () => {
    const main = await create("merge");
    await commit("merge", "feature", { "slipway.json": "{}", old: "1", a: "1" }, main);
    await commit("merge", "main", { "slipway.json": "{}", old: "1", b: "1" });
    await put("merge", 1, { state: "merged", author: "ada" });
    const merged = await resolveRef({ fs, gitdir: gitdirOf("merge"), ref: "refs/heads/main" });
    for (const file of ["a", "b", "old"])
      assert.equal(await git.readFile(ACCESS, repository("merge"), merged, file), "1", file);
    assert.match(
      (await git.readCommit(ACCESS, repository("merge"), merged))?.message ?? "",
      /^Merge pull request #1/,
    );
    assert.equal((await put("merge", 1, { state: "merged" })).state, "merged");
    const again = await ask("PUT", at("merge", 1), { head: "feature", base: "main", state: "open" });
    assert.deepEqual([again.status, again.body.code], [409, "PULL_REQUEST_MERGED"]);
    await commit("merge", "clash", { "slipway.json": "{}", a: "9" }, main);
    const clash = await ask("PUT", at("merge", 2), { head: "clash", base: "main", state: "merged" });
    assert.deepEqual([clash.status, clash.body.code], [409, "PULL_REQUEST_CONFLICT"]);
    assert.equal((await ask("GET", at("merge", 2))).status, 404, "nothing was stored");
    assert.equal(await resolveRef({ fs, gitdir: gitdirOf("merge"), ref: "refs/heads/main" }), merged);
  });

  test("need branches and a repository that exist", async () => {
    const main = await create("branches");
    fs.mkdirSync(path.join(gitdirOf("branches"), "refs", "heads", "folder"));
    await commit("branches", "folder/branch", { a: "1" }, main);
    for (const [body, place] of [
      [{ head: "none", base: "main", state: "open" }, "/head"],
      [{ head: "main", base: "none", state: "open" }, "/base"],
      [{ head: "folder", base: "main", state: "open" }, "/head"],
      [{ head: "../../HEAD", base: "main", state: "open" }, "/head"],
      [{ head: "main", base: "main", headRepository: "none", state: "open" }, "/head"],
    ] as const) {
      const answer = await ask("PUT", at("branches", 1), body);
      assert.deepEqual([answer.status, answer.body.errors[0].path], [400, place]);
    }
    const elsewhere = await ask("PUT", at("none", 1), { head: "a", base: "b", state: "open" });
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, "NOT_FOUND"]);
    assert.equal((await ask("GET", at("branches", 1))).status, 404);
  });

  test("show reported deployments, statuses and one comment", async () => {
    const main = await create("reports");
    const head = await commit("reports", "feature", { a: "1" }, main);
    await put("reports", 1, {});
    const of = repository("reports");
    const deployment = { ...DEPLOYMENT, commit: head };
    const { id } = await git.reportDeployment(ACCESS, of, deployment);
    // A report whose answer was lost finds its deployment again.
    assert.equal((await git.reportDeployment(ACCESS, of, { ...deployment, state: "success" })).id, id);
    await git.reportStatus(ACCESS, of, {
      commit: head,
      context: "slipway/preview",
      state: "pending",
      url: null,
      description: "Building",
    });
    await git.reportStatus(ACCESS, of, {
      commit: head,
      context: "slipway/preview",
      state: "success",
      url: "https://a.example",
      description: "Ready",
    });
    const comment = { number: 1, id: null, marker: "prev_1", text: "Building" };
    const first = await git.writeComment(ACCESS, of, comment);
    assert.deepEqual(await git.writeComment(ACCESS, of, { ...comment, text: "Ready" }), first);
    const shown = (await ask("GET", at("reports", 1))).body;
    assert.deepEqual(
      shown.deployments.map(({ statuses, ...one }: { statuses: { state: string }[]; id: string }) => [
        one.id,
        statuses.map(({ state }) => state),
      ]),
      [[id, ["in_progress", "success"]]],
    );
    assert.deepEqual(
      shown.statuses.map(({ state, description }: { state: string; description: string }) => [
        state,
        description,
      ]),
      [["success", "Ready"]],
    );
    assert.deepEqual(
      shown.comments.map(({ text }: { text: string }) => text),
      ["Ready"],
    );
    // A person deletes it.
    assert.equal((await ask("DELETE", `${at("reports", 1)}/comments/${first.id}`)).status, 204);
    const next = await git.writeComment(ACCESS, of, { ...comment, id: first.id });
    assert.notEqual(next.id, first.id);
    const gone = { ...deployment, commit: main, state: "inactive" } as const;
    assert.equal((await git.reportDeployment(ACCESS, of, gone)).id, null, "there is nothing to end");
    const { body } = await ask("GET", "/sandbox/git/repositories/reports/reports");
    assert.deepEqual([body.deployments.length, body.statuses.length], [1, 1]);
  });

  test("fail as a host does, for the repository that has the fault", async () => {
    for (const name of ["faulty", "sound"]) {
      const main = await create(name);
      await commit(name, "feature", { a: "1" }, main);
      await put(name, 1, {});
    }
    const fail = async (operation: string, kind: string, more: object = {}) =>
      assert.equal(
        (await ask("PUT", "/sandbox/git/repositories/faulty/faults", { operation, kind, ...more })).status,
        204,
      );
    const comment = { number: 1, id: null, marker: "m", text: "t" };
    await fail("comments.write", "denied");
    await assert.rejects(
      git.writeComment(ACCESS, repository("faulty"), comment),
      rejectedWith("PERMISSION_MISSING"),
    );
    await git.writeComment(ACCESS, repository("sound"), comment);
    const missing = git.writeComment(ACCESS, repository("sound"), { ...comment, number: 2 });
    await assert.rejects(missing, rejectedWith("REPORT_IMPOSSIBLE", /no such pull request/));
    await fail("pullRequests.list", "throttled", { count: 1 });
    await assert.rejects(list("faulty"), (error) => {
      assert.ok(error instanceof GitError);
      assert.deepEqual([error.code, error.retryAfterSeconds], ["HOST_UNAVAILABLE", 1]);
      return true;
    });
    const opened = await list("faulty");
    await put("faulty", 1, { state: "closed" });
    await list("faulty");
    await fail("pullRequests.list", "stale", { count: 1 });
    assert.deepEqual((await list("faulty"))?.pullRequests, opened?.pullRequests, "the list is late");
    assert.deepEqual((await list("faulty"))?.pullRequests, []);
    await fail("pullRequests.list", "not-found");
    await assert.rejects(list("faulty"), rejectedWith("REPOSITORY_NOT_FOUND"));
    assert.equal((await ask("DELETE", "/sandbox/git/repositories/faulty/faults")).status, 204);
    await git.writeComment(ACCESS, repository("faulty"), comment);
  });

  test("survive a restart, with packed branches too", async (t) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-pull-requests-"));
    const started = await startFixture({ dataDir });
    const where = "/sandbox/git/repositories/kept/pull-requests/1";
    const { gitDir } = started.server;
    const main = await createRepository({ folder: gitDir, name: "kept", branch: "main", files: {}, at: AT });
    const packed = `${main} refs/heads/feature\n`;
    fs.writeFileSync(path.join(gitDir, "kept.git", "packed-refs"), packed);
    assert.equal(
      (await started.fetch("PUT", where, { head: "feature", base: "main", state: "open" })).status,
      200,
    );
    const before = makeSandboxGit(started.server.url, FIXTURE_SECRET);
    const comment = { number: 1, id: null, marker: "m", text: "t" };
    const { id } = await before.writeComment(ACCESS, repository("kept"), comment);
    await started.stop();
    const again = await startFixture({ dataDir });
    t.after(async () => {
      await again.stop();
      await rm(dataDir, { recursive: true });
    });
    const kept = (await (await again.fetch("GET", where)).json()) as {
      headCommit: string;
      comments: { id: string }[];
    };
    assert.deepEqual([kept.headCommit, kept.comments.map((one) => one.id)], [main, [id]]);
    const afterwards = makeSandboxGit(again.server.url, FIXTURE_SECRET);
    const other = await afterwards.writeComment(ACCESS, repository("kept"), { ...comment, marker: "n" });
    assert.notEqual(other.id, id);
  });
});
