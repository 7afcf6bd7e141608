import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CloudError } from "../../../../src/cloud/cloud.ts";
import {
  newId,
  startPlatformFixture,
  type PlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import {
  commitProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";

const SITE = { "public/index.html": "site" };

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What this process holds once the collector has been by. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("builds in the sandbox", { concurrency: 3 }, () => {
  let fixture: PlatformFixture;
  before(async () => {
    fixture = await startPlatformFixture();
  });
  after(() => fixture.stop());

  const textOf = async (token: string) =>
    (await fixture.logOf("builds", token)).map(({ text }) => text).join("\n");

  test("a failing command ends the build with its exit code and its output in the log", async () => {
    const command = "echo to stdout; echo to stderr >&2; exit 3";
    const { id, status, failure } = await fixture.build(newId("s"), SITE, staticWorkload("public", command));
    assert.equal(status, "FAILED");
    assert.deepEqual(failure, {
      code: "BUILD_COMMAND_FAILED",
      message: "The build command ended with exit code 3; the log says why.",
    });
    assert.match(await textOf(id), /to stdout\n.*to stderr/s);
  });

  test("installCommand runs first, in the same files, and its failure names it", async () => {
    const workload = {
      ...staticWorkload("public", 'test "$(cat public/installed)" = "$HOME" && echo built'),
      installCommand: 'echo "$HOME" > public/installed',
    };
    const built = await fixture.build(newId("s"), SITE, workload);
    assert.equal(built.status, "SUCCEEDED", await textOf(built.id));
    assert.match(await textOf(built.id), /Running: echo "\$HOME[\s\S]*Running: test[\s\S]*built/);
    const only = await fixture.build(newId("s"), SITE, {
      ...staticWorkload("made"),
      installCommand: "mkdir made",
    });
    assert.equal(only.status, "SUCCEEDED");
    const failed = await fixture.build(newId("s"), SITE, {
      ...staticWorkload("public", "echo never"),
      installCommand: "exit 91",
    });
    assert.deepEqual(failed.failure, {
      code: "INSTALL_COMMAND_FAILED",
      message: "installCommand ended with exit code 91; the log says why.",
    });
    assert.doesNotMatch(await textOf(failed.id), /never/);
  });

  test("the command sees PATH, HOME and CI, and none of Slipway's variables", async () => {
    process.env["SLIPWAY_PLANTED"] = "leaks";
    const workload = staticWorkload("public", 'env; test -d "$HOME"; test -w "$HOME"');
    const { id, status } = await fixture.build(newId("s"), SITE, workload);
    delete process.env["SLIPWAY_PLANTED"];
    assert.equal(status, "SUCCEEDED");
    const lines = (await fixture.logOf("builds", id)).filter(({ stream }) => stream === "build");
    const names = lines.map(({ text }) => text.split("=")[0] ?? "");
    assert.deepEqual(names.filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name)).sort(), [
      "CI",
      "HOME",
      "PATH",
    ]);
  });

  test("a build that prints 100 MB ends well; the log keeps 10 MB and memory does not grow", async () => {
    const workload = staticWorkload("public", "yes $(printf %0200d 0) | head -c 100000000");
    // The sandbox runs in this process. What it holds, not what it was lent: memory that is free again goes
    // back to the system when the collector finds time for it.
    const before = heldBytes();
    const { id, status } = await fixture.build(newId("s"), SITE, workload);
    assert.equal(status, "SUCCEEDED");
    // The memory of the last read may not be free yet.
    await waitFor(async () => (heldBytes() - before < 20 * 1024 ** 2 ? true : null));
    const text = await textOf(id);
    assert.ok(text.length < 10 * 1024 ** 2);
    assert.match(text.slice(-300), /The log is full \(10485760 bytes\).*\nThe build succeeded\.$/s);
  });

  test("a missing commit, repository or output folder is reported as such", async () => {
    const { platform, account, server } = fixture;
    const source = await commitProgram(server.gitDir, newId("r"), SITE);
    const codeOf = async (changed: Partial<typeof source>, outputDirectory = "public") => {
      const request = {
        token: newId("b"),
        service: { serviceId: newId("s"), environmentId: "e", region: "us-west-2" },
        workload: staticWorkload(outputDirectory),
        source: { ...source, ...changed },
        variables: [],
        timeLimitSeconds: 60,
      };
      await platform.builds.start(account, request);
      return waitFor(async () => {
        const seen = await platform.builds.describe(account, request.token);
        if (seen === null || seen.status === "RUNNING") return null;
        return seen.failure?.code ?? seen.status;
      });
    };
    assert.equal(await codeOf({}), "SUCCEEDED");
    assert.equal(await codeOf({ commit: "0".repeat(40) }), "COMMIT_NOT_FOUND");
    assert.equal(await codeOf({ repoUrl: "https://git.sandbox.test/gone.git" }), "REPOSITORY_NOT_FOUND");
    assert.equal(await codeOf({ repoUrl: "https://elsewhere.test/demo.git" }), "REPOSITORY_NOT_FOUND");
    assert.equal(await codeOf({}, "dist"), "OUTPUT_DIRECTORY_MISSING");
    assert.equal(await codeOf({}, "../.."), "OUTPUT_DIRECTORY_MISSING");
  });

  test("a commit without a build command needs none", async () => {
    const built = await fixture.build(newId("s"), SITE, staticWorkload("public"));
    assert.deepEqual([built.status, built.failure], ["SUCCEEDED", null]);
  });
});

test("faults affect the platform's calls, and after a lost answer the work is done once", async (t) => {
  // A separate sandbox: a fault affects the next call, of any account.
  const fixture = await startPlatformFixture();
  t.after(() => fixture.stop());
  const { platform, account, server } = fixture;
  const source = await commitProgram(server.gitDir, newId("r"), SITE);
  const service = { serviceId: newId("s"), environmentId: "e", region: "us-west-2" };
  const workload = staticWorkload();
  const request = { token: newId("b"), service, workload, source, variables: [], timeLimitSeconds: 60 };
  const lose = (operation: string) =>
    fixture.fetch("PUT", "/sandbox/faults", { operation, kind: "lost-response", count: 1 });
  await lose("builds.start");
  await assert.rejects(platform.builds.start(account, request), CloudError);
  await platform.builds.start(account, request);
  const built = await waitFor(
    async () => (await platform.builds.describe(account, request.token))?.artifact ?? null,
  );
  await lose("releases.start");
  const release = { token: newId("r"), service, workload, artifact: built, variables: [] };
  await assert.rejects(platform.releases.start(account, release), CloudError);
  await platform.releases.start(account, release);
  const answer = await fixture.fetch("GET", "/sandbox/state");
  const state = (await answer.json()) as {
    accounts: { services: { serviceId: string; builds: unknown[]; releases: unknown[] }[] }[];
  };
  const seen = state.accounts[0]?.services.find(({ serviceId }) => serviceId === service.serviceId);
  assert.deepEqual([seen?.builds.length, seen?.releases.length], [1, 1]);
});

test("a commit beyond the limit is refused, with the limit", async (t) => {
  const fixture = await startPlatformFixture({ checkoutMaxBytes: 1_000 });
  t.after(() => fixture.stop());
  const files = { ...SITE, "big.bin": "x".repeat(2_000) };
  const { status, failure } = await fixture.build(newId("s"), files, staticWorkload());
  assert.deepEqual([status, failure?.code], ["FAILED", "REPOSITORY_TOO_LARGE"]);
  assert.match(failure?.message ?? "", /The limit is 1000 bytes/);
});

test("no more builds run at once than allowed, and waiting ones can be cancelled", async (t) => {
  const fixture = await startPlatformFixture({ buildsAtOnce: 1 });
  t.after(() => fixture.stop());
  const { platform, account, server } = fixture;
  const source = await commitProgram(server.gitDir, newId("r"), SITE);
  const start = async (command: string | null) => {
    const token = newId("b");
    const service = { serviceId: newId("s"), environmentId: "e", region: "us-west-2" };
    const workload = staticWorkload("public", command);
    const request = { token, service, workload, source, variables: [], timeLimitSeconds: 60 };
    await platform.builds.start(account, request);
    return token;
  };
  const hanging = await start("sleep 600");
  const waiting = await start(null);
  await platform.builds.cancel(account, waiting);
  assert.equal((await platform.builds.describe(account, waiting))?.status, "CANCELLED");
  const queued = await start(null);
  assert.equal((await platform.builds.describe(account, queued))?.status, "RUNNING");
  await platform.builds.cancel(account, hanging);
  const built = await fixture.build(newId("s"), SITE, staticWorkload());
  assert.equal(built.status, "SUCCEEDED");
  assert.equal((await platform.builds.describe(account, queued))?.status, "SUCCEEDED");
});

test("the log says which Node.js is used, what is not fetched, and why devDependencies are missing", async (t) => {
  const fixture = await startPlatformFixture();
  t.after(() => fixture.stop());
  const logOf = async (files: Record<string, string>, command: string | null, NODE_ENV = "production") => {
    const variables = [{ name: "NODE_ENV", kind: "plainText", value: NODE_ENV } as const];
    const workload = staticWorkload("public", command);
    const { id } = await fixture.build(newId("s"), { ...SITE, ...files }, workload, { variables });
    return (await fixture.logOf("builds", id)).map(({ text }) => text).join("\n");
  };
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  const manifest = JSON.stringify({ engines: { node: "^20" }, devDependencies: { vite: "8" } });
  const files = { "package.json": manifest, ".nvmrc": "v18\n", "public/photo.jpg": pointer };
  const log = await logOf(files, "true || npm ci");
  assert.match(
    log,
    new RegExp(
      `Node\\.js is ${process.version}.*\\.nvmrc asks for v18, and engines in package\\.json ask for \\^20`,
    ),
  );
  assert.match(log, /NODE_ENV is production, so package managers leave out devDependencies\./);
  assert.match(log, /Files of Git LFS are not fetched; these are only pointers: public\/photo\.jpg\./);
  assert.doesNotMatch(await logOf(files, "true || npm ci", "test"), /devDependencies/);
  assert.doesNotMatch(await logOf(SITE, "true"), /Node\.js is|Git LFS/);
});

// V15
test("programs of the PATH are found below /tmp too, where a build has its own folder", async (t) => {
  const programs = await mkdtemp(path.join(tmpdir(), "slipway-programs-"));
  t.after(() => rm(programs, { recursive: true, force: true }));
  await chmod(programs, 0o755);
  await writeFile(path.join(programs, "pinned"), "#!/bin/sh\necho the pinned one\n", { mode: 0o755 });
  const fixture = await startPlatformFixture({}, { commandPath: `${programs}:/usr/bin:/bin` });
  t.after(() => fixture.stop());
  const workload = staticWorkload("public", "pinned && touch /tmp/own && node --version");
  const { id, status } = await fixture.build(newId("s"), SITE, workload);
  const lines = (await fixture.logOf("builds", id)).map(({ text }) => text);
  assert.equal(status, "SUCCEEDED", lines.join("\n"));
  assert.ok(lines.includes("the pinned one") && lines.includes(process.version), lines.join("\n"));
});

test("if processes are forbidden, only files are built and released, and commands fail clearly", async (t) => {
  const fixture = await startPlatformFixture({}, { commandPath: null });
  t.after(() => fixture.stop());
  const plain = await fixture.deploy(newId("s"), SITE, staticWorkload());
  assert.equal(plain.status, "LIVE");
  const built = await fixture.build(newId("s"), SITE, staticWorkload("public", "true"));
  assert.deepEqual([built.status, built.failure?.code], ["FAILED", "PROCESSES_FORBIDDEN"]);
  for (const workload of [webWorkload(), workerWorkload("true")]) {
    const released = await fixture.deploy(newId("s"), SITE, workload);
    assert.deepEqual([released.status, released.failure?.code], ["FAILED", "PROCESSES_FORBIDDEN"]);
  }
});
