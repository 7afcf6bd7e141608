/**
 * Reads the objects of a repository. Anyone who can push chooses their content, so trees are read here: isomorphic-git
 * refuses names that git accepts (a backslash), and repairs others.
 */
import type * as fs from "node:fs";
import * as git from "isomorphic-git";

/** Where objects are read: the options of isomorphic-git. */
export type ObjectPlace = { readonly fs: typeof fs; readonly gitdir: string; readonly cache: object };

export type RepositoryFaultCode = "COMMIT_NOT_FOUND" | "REPOSITORY_TOO_LARGE" | "CHECKOUT_REFUSED";

/** What is wrong with a repository, however often it is read. The message may be shown. */
export class RepositoryFault extends Error {
  override readonly name = "RepositoryFault";
  readonly code: RepositoryFaultCode;
  constructor(code: RepositoryFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type TreeEntry = {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
  readonly type: "blob" | "tree" | "commit";
};

/** @throws RepositoryFault `CHECKOUT_REFUSED`; isomorphic-git's `NotFoundError` and `ObjectTypeError` */
export async function readTree(place: ObjectPlace, oid: string): Promise<readonly TreeEntry[]> {
  return parseTree(oid, await readObject(place, oid, "tree"));
}

/** @throws as `readTree` */
export async function readBlob(place: ObjectPlace, oid: string): Promise<Uint8Array> {
  return await readObject(place, oid, "blob");
}

/** @throws as `readTree` */
export async function readCommit(place: ObjectPlace, oid: string): Promise<git.CommitObject> {
  return (await guard(oid, () => git.readCommit({ ...place, oid }))).commit;
}

async function readObject(place: ObjectPlace, oid: string, expected: "tree" | "blob"): Promise<Uint8Array> {
  const { type, object } = await guard(oid, () => git.readObject({ ...place, oid, format: "content" }));
  if (type !== expected || !(object instanceof Uint8Array)) {
    throw new RepositoryFault(
      "CHECKOUT_REFUSED",
      `The object ${oid} is not a ${expected}, as its tree says.`,
    );
  }
  return object;
}

/** An object that is there and cannot be read is damaged. Errors of the system are none of the repository's. */
async function guard<T>(oid: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isSystems = error instanceof Error && "syscall" in error;
    const isMissing =
      error instanceof git.Errors.NotFoundError || error instanceof git.Errors.ObjectTypeError;
    if (isSystems || isMissing || error instanceof RepositoryFault) throw error;
    throw new RepositoryFault(
      "CHECKOUT_REFUSED",
      `The object ${oid} is damaged. Find it with git fsck, and push it again.`,
    );
  }
}

const SPACE = 0x20;
const OID_BYTES = 20;

/** A tree is a list of `mode SP name NUL oid` (git's `gitformat-pack` and `tree.c`). */
function parseTree(oid: string, bytes: Uint8Array): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(SPACE, at);
    const end = content.indexOf(0, space + 1);
    const next = end + 1 + OID_BYTES;
    const mode = content.toString("latin1", at, space);
    if (space < 0 || end < 0 || next > content.length || !/^[0-7]{5,6}$/.test(mode)) {
      throw new RepositoryFault("CHECKOUT_REFUSED", `The tree ${oid} is damaged. Find it with git fsck.`);
    }
    const type = /^0?40000$/.test(mode) ? "tree" : mode === "160000" ? "commit" : "blob";
    const name = content.subarray(space + 1, end);
    entries.push({ mode, name: textOf(name), oid: content.toString("hex", end + 1, next), type });
    at = next;
  }
  return entries;
}

function textOf(name: Buffer): string {
  const text = name.toString();
  if (Buffer.from(text).equals(name)) return text;
  throw new RepositoryFault(
    "CHECKOUT_REFUSED",
    `The commit has a file whose name is not UTF-8: ${JSON.stringify(text)}. Rename it.`,
  );
}
