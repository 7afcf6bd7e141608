/** Builds of commits that a real git server has, over HTTPS. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import type { BuildRequest, ObservedBuild, SourceCredentials } from "../../../../src/cloud/platform.ts";
import { parseAllowedHosts } from "../../../../src/egress/address-rules.ts";
import type { SafeFetchOptions } from "../../../../src/egress/safe-fetch.ts";
import { TEST_CERTIFICATE } from "../../../../test/helpers/git/certificate.ts";
import { type GitServer, startGitServer } from "../../../../test/helpers/git/git-server.ts";
import { CANARY_TOKEN, holdsToken } from "../../../../test/helpers/git/rejections.ts";
import {
  newId,
  type PlatformFixture,
  REGION,
  startPlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import { commitProgram, staticWorkload } from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";
import { commitFiles } from "../../git/git-repositories.ts";

const SITE = { "public/index.html": "site" };
const LOGIN = { username: "oauth2", token: CANARY_TOKEN };
/** No resolver knows this name: git can only reach it at the address that was checked. */
const HOST = "gitlab.test";
const MAX_BYTES = 4 * 1024 ** 2;
const git = promisify(execFile);

describe("builds from a git host", () => {
  let folder: string;
  let server: GitServer;
  let fixture: PlatformFixture;
  let answerInstead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** What the name of the host resolves to. */
  let addresses: readonly string[];
  const logged: string[] = [];
  const note = (...words: readonly unknown[]) => void logged.push(JSON.stringify(words));
  const egress: SafeFetchOptions = {
    allowedHosts: parseAllowedHosts(["127.0.0.1", "::1"]),
    resolve: async () => addresses.map((address) => ({ address, family: isIP(address) })),
    trustedCa: TEST_CERTIFICATE,
    totalTimeoutMs: 5_000,
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-git-host-"));
    server = await startGitServer({
      folder,
      login: `${LOGIN.username}:${LOGIN.token}`,
      answerInstead: (...exchange) => answerInstead(...exchange),
    });
    fixture = await startPlatformFixture(
      { checkoutMaxBytes: MAX_BYTES, hostPausesMs: [50] },
      { remoteSource: egress, log: { info: note, warn: note } },
    );
  });
  beforeEach(() => {
    answerInstead = () => false;
    addresses = ["127.0.0.1"];
  });
  after(async () => {
    await fixture.stop();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (name: string) => `https://${HOST}:${server.port}/${name}`;
  async function commit(files: Parameters<typeof commitProgram>[2] = SITE) {
    const name = newId("repository");
    return { ...(await commitProgram(folder, name, files)), repoUrl: urlOf(name) };
  }

  function requestOf(source: BuildRequest["source"], buildCommand: string | null = null): BuildRequest {
    return {
      token: newId("build"),
      service: { serviceId: newId("s"), environmentId: "e", region: REGION },
      workload: staticWorkload("public", buildCommand),
      source,
      variables: [],
      timeLimitSeconds: 120,
    };
  }

  async function endOf({ token }: BuildRequest): Promise<ObservedBuild> {
    return await waitFor(async () => {
      const seen = await fixture.platform.builds.describe(fixture.account, token);
      return seen === null || seen.status === "RUNNING" ? null : seen;
    });
  }

  async function build(
    source: BuildRequest["source"],
    credentials: SourceCredentials | null = LOGIN,
    buildCommand: string | null = null,
  ): Promise<ObservedBuild> {
    const request = requestOf(source, buildCommand);
    await fixture.platform.builds.start(fixture.account, request, async () => credentials);
    return await endOf(request);
  }

  const filesOf = (one: ObservedBuild) => path.join(fixture.platformDir, "builds", one.artifact ?? "");

  test("builds a private commit within a branch, and keeps nothing but its files", async () => {
    const { commit: first, repoUrl } = await commit();
    const files = { "public/index.html": "later" };
    const gitdir = path.join(folder, `${path.basename(repoUrl)}.git`);
    await commitFiles({ gitdir, branch: "main", files, message: "Change", at: new Date() });
    const built = await build({ repoUrl, commit: first, branch: "main" }, LOGIN, "ls -a .. . > public/list");
    assert.deepEqual([built.status, built.failure], ["SUCCEEDED", null]);
    const source = path.join(filesOf(built), "source");
    assert.equal(await readFile(path.join(source, "public/index.html"), "utf8"), "site");
    assert.doesNotMatch(await readFile(path.join(source, "public/list"), "utf8"), /fetched|\.git/);
    assert.deepEqual(await readdir(filesOf(built)), ["source"]);
  });

  test("a site is served once it is released, and not before", async () => {
    const source = await commit();
    const request = requestOf(source);
    const { serviceId } = request.service;
    const place = { repoUrl: source.repoUrl, branch: source.branch, directory: "public" };
    const get = await fixture.distribute({ kind: "repository", ...place, serviceId });
    const early = await get();
    assert.deepEqual([early.status, /Nothing has been released/.test(early.body)], [503, true]);
    await fixture.platform.builds.start(fixture.account, request, async () => LOGIN);
    const { artifact } = await endOf(request);
    assert.equal((await fixture.release(serviceId, artifact, request.workload)).status, "LIVE");
    assert.deepEqual([(await get()).status, (await get()).body], [200, "site"]);
  });

  const refusals: readonly (readonly [
    title: string,
    { readonly credentials?: SourceCredentials | null; readonly source?: Partial<BuildRequest["source"]> },
    code: string,
    message: RegExp,
  ])[] = [
    [
      "a wrong token",
      { credentials: { ...LOGIN, token: `${CANARY_TOKEN}x` } },
      "TOKEN_REFUSED",
      /An admin can replace it under Git\.$/,
    ],
    ["no token", { credentials: null }, "REPOSITORY_DENIED", /Add a git integration with a token/],
    [
      "a missing commit",
      { source: { commit: "2".repeat(40) } },
      "COMMIT_NOT_FOUND",
      /2{40}.*deploy its newest/,
    ],
    ["an address that is none", { source: { repoUrl: "ext::sh -c id" } }, "REPOSITORY_NOT_FOUND", /./],
    ["a file", { source: { repoUrl: "file:///etc" } }, "REPOSITORY_NOT_FOUND", /https:/],
  ];
  for (const [title, { credentials = LOGIN, source = {} }, code, message] of refusals) {
    test(`refuses ${title}`, async () => {
      const { status, failure } = await build({ ...(await commit()), ...source }, credentials);
      assert.deepEqual([status, failure?.code], ["FAILED", code], failure?.message);
      assert.match(failure?.message ?? "", message);
    });
  }

  test("refuses a repository that the host does not have", async () => {
    const { failure } = await build({ ...(await commit()), repoUrl: urlOf("none") });
    assert.equal(failure?.code, "REPOSITORY_NOT_FOUND");
  });

  test("stops a fetch beyond the limit while it runs, and removes what it had", async () => {
    const { failure } = await build(await commit({ ...SITE, big: randomBytes(MAX_BYTES + 1) }));
    assert.equal(failure?.code, "REPOSITORY_TOO_LARGE");
    assert.match(failure?.message ?? "", /limit is \d+/);
    // A pack of zeros is small; its files are not.
    const unfolded = await build(await commit({ ...SITE, zeros: Buffer.alloc(MAX_BYTES + 1) }));
    assert.equal(unfolded.failure?.code, "REPOSITORY_TOO_LARGE");
  });

  test("dials no private address, whatever the name leads to", async () => {
    addresses = ["127.0.0.1", "10.1.2.3"];
    const before = server.connections();
    const { failure } = await build(await commit());
    assert.equal(failure?.code, "HOST_REFUSED");
    assert.match(failure?.message ?? "", /a private network.*The operator/);
    assert.equal(server.connections(), before);
  });

  for (const isAtFetch of [false, true]) {
    test(`follows no redirect${isAtFetch ? " of git" : ""}`, async () => {
      const source = await commit();
      const inside = await startGitServer({ folder, login: null });
      // Every second request is git's own.
      let seen = 0;
      answerInstead = ({ url = "" }, response) => {
        seen += 1;
        if (isAtFetch && seen % 2 === 1) return false;
        response.writeHead(302, { location: `https://127.0.0.1:${inside.port}${url}` }).end();
        return true;
      };
      const { failure } = await build(source);
      await inside.close();
      assert.equal(failure?.code, isAtFetch ? "HOST_UNAVAILABLE" : "HOST_REFUSED", failure?.message);
      assert.deepEqual(inside.requests, []);
    });
  }

  test("reaches a host at any of its addresses", async () => {
    addresses = ["::1", "127.0.0.1"];
    assert.equal((await build(await commit())).status, "SUCCEEDED");
  });

  test("asks a host again that does not answer", async () => {
    let failures = 0;
    answerInstead = (_request, response) => {
      if (failures === 1) return false;
      failures += 1;
      response.writeHead(503).end();
      return true;
    };
    assert.equal((await build(await commit())).status, "SUCCEEDED");
    answerInstead = (_request, response) => (response.writeHead(503).end(), true);
    assert.equal((await build(await commit())).failure?.code, "HOST_UNAVAILABLE");
  });

  test("a cancelled fetch ends with its processes", async () => {
    const request = requestOf(await commit());
    answerInstead = ({ method }) => method === "POST";
    await fixture.platform.builds.start(fixture.account, request, async () => LOGIN);
    await waitFor(async () => (listProcessesIn(fixture.platformDir).length > 0 ? true : null));
    await fixture.platform.builds.cancel(fixture.account, request.token);
    assert.equal((await endOf(request)).status, "CANCELLED");
    await waitFor(async () => (listProcessesIn(fixture.platformDir).length === 0 ? true : null));
  });

  test("git uses no settings, proxies or logins of the user that runs Slipway", async (t) => {
    const home = await mkdtemp(path.join(tmpdir(), "slipway-home-"));
    t.after(() => rm(home, { recursive: true, force: true }));
    const before = { ...process.env };
    t.after(() => Object.assign(process.env, { HOME: before["HOME"] }));
    await git("git", ["config", "--file", path.join(home, ".gitconfig"), "http.proxy", "http://127.0.0.1:1"]);
    Object.assign(process.env, { HOME: home, https_proxy: "http://127.0.0.1:1" });
    t.after(() => void delete process.env["https_proxy"]);
    assert.equal((await build(await commit())).status, "SUCCEEDED");
  });

  test("a machine without git refuses builds, and says what to install", async (t) => {
    const warnings: string[] = [];
    const bare = await startPlatformFixture(
      {},
      {
        remoteSource: egress,
        commandPath: "/nowhere",
        isolation: "none",
        log: { info: note, warn: (_about, words) => void warnings.push(words) },
      },
    );
    t.after(() => bare.stop());
    const request = requestOf(await commit());
    await bare.platform.builds.start(bare.account, request, async () => LOGIN);
    const { failure } = await waitFor(async () => {
      const seen = await bare.platform.builds.describe(bare.account, request.token);
      return seen?.status === "RUNNING" ? null : seen;
    });
    assert.equal(failure?.code, "GIT_MISSING");
    assert.match(failure?.message ?? "", /apt-get install git/);
    assert.ok(warnings.some((words) => /apt-get install git/.test(words)));
  });

  test("the token is in no file, no log and no error", async () => {
    const echoing = (request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(request.headers.authorization);
      return true;
    };
    let seen = 0;
    answerInstead = (...exchange) => (seen += 1) > 1 && echoing(...exchange);
    const failed = await build(await commit());
    assert.equal(failed.failure?.code, "HOST_UNAVAILABLE");
    assert.ok(!holdsToken(JSON.stringify(failed)));
    answerInstead = () => false;
    assert.equal((await build(await commit())).status, "SUCCEEDED");
    assert.ok(server.requests.some(({ authorization = "" }) => holdsToken(authorization)));
    assert.ok(!holdsToken(logged.join("\n")), "in the log");
    const dataDir = path.join(fixture.platformDir, "..");
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      assert.ok(!holdsToken(await readFile(file, "latin1")), file);
    }
  });
});
