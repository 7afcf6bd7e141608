import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import fastify from "fastify";
import type { FastifyInstance } from "fastify";
import * as fs from "node:fs";
import { deleteRef, init } from "isomorphic-git";
import { commitFiles, createRepository, openRepositories } from "../../sandbox/src/git/git-repositories.ts";
import { registerGitRoutes } from "../../sandbox/src/git/git-server.ts";
import type { Git, GitAccess } from "./git.ts";
import { makeSandboxGit } from "./sandbox.ts";
import { FILE_BYTES_MAX } from "./http-client.ts";
import { parseRepositoryUrl } from "./repository-url.ts";
import { startLocalServer } from "../../test/helpers/git/local-server.ts";
import { CANARY_TOKEN, rejectedWith } from "../../test/helpers/git/rejections.ts";

const PACK_BYTES_MAX = 10 * FILE_BYTES_MAX;
const AT = new Date("2024-05-01T12:00:00Z");
const access: GitAccess = { provider: "provider_b_self_hosted", host: "anything.test", token: CANARY_TOKEN };
const repository = (name: string) => parseRepositoryUrl(`https://git.sandbox.test/${name}.git`);

// Against the sandbox's own git server and real bare repositories, since that is the only host it is made for.
describe("the sandbox's git", () => {
  let folder: string;
  let server: FastifyInstance;
  let git: Git;
  let first: string;
  let second: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-git-"));
    first = await createRepository({
      folder,
      name: "demo",
      branch: "main",
      files: {
        "slipway.json": '{"name":"ünï"}',
        "deploy/with space #1?.json": "{}",
        full: "a".repeat(FILE_BYTES_MAX),
        large: "a".repeat(FILE_BYTES_MAX + 1),
      },
      at: AT,
    });
    const gitdir = path.join(folder, "demo.git");
    second = await commitFiles({
      gitdir,
      branch: "feature/x",
      files: { only: "x" },
      message: "Branch off",
      at: AT,
    });
    await init({ fs, gitdir: path.join(folder, "empty.git"), bare: true, defaultBranch: "main" });
    server = fastify();
    registerGitRoutes(server, openRepositories(folder, PACK_BYTES_MAX));
    git = makeSandboxGit(await server.listen({ host: "127.0.0.1", port: 0 }), null);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  test("lists the branches of a repository", async () => {
    assert.deepEqual(await git.listBranches(access, repository("demo")), [
      { name: "feature/x", commit: second },
      { name: "main", commit: first },
    ]);
  });

  test("reads the message and the author of a commit", async () => {
    assert.deepEqual(await git.readCommit(access, repository("demo"), second), {
      message: "Branch off",
      author: "Slipway Sandbox",
    });
    assert.equal(await git.readCommit(access, repository("demo"), "d".repeat(40)), null);
  });

  test("lists the recent commits, the newest first, with their times", async () => {
    const gitdir = path.join(folder, "demo.git");
    const third = await commitFiles({ gitdir, branch: "log", files: {}, message: "One", at: AT });
    const fourth = await commitFiles({ gitdir, branch: "log", files: {}, message: "Two", at: AT });
    const author = "Slipway Sandbox";
    assert.deepEqual(await git.listCommits(access, repository("demo"), fourth), [
      { hash: fourth, message: "Two", author, committedAt: AT },
      { hash: third, message: "One", author, committedAt: AT },
    ]);
    await deleteRef({ fs, gitdir, ref: "refs/heads/log" });
    assert.deepEqual(await git.listCommits(access, repository("demo"), "d".repeat(40)), []);
  });

  test("lists a branch that was pushed in the meantime", async () => {
    const pushed = await commitFiles({
      gitdir: path.join(folder, "demo.git"),
      branch: "pushed",
      files: {},
      message: "Push",
      at: AT,
    });
    const branches = await git.listBranches(access, repository("demo"));
    assert.deepEqual(branches.at(-1), { name: "pushed", commit: pushed });
  });

  test("lists its repositories by name, with the branch that each begins with", async () => {
    const { repositories, hasMore } = await git.listRepositories(access, {
      number: 1,
      order: "asc",
      sort: "created",
    });
    assert.equal(hasMore, false);
    const [demo, empty] = repositories;
    assert.ok(demo?.lastPushedAt instanceof Date);
    assert.deepEqual(
      [demo, empty],
      [
        {
          url: "https://git.sandbox.test/demo",
          name: "demo",
          defaultBranch: "main",
          isPrivate: false,
          lastPushedAt: demo.lastPushedAt,
        },
        {
          url: "https://git.sandbox.test/empty",
          name: "empty",
          defaultBranch: "main",
          isPrivate: false,
          lastPushedAt: null,
        },
      ],
    );
    const pushed = await git.listRepositories(access, { number: 1, order: "desc", sort: "pushed" });
    const times = pushed.repositories.map(({ lastPushedAt }) => lastPushedAt?.getTime() ?? 0);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
    assert.equal(pushed.repositories.at(-1)?.lastPushedAt, null, "those without a push are last");
    const newest = await git.listRepositories(access, { number: 1, order: "desc", sort: "created" });
    assert.deepEqual(newest.repositories, repositories.toReversed());
    assert.deepEqual(
      (await git.listRepositories(access, { number: 2, order: "asc", sort: "created" })).repositories,
      [],
    );
  });

  test("lists nothing for a repository without commits", async () => {
    assert.deepEqual(await git.listBranches(access, repository("empty")), []);
  });

  test("reads a file at a commit", async () => {
    const read = (commit: string, file: string) => git.readFile(access, repository("demo"), commit, file);
    assert.equal(await read(first, "slipway.json"), '{"name":"ünï"}');
    assert.equal(await read(first, "deploy/with space #1?.json"), "{}");
    assert.equal((await read(first, "full"))?.length, FILE_BYTES_MAX);
    assert.equal(await read(second, "only"), "x");
    for (const missing of ["only", "deploy", "deploy/none", "slipway.json/x", "../demo.git/HEAD", ""]) {
      assert.equal(await read(first, missing), null, missing);
    }
    assert.equal(await read("e".repeat(40), "slipway.json"), null);
  });

  test("lists a folder at a commit", async () => {
    const list = (commit: string, folder: string) =>
      git.listFolder(access, repository("demo"), commit, folder);
    const root = await list(first, "");
    assert.deepEqual(
      root?.filter(({ name }) => ["deploy", "slipway.json"].includes(name)),
      [
        { name: "deploy", kind: "folder" },
        { name: "slipway.json", kind: "file" },
      ],
    );
    assert.deepEqual(await list(first, "deploy"), [{ name: "with space #1?.json", kind: "file" }]);
    for (const missing of ["slipway.json", "none", "../demo.git", "deploy/../deploy"])
      assert.equal(await list(first, missing), null, missing);
    await assert.rejects(
      git.listFolder(access, repository("none"), first, ""),
      rejectedWith("REPOSITORY_NOT_FOUND"),
    );
  });

  test("refuses a file of more than 1 MiB", async () => {
    await assert.rejects(
      git.readFile(access, repository("demo"), first, "large"),
      rejectedWith("FILE_TOO_LARGE"),
    );
  });

  test("refuses a repository whose packs are too large to be read, and says how large they may be", async () => {
    const heavy = await createRepository({
      folder,
      name: "heavy",
      branch: "main",
      files: { "slipway.json": "{}" },
      at: AT,
    });
    const packs = path.join(folder, "heavy.git", "objects", "pack");
    fs.mkdirSync(packs, { recursive: true });
    const pack = path.join(packs, "any.pack");
    fs.writeFileSync(pack, "");
    fs.truncateSync(pack, PACK_BYTES_MAX + 1);
    await assert.rejects(
      git.readFile(access, repository("heavy"), heavy, "slipway.json"),
      rejectedWith(
        "REPOSITORY_TOO_LARGE",
        new RegExp(`${PACK_BYTES_MAX + 1} bytes.*${PACK_BYTES_MAX} bytes`),
      ),
    );
    assert.equal((await git.listBranches(access, repository("heavy"))).length, 1);
  });

  test("lets every user read every repository, and takes every token", async () => {
    for (const provider of ["provider_a", "provider_b", "provider_b_self_hosted"] as const) {
      for (const token of [null, CANARY_TOKEN]) {
        assert.equal(
          await git.userCanRead({ provider, host: null, token }, repository("demo"), "anyone"),
          true,
        );
        await git.checkToken({ provider, host: null, token });
      }
    }
  });

  for (const url of [
    "https://github.com/owner/name",
    "https://git.sandbox.test/nested/demo",
    "https://git.sandbox.test:8443/demo",
    "https://git.sandbox.test/none",
  ]) {
    test(`says of ${url} which repositories the sandbox knows, and how to make one`, async () => {
      const wrong = parseRepositoryUrl(url);
      for (const call of [
        () => git.listBranches(access, wrong),
        () => git.readFile(access, wrong, first, "slipway.json"),
        () => git.userCanRead(access, wrong, "anyone"),
      ]) {
        await assert.rejects(
          call(),
          rejectedWith(
            "REPOSITORY_NOT_FOUND",
            /git\.sandbox\.test\/NAME\.git.*<data dir>\/sandbox\/git\/NAME\.git/,
          ),
        );
      }
    });
  }

  test("reports that the sandbox server is away, fails or refuses the size", async (t) => {
    let status = 500;
    const failing = await startLocalServer("http", (_request, response) => response.writeHead(status).end());
    t.after(() => failing.close());
    const other = makeSandboxGit(failing.url, null);
    await assert.rejects(
      other.listBranches(access, repository("demo")),
      rejectedWith("HOST_UNAVAILABLE", /500/),
    );
    await assert.rejects(other.checkToken(access), rejectedWith("HOST_UNAVAILABLE", /500/));
    status = 413;
    const read = other.readFile(access, repository("demo"), first, "large");
    await assert.rejects(read, rejectedWith("FILE_TOO_LARGE"));
    await failing.close();
    await assert.rejects(other.listBranches(access, repository("demo")), rejectedWith("HOST_UNAVAILABLE"));
  });
});
