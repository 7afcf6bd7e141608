/**
 * The sandbox's git host, on disk: bare repositories `<folder>/NAME.git` that people push to by path with their own
 * git. References are read from the disk every time, because a push sends no notification.
 */
import * as fs from "node:fs";
import path from "node:path";
import * as git from "isomorphic-git";
import { GIT_HOST } from "../dns/names.ts";
import { listPathsSince } from "./history.ts";
import { sizeOfPacks } from "./pack-sizes.ts";
import {
  type Commit,
  ObjectMissing,
  type ObjectPlace,
  OID,
  readBlob,
  readCommit,
  readTree,
  RepositoryFault,
} from "./objects.ts";

type Ref = { readonly name: string; readonly oid: string };

export type BlobFound = { readonly oid: string; readonly bytes: Uint8Array };

export type LoggedCommit = {
  readonly oid: string;
  readonly message: string;
  readonly author: string;
  /** ISO 8601 */
  readonly committedAt: string | null;
};

export type GitRepository = {
  /** Without `.git`, as it is on the disk. */
  readonly name: string;
  /** The bare repository's folder. */
  readonly gitDir: string;
  /** Where to read objects. @throws RepositoryFault `REPOSITORY_TOO_LARGE` */
  place(): Promise<ObjectPlace>;
  /** `HEAD` first if it points to a commit, then all references by name. */
  listRefs(): Promise<readonly Ref[]>;
  /** The branch that HEAD names, as `refs/heads/main`; null when detached. */
  readHeadTarget(): Promise<string | null>;
  /** The commit at the head of a branch; null when there is no such branch. */
  resolveBranch(branch: string): Promise<string | null>;
  /** A file at a commit; `tree` for a folder; null when there is nothing. @throws RepositoryFault */
  read(commit: string, filePath: string): Promise<BlobFound | "tree" | null>;
  /** The entries of a folder at a commit; null when there is no such folder. @throws RepositoryFault */
  listFolder(commit: string, folder: string): Promise<readonly FolderEntry[] | null>;
  /** When a branch last moved; null while there is no branch. */
  readLastPush(): Promise<Date | null>;
  /** The message and the author's name; null when there is no such commit. @throws RepositoryFault */
  readCommit(oid: string): Promise<{ readonly message: string; readonly author: string } | null>;
  /** The commit and its first ancestors, the newest first; empty when there is no such commit. @throws RepositoryFault */
  readLog(oid: string, limit: number): Promise<readonly LoggedCommit[]>;
  /** The paths that differ between a commit and a later one; null if that cannot be said. @throws RepositoryFault */
  listChanges(from: string, to: string): Promise<readonly string[] | null>;
};

export type FolderEntry = { readonly name: string; readonly kind: "file" | "folder" };

export type GitRepositories = {
  /** Null when there is no repository of this name (`demo`, without `.git`). */
  open(name: string): GitRepository | null;
  /** The names of all, sorted. */
  listNames(): Promise<readonly string[]>;
};

/** Objects are read in a process that also serves: a larger one must not fill its memory. GitHub's limit for a file. */
export const OBJECT_MAX_BYTES = 100 * 1024 ** 2;

