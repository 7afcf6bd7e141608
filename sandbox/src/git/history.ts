/** Compares and copies commits of the sandbox's repositories, without a git program. */
import * as fs from "node:fs";
import * as git from "isomorphic-git";
import { type ObjectPlace, readBlob, readCommit, readTree, type TreeEntry } from "./objects.ts";
import { hasObject, readObject } from "./read-object.ts";

/** Longer histories are not compared: each commit is read from the disk. */
const COMMITS_MAX = 10_000;

/**
 * The paths that differ between a commit and the point at which it left another one's history, as of `git diff
 * base...head`; null if the histories are too long to be compared.
 * @throws RepositoryFault; ObjectMissing
 */
export async function listChangedPaths(
  at: ObjectPlace,
  base: string,
  head: string,
): Promise<readonly string[] | null> {
  const [ofBase, ofHead] = [await readAncestors(at, base), await readAncestors(at, head)];
  if (ofBase === null || ofHead === null) return null;
  const common = [...ofHead.keys()].filter((oid) => ofBase.has(oid));
  const older = new Set(common.flatMap((oid) => ofHead.get(oid) ?? []));
  // Without a common commit, all files are new.
  const start = common.find((oid) => !older.has(oid));
  const tree = start === undefined ? null : (await readCommit(at, start)).tree;
  const paths: string[] = [];
  await compareTrees(at, tree, (await readCommit(at, head)).tree, "", paths);
  return paths.sort();
}

/**
 * The paths that differ between a commit and a later one; null if it is not in the later one's history, or that is too
 * long to be searched. @throws RepositoryFault; ObjectMissing
 */
export async function listPathsSince(
  at: ObjectPlace,
  from: string,
  to: string,
): Promise<readonly string[] | null> {
  const before = await readAncestors(at, to);
  if (before?.has(from) !== true) return null;
  const paths: string[] = [];
  await compareTrees(at, (await readCommit(at, from)).tree, (await readCommit(at, to)).tree, "", paths);
  return paths.sort();
}

/** A commit and all before it, each with its parents. */
async function readAncestors(
  at: ObjectPlace,
  oid: string,
): Promise<ReadonlyMap<string, readonly string[]> | null> {
  const found = new Map<string, readonly string[]>();
  const waiting = [oid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    if (found.size === COMMITS_MAX) return null;
    const { parents } = await readCommit(at, next);
    found.set(next, parents);
    waiting.push(...parents);
  }
  return found;
}

async function compareTrees(
  at: ObjectPlace,
  before: string | null,
  after: string | null,
  folder: string,
  paths: string[],
): Promise<void> {
  if (before === after) return;
  const [old, present] = [await entriesOf(at, before), await entriesOf(at, after)];
  for (const name of new Set([...old.keys(), ...present.keys()])) {
    const [was, is] = [old.get(name), present.get(name)];
    if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
    const filePath = `${folder}${name}`;
    await compareTrees(at, treeOf(was), treeOf(is), `${filePath}/`, paths);
    if ([was, is].some((entry) => entry !== undefined && entry.type !== "tree")) paths.push(filePath);
  }
}

async function entriesOf(at: ObjectPlace, tree: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
  const entries = tree === null ? [] : await readTree(at, tree);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function treeOf(entry: TreeEntry | undefined): string | null {
  return entry?.type === "tree" ? entry.oid : null;
}

/** Copies a commit with its history into another repository, which then has it too. @throws RepositoryFault; ObjectMissing */
export async function copyCommit(from: ObjectPlace, gitdir: string, oid: string): Promise<void> {
  const commits = new Set<string>();
  const waiting = [oid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (commits.has(next) || (await hasObject(gitdir, next))) continue;
    const { tree, parents } = await readCommit(from, next);
    await copyTree(from, gitdir, tree);
    commits.add(next);
    waiting.push(...parents);
  }
  // The given commit comes last, so that a repository that has it has all before it.
  for (const commit of [...commits].toReversed()) await copyObject(from, gitdir, commit);
}

async function copyTree(from: ObjectPlace, gitdir: string, tree: string): Promise<void> {
  if (await hasObject(gitdir, tree)) return;
  for (const { oid, type } of await readTree(from, tree)) {
    if (type === "tree") await copyTree(from, gitdir, oid);
    // A submodule's commit is in a repository of its own.
    else if (type === "blob" && !(await hasObject(gitdir, oid))) {
      const blob = await readBlob(from, oid);
      await git.writeBlob({ fs, gitdir, blob });
    }
  }
  await copyObject(from, gitdir, tree);
}

async function copyObject({ gitdir: source, maxObjectBytes }: ObjectPlace, gitdir: string, oid: string) {
  const found = await readObject(source, oid, maxObjectBytes);
  if (found === null) return;
  await git.writeObject({ fs, gitdir, type: found.type, object: found.bytes, format: "content" });
}
