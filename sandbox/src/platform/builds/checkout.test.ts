import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { readFileSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { deflateSync } from "node:zlib";
import * as git from "isomorphic-git";
import { childrenOf } from "../../../../test/helpers/processes/children.ts";
import { until } from "../../../../test/helpers/until.ts";
import { createRepository } from "../../git/git-repositories.ts";
import { BUILD_PRIORITY } from "../build-priority.ts";
import { checkOutApart } from "./check-out-apart.ts";
import { RepositoryFault } from "../../git/objects.ts";
import { checkOut, type CheckedOut } from "./checkout.ts";

const AUTHOR = { name: "A", email: "a@example.com", timestamp: 0, timezoneOffset: 0 };

type Place = { readonly gitDir: string; readonly folder: string };

async function newPlace(t: TestContext): Promise<Place> {
  const root = await mkdtemp(path.join(tmpdir(), "slipway-checkout-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const files = { "a.txt": "a", "sub/b.txt": "b" };
  await createRepository({ folder: root, name: "r", branch: "main", files, at: new Date(0) });
  const folder = path.join(root, "out");
  await mkdir(folder);
  return { gitDir: path.join(root, "r.git"), folder };
}

const LIMITS = { maxBytes: 1_000_000, maxFiles: 1_000 };

/** Checks out a commit of this tree, which git's own tools would not all make. */
async function checkOutTree(
  { gitDir, folder }: Place,
  entries: readonly { mode: string; path: string; content: string | git.TreeEntry[] }[],
  limits = LIMITS,
): Promise<CheckedOut> {
  const tree = await git.writeTree({
    fs,
    gitdir: gitDir,
    tree: await Promise.all(
      entries.map(async ({ mode, path: name, content }): Promise<git.TreeEntry> => {
        if (mode === "160000") return { mode, path: name, oid: "1".repeat(40), type: "commit" };
        const oid =
          typeof content === "string"
            ? await git.writeBlob({ fs, gitdir: gitDir, blob: Buffer.from(content) })
            : await git.writeTree({ fs, gitdir: gitDir, tree: content });
        return { mode, path: name, oid, type: typeof content === "string" ? "blob" : "tree" };
      }),
    ),
  });
  const commit = await git.writeCommit({
    fs,
    gitdir: gitDir,
    commit: { message: "m", tree, parent: [], author: AUTHOR, committer: AUTHOR },
  });
  return checkOut({ gitDir, commit, folder, ...limits });
}

const isRefused = (code: string) => (error: unknown) =>
  error instanceof RepositoryFault && error.code === code;

test("files, folders, links and the right to execute are as in the commit; submodules are named", async (t) => {
  const place = await newPlace(t);
  const ran = path.join(place.gitDir, "ran");
  // git would run the one, and read the other from this machine.
  const modules = [`ext::touch ${ran}`, `file://${place.gitDir}`]
    .map((url) => `[submodule "${url}"]\n\tpath = module\n\turl = ${url}\n`)
    .join("");
  const done = await checkOutTree(place, [
    { mode: "100755", path: "run", content: "#!/bin/sh\n" },
    { mode: "100644", path: "plain", content: "text" },
    { mode: "120000", path: "link", content: "plain" },
    { mode: "160000", path: "module", content: "" },
    { mode: "100644", path: ".gitmodules", content: modules },
  ]);
  assert.deepEqual(done.submodules, ["module"]);
  assert.ok(!fs.existsSync(ran) && !fs.existsSync(path.join(place.folder, "module")));
  assert.equal((await lstat(path.join(place.folder, "run"))).mode & 0o111, 0o111);
  assert.equal((await lstat(path.join(place.folder, "plain"))).mode & 0o111, 0);
  assert.equal(await readlink(path.join(place.folder, "link")), "plain");
});

// V6
test("a name that cannot be written is refused and named: too long, twice, or a link to nowhere", async (t) => {
  const long = "x".repeat(256);
  const cases: readonly [RegExp, { mode: string; path: string; content: string }][] = [
    [/The commit has "x+…", whose name or path is too long\./, { mode: "100644", path: long, content: "" }],
    [/a link "empty" to a path that cannot exist/, { mode: "120000", path: "empty", content: "" }],
    [/a link "nul" to a path that cannot exist/, { mode: "120000", path: "nul", content: "a\0b" }],
    [/a link "far" to a path that cannot exist/, { mode: "120000", path: "far", content: "y".repeat(5_000) }],
  ];
  for (const [message, entry] of cases) {
    const isNamed = (error: unknown) =>
      isRefused("CHECKOUT_REFUSED")(error) && message.test((error as Error).message);
    await assert.rejects(checkOutTree(await newPlace(t), [entry]), isNamed, message.source);
  }
  const twice = ["a", "b"].map((content) => ({ mode: "100644", path: "same", content }));
  await assert.rejects(
    checkOutTree(await newPlace(t), twice),
    /The commit has "same", whose name another file has too/,
  );
});

test("links in a circle, and names that other systems refuse, are checked out as they are", async (t) => {
  const place = await newPlace(t);
  await checkOutTree(place, [
    { mode: "120000", path: "one", content: "two" },
    { mode: "120000", path: "two", content: "one" },
    { mode: "100644", path: "a\\b:c\u0001", content: "odd" },
    { mode: "100644", path: "README", content: "upper" },
    { mode: "100644", path: "readme", content: "lower" },
  ]);
  assert.equal(await readlink(path.join(place.folder, "one")), "two");
  assert.equal(await readFile(path.join(place.folder, "a\\b:c\u0001"), "utf8"), "odd");
  assert.equal(await readFile(path.join(place.folder, "README"), "utf8"), "upper");
});

test("nothing is written outside of the folder: bad names, and a name that is both link and folder", async (t) => {
  const place = await newPlace(t);
  for (const name of ["..", ".", ".git", ".GIT"]) {
    const entry = { mode: "100644", path: name, content: "x" };
    await assert.rejects(checkOutTree(place, [entry]), isRefused("CHECKOUT_REFUSED"), name);
  }
  const outside = path.join(place.gitDir, "..", "outside");
  await mkdir(outside);
  const blob = await git.writeBlob({ fs, gitdir: place.gitDir, blob: Buffer.from("planted") });
  await assert.rejects(
    checkOutTree(place, [
      { mode: "120000", path: "a", content: outside },
      { mode: "040000", path: "a", content: [{ mode: "100644", path: "f", oid: blob, type: "blob" }] },
    ]),
    isRefused("CHECKOUT_REFUSED"),
  );
  assert.deepEqual(fs.readdirSync(outside), []);
});

test("too many bytes or files are refused with the limits, and packs that are too large are not read", async (t) => {
  const place = await newPlace(t);
  const big = { mode: "100644", path: "big", content: "x".repeat(2_000) };
  const isTooLarge = (error: unknown) =>
    isRefused("REPOSITORY_TOO_LARGE")(error) && /The limit is 1000 bytes/.test(String(error));
  await assert.rejects(checkOutTree(place, [big], { ...LIMITS, maxBytes: 1_000 }), isTooLarge);
  const two = ["x", "y"].map((name) => ({ mode: "100644", path: name, content: "" }));
  await assert.rejects(
    checkOutTree(place, two, { ...LIMITS, maxFiles: 1 }),
    isRefused("REPOSITORY_TOO_LARGE"),
  );

  const packs = path.join(place.gitDir, "objects", "pack");
  fs.mkdirSync(packs, { recursive: true });
  // Sparse: it uses no disk space, and reading it would fail.
  fs.writeFileSync(path.join(packs, "pack-huge.pack"), "");
  fs.truncateSync(path.join(packs, "pack-huge.pack"), 2 ** 31);
  const commit = await git.resolveRef({ fs, gitdir: place.gitDir, ref: "refs/heads/main" });
  const options = { ...place, commit, maxBytes: 2 ** 30, maxFiles: 10 };
  await assert.rejects(checkOut(options), isRefused("REPOSITORY_TOO_LARGE"));
});

test("a separate process does and refuses the same, repeatedly, and a signal ends it", async (t) => {
  const place = await newPlace(t);
  const { signal } = new AbortController();
  const commit = await git.resolveRef({ fs, gitdir: place.gitDir, ref: "refs/heads/main" });
  const missing = { ...place, commit: "2".repeat(40), ...LIMITS, fetch: null };
  await assert.rejects(checkOutApart(missing, signal), isRefused("COMMIT_NOT_FOUND"));
  const done = await checkOutApart({ ...place, commit, ...LIMITS, fetch: null }, signal);
  assert.deepEqual([done.files, done.bytes], [3, 2]);
  assert.equal(await readFile(path.join(place.folder, "sub/b.txt"), "utf8"), "b");
  const aborted = new AbortController();
  const pending = checkOutApart(missing, aborted.signal);
  aborted.abort();
  await assert.rejects(pending, /ended before it was done/);
  await assert.rejects(checkOutApart(missing, signal), isRefused("COMMIT_NOT_FOUND"));
});

test("a file beyond the limit is refused by its object's header, before it is inflated", async (t) => {
  const place = await newPlace(t);
  const { gitDir } = place;
  // By its header, the object has ten gigabytes. The file ends after 1,000 zeros.
  const oid = "ab".repeat(20);
  await mkdir(path.join(gitDir, "objects", "ab"));
  const begun = deflateSync(Buffer.concat([Buffer.from("blob 10737418240\0"), Buffer.alloc(1_000)]));
  await writeFile(path.join(gitDir, "objects", "ab", oid.slice(2)), begun);
  const entry: git.TreeEntry = { mode: "100644", path: "zeros", oid, type: "blob" };
  const tree = await git.writeTree({ fs, gitdir: gitDir, tree: [entry] });
  const commit = await git.writeCommit({
    fs,
    gitdir: gitDir,
    commit: { message: "m", tree, parent: [], author: AUTHOR, committer: AUTHOR },
  });
  await assert.rejects(checkOut({ ...place, commit, ...LIMITS }), isRefused("REPOSITORY_TOO_LARGE"));
});

/** Ends the processes that wait for a checkout. */
async function endWaiting(): Promise<void> {
  for (const pid of childrenOf(process.pid)) process.kill(pid, "SIGKILL");
  await until(() => childrenOf(process.pid).length === 0, "they have ended");
}

test("a process does one checkout after the other, and is replaced when it has ended", async (t) => {
  if (process.platform !== "linux") return t.skip("Other systems do not list the children of a process.");
  const place = await newPlace(t);
  const { signal } = new AbortController();
  const commit = await git.resolveRef({ fs, gitdir: place.gitDir, ref: "refs/heads/main" });
  const checkOutAnew = async () => {
    const folder = await mkdtemp(`${place.folder}-`);
    const { files } = await checkOutApart({ ...place, commit, ...LIMITS, folder, fetch: null }, signal);
    assert.equal(files, 3);
    return childrenOf(process.pid);
  };
  await endWaiting();
  const first = await checkOutAnew();
  assert.equal(first.length, 1);
  assert.deepEqual(await checkOutAnew(), first);
  await endWaiting();
  const next = await checkOutAnew();
  assert.equal(next.length, 1);
  assert.notDeepEqual(next, first);
});

/** Empty where sessions have none, or where Linux may refuse to change it for now (`build-priority.ts`). */
function sessionPriorityOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/autogroup`;
  if (process.getuid?.() !== 0 || !fs.existsSync(file)) return [];
  return [Number(readFileSync(file, "utf8").split(" nice ")[1])];
}

test("the process of a checkout has a lower priority as soon as it is there", async (t) => {
  const { gitDir, folder } = await newPlace(t);
  if (process.platform !== "linux") return t.skip("Other systems do not list the children of a process.");
  await endWaiting();
  const controller = new AbortController();
  const task = { gitDir, commit: "0".repeat(40), folder, ...LIMITS, fetch: null };
  const checkout = checkOutApart(task, controller.signal);
  const priorities = childrenOf(process.pid).flatMap((pid) => [getPriority(pid), ...sessionPriorityOf(pid)]);
  assert.deepEqual(new Set(priorities), new Set([BUILD_PRIORITY]));
  controller.abort();
  await assert.rejects(checkout);
});

test("the process of a checkout loads no library of git, which would take longer than the checkout", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(new URL("checkout-process.ts", import.meta.url).href)});
    console.log(loaded.filter((url) => url.includes("/node_modules/")).join(" "));
    process.exit();`;
  const args = ["--input-type=module", "--eval", program];
  assert.equal(execFileSync(process.execPath, args, { encoding: "utf8" }).trim(), "");
});