const MAX_SYMBOLIC_DEPTH = 5;
/** git's `check-ref-format`. */
const FORBIDDEN_IN_REFERENCE = /[\p{Cc} ~^:?*[\\]|\.\.|@\{/u;

const REPOSITORY_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** @param maxPackBytes the limit for a repository whose files are read here */
export function openRepositories(folder: string, maxPackBytes: number): GitRepositories {
  return {
    async listNames() {
      const entries = await fs.promises.readdir(folder);
      return entries
        .filter((entry) => entry.endsWith(".git"))
        .map((entry) => entry.slice(0, -".git".length))
        .filter((name) => isRepository(folder, name))
        .sort();
    },
    open(requested) {
      const name = findName(folder, requested);
      if (name === null) return null;
      return openRepository(path.join(folder, `${name}.git`), maxPackBytes);
    },
  };
}

/** The host ignores the case of a name, as GitHub and GitLab do, unless two names differ in it only. */
function findName(folder: string, requested: string): string | null {
  if (isRepository(folder, requested)) return requested;
  const expected = `${requested.toLowerCase()}.git`;
  const entry = fs.readdirSync(folder).find((one) => one.toLowerCase() === expected);
  const name = entry?.slice(0, -".git".length) ?? "";
  return isRepository(folder, name) ? name : null;
}

function isRepository(folder: string, name: string): boolean {
  if (!REPOSITORY_NAME.test(name) || name.includes("..")) return false;
  return fs.existsSync(path.join(folder, `${name}.git`, "HEAD"));
}

/** The name in a sandbox address such as `https://git.sandbox.test/demo.git`; null for any other host. */
export function repositoryNameOf(repoUrl: string): string | null {
  if (!URL.canParse(repoUrl)) return null;
  const url = new URL(repoUrl);
  return url.hostname === GIT_HOST
    ? url.pathname
        .slice(1)
        .replace(/\/$/, "")
        .replace(/\.git$/, "")
    : null;
}

function openRepository(gitdir: string, maxPackBytes: number): GitRepository {
  /** Where to read objects, if they may be read. */
  const place = async (): Promise<ObjectPlace> => {
    const packBytes = await sizeOfPacks(gitdir);
    if (packBytes > maxPackBytes) {
      throw new RepositoryFault(
        "REPOSITORY_TOO_LARGE",
        `The repository's packs have ${packBytes} bytes. The limit is ${maxPackBytes} bytes.`,
      );
    }
    return { gitdir, maxObjectBytes: OBJECT_MAX_BYTES };
  };
  /** References may lead to others, in a circle too. */
  const resolve = async (ref: string) => {
    try {
      const oid = await git.resolveRef({ fs, gitdir, ref, depth: MAX_SYMBOLIC_DEPTH });
      return OID.test(oid) ? oid : null;
    } catch (error) {
      if (error instanceof Error && "isIsomorphicGitError" in error) return null;
      throw error;
    }
  };
  return {
    name: path.basename(gitdir, ".git"),
    gitDir: gitdir,
    place,
    async listRefs() {
      const names = (await git.listRefs({ fs, gitdir, filepath: "refs" }))
        .map((name) => `refs/${name}`)
        // A pushed reference has no such name, but anything can be in the folder.
        .filter((name) => !FORBIDDEN_IN_REFERENCE.test(name));
      // The library reads and parses all packed references for each name, which takes seconds for thousands of them.
      const packed = await readPackedRefs(gitdir);
      const refs = await Promise.all(
        ["HEAD", ...names.sort()].map(async (name) => {
          const oid = (await readLoose(gitdir, name)) ?? packed.get(name) ?? "";
          return { name, oid: OID.test(oid) ? oid : await resolve(name) };
        }),
      );
      // A HEAD whose branch has no commit yet points to nothing.
      return refs.flatMap(({ name, oid }) => (oid === null ? [] : [{ name, oid }]));
    },
    readHeadTarget: () => readHead(gitdir),
    async resolveBranch(branch) {
      const ref = `refs/heads/${branch}`;
      if (FORBIDDEN_IN_REFERENCE.test(ref)) return null;
      // The library reads and parses all packed references first. Hundreds of branches are followed twice a second, so
      // each is read at once, which takes microseconds.
      const loose = readLooseNow(gitdir, ref);
      return loose !== null && OID.test(loose) ? loose : await resolve(ref);
    },
    async read(commit, filePath) {
      const at = await place();
      return await orNull(readAt(at, commit, filePath));
    },
    async listFolder(commit, folder) {
      const at = await place();
      const found = await orNull(findAt(at, commit, folder));
      if (found?.type !== "tree") return null;
      return (await readTree(at, found.oid)).flatMap(({ name, type }) =>
        type === "commit" ? [] : [{ name, kind: type === "tree" ? "folder" : "file" } as const],
      );
    },
    readLastPush: () => readLastPush(gitdir),
    async readCommit(oid) {
      const found = await orNull(readCommit(await place(), oid));
      return found && { message: found.message, author: found.author };
    },
    async readLog(oid, limit) {
      const at = await place();
      const log: LoggedCommit[] = [];
      for (let next: string | null = oid; next !== null && log.length < limit;) {
        const found: Commit | null = await orNull(readCommit(at, next));
        if (found === null) break;
        log.push({
          oid: next,
          message: found.message,
          author: found.author,
          committedAt: found.committedAt,
        });
        next = found.parent;
      }
      return log;
    },
    listChanges: async (from, to) => await orNull(listPathsSince(await place(), from, to)),
  };
}

async function readAt(at: ObjectPlace, commit: string, filePath: string): Promise<BlobFound | "tree" | null> {
  const found = await findAt(at, commit, filePath);
  if (found?.type !== "blob") return found === null ? null : "tree";
  return { oid: found.oid, bytes: await readBlob(at, found.oid) };
}

type ObjectFound = { readonly oid: string; readonly type: "blob" | "tree" };

async function findAt(at: ObjectPlace, commit: string, filePath: string): Promise<ObjectFound | null> {
  let oid = (await readCommit(at, commit)).tree;
  const segments = filePath.split("/").filter((part) => part !== "");
  for (const [index, segment] of segments.entries()) {
    const entry = (await readTree(at, oid)).find(({ name }) => name === segment);
    const isLast = index === segments.length - 1;
    if (entry === undefined || entry.type === "commit" || (entry.type === "blob" && !isLast)) return null;
    oid = entry.oid;
    if (entry.type === "blob") return { oid, type: "blob" };
  }
  return { oid, type: "tree" };
}

/** What the reference's own file has: a commit, or the name of another reference. Null without a file. */
async function readLoose(gitdir: string, name: string): Promise<string | null> {
  const text = await fs.promises.readFile(path.join(gitdir, name), "utf8").catch(() => null);
  return text === null ? null : text.trim();
}

/** The same at once, for references that are read often. */
function readLooseNow(gitdir: string, name: string): string | null {
  try {
    return fs.readFileSync(path.join(gitdir, name), "utf8").trim();
  } catch (error) {
    // A missing file, or the folder of branches with a longer name.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** The references without a file of their own, which `git gc` writes into one file. */
async function readPackedRefs(gitdir: string): Promise<ReadonlyMap<string, string>> {
  const text = (await readLoose(gitdir, "packed-refs")) ?? "";
  return new Map(
    text.split("\n").flatMap((line) => {
      const [oid = "", name] = line.split(" ");
      return name === undefined || !OID.test(oid) ? [] : [[name, oid] as const];
    }),
  );
}

/** A push writes the branch's file, and `git gc` all of them into one. */
async function readLastPush(gitdir: string): Promise<Date | null> {
  const heads = path.join(gitdir, "refs", "heads");
  const names = fs.existsSync(heads) ? await fs.promises.readdir(heads, { recursive: true }) : [];
  const files = [...names.map((name) => path.join(heads, name)), path.join(gitdir, "packed-refs")];
  const stats = await Promise.all(files.map((file) => fs.promises.stat(file).catch(() => null)));
  const times = stats.flatMap((stat) => (stat?.isFile() === true ? [stat.mtimeMs] : []));
  return times.length === 0 ? null : new Date(Math.max(...times));
}

async function readHead(gitdir: string): Promise<string | null> {
  const head = await fs.promises.readFile(path.join(gitdir, "HEAD"), "utf8");
  return /^ref: (refs\/heads\/\S+)\s*$/.exec(head)?.[1] ?? null;
}

/** Null for errors that mean "not found": a missing object or reference, or a path through a file. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ObjectMissing || error instanceof git.Errors.NotFoundError) return null;
    throw error;
  }
}

export type Files = { readonly [filePath: string]: string | Uint8Array };

/**
 * Creates a bare repository with one commit. It appears complete or not at all.
 * @returns the commit
 */
export async function createRepository(options: {
  readonly folder: string;
  readonly name: string;
  readonly branch: string;
  readonly files: Files;
  readonly at: Date;
}): Promise<string> {
  const { folder, name, branch, files, at } = options;
  const gitdir = path.join(folder, `${name}.git`);
  const unfinished = path.join(folder, `.${name}.git.new`);
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  await git.init({ fs, gitdir: unfinished, bare: true, defaultBranch: branch });
  const commit = await commitFiles({ gitdir: unfinished, branch, files, message: "Start here", at });
  fs.renameSync(unfinished, gitdir);
  return commit;
}

/** Commits exactly these files on top of the branch. @returns the commit */
export async function commitFiles(options: {
  readonly gitdir: string;
  readonly branch: string;
  readonly files: Files;
  readonly message: string;
  readonly at: Date;
}): Promise<string> {
  const { gitdir, branch, files, message, at } = options;
  const parent = await orNull(git.resolveRef({ fs, gitdir, ref: `refs/heads/${branch}` }));
  const author = {
    name: "Slipway Sandbox",
    email: "sandbox@sandbox.test",
    timestamp: Math.floor(at.getTime() / 1000),
    timezoneOffset: 0,
  };
  const tree = await writeTree(gitdir, new Map(Object.entries(files)));
  const commit = await git.writeCommit({
    fs,
    gitdir,
    commit: { message, tree, parent: parent === null ? [] : [parent], author, committer: author },
  });
  await git.writeRef({ fs, gitdir, ref: `refs/heads/${branch}`, value: commit, force: true });
  return commit;
}

async function writeTree(gitdir: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<string> {
  const blobs = new Map<string, string | Uint8Array>();
  const folders = new Map<string, Map<string, string | Uint8Array>>();
  for (const [filePath, content] of files) {
    const slash = filePath.indexOf("/");
    if (slash === -1) {
      blobs.set(filePath, content);
      continue;
    }
    const folder = filePath.slice(0, slash);
    const inside = folders.get(folder) ?? new Map();
    folders.set(folder, inside.set(filePath.slice(slash + 1), content));
  }
  const entries: git.TreeEntry[] = [];
  for (const [name, content] of blobs) {
    const oid = await git.writeBlob({
      fs,
      gitdir,
      blob: typeof content === "string" ? Buffer.from(content) : content,
    });
    entries.push({ mode: "100644", path: name, oid, type: "blob" });
  }
  for (const [name, inside] of folders) {
    entries.push({ mode: "040000", path: name, oid: await writeTree(gitdir, inside), type: "tree" });
  }
  return git.writeTree({ fs, gitdir, tree: entries });
}
