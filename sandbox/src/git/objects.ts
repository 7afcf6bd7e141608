/** The objects of a repository. Anyone who can push chooses their content, names and sizes. */
import { ObjectDamaged, type ObjectType, ObjectTooLarge, readObject } from "./read-object.ts";

/** Where objects are read, and how large one may be. */
export type ObjectPlace = { readonly gitdir: string; readonly maxObjectBytes: number };

export type RepositoryFaultCode = "COMMIT_NOT_FOUND" | "REPOSITORY_TOO_LARGE" | "CHECKOUT_REFUSED";

/** A fault of the repository itself: another read fails in the same way. The message may be shown. */
export class RepositoryFault extends Error {
  override readonly name = "RepositoryFault";
  readonly code: RepositoryFaultCode;
  constructor(code: RepositoryFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** There is no such object, or none of the expected type. */
export class ObjectMissing extends Error {
  override readonly name = "ObjectMissing";
}

export type TreeEntry = {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
  readonly type: "blob" | "tree" | "commit";
};

export type Commit = {
  readonly tree: string;
  /** The first parent; null for a root commit. */
  readonly parent: string | null;
  readonly parents: readonly string[];
  readonly author: string;
  /** ISO 8601; null if the commit does not say it. */
  readonly committedAt: string | null;
  readonly message: string;
};

/** @throws RepositoryFault `CHECKOUT_REFUSED`, `REPOSITORY_TOO_LARGE`; ObjectMissing */
export async function readBlob(place: ObjectPlace, oid: string): Promise<Buffer> {
  return await read(place, oid, "blob");
}

async function read(
  { gitdir, maxObjectBytes }: ObjectPlace,
  oid: string,
  expected: ObjectType,
): Promise<Buffer> {
  const found = await readObject(gitdir, oid, maxObjectBytes).catch((error: unknown) => {
    if (error instanceof ObjectTooLarge) {
      throw new RepositoryFault(
        "REPOSITORY_TOO_LARGE",
        `The object ${oid} needs ${error.bytes} bytes. The limit is ${maxObjectBytes} bytes.`,
      );
    }
    // Errors of the system are none of the repository's.
    if (!(error instanceof ObjectDamaged)) throw error;
    throw refused(`The object ${oid} is damaged. Find it with git fsck, and push it again.`);
  });
  if (found === null) throw new ObjectMissing(`There is no object ${oid}.`);
  if (found.type === expected) return found.bytes;
  if (expected === "commit") throw new ObjectMissing(`The object ${oid} is not a commit.`);
  throw refused(`The object ${oid} is not a ${expected}, as its tree says.`);
}

function refused(message: string): RepositoryFault {
  return new RepositoryFault("CHECKOUT_REFUSED", message);
}

/** A commit is lines of headers, an empty line, and the message. Continued lines begin with a space. @throws as `readBlob` */
export async function readCommit(place: ObjectPlace, oid: string): Promise<Commit> {
  const text = (await read(place, oid, "commit")).toString();
  const end = text.indexOf("\n\n");
  const headers = (end < 0 ? text : text.slice(0, end)).split("\n");
  const valueOf = (name: string) =>
    headers.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  const tree = valueOf("tree");
  if (!OID.test(tree)) throw refused(`The commit ${oid} is damaged. Find it with git fsck.`);
  const author = /^[^<]*/.exec(valueOf("author"))?.[0].trim() ?? "";
  const parents = headers.flatMap((line) => /^parent ([0-9a-f]{40})$/.exec(line)?.[1] ?? []);
  const seconds = / (\d{1,12}) [+-]\d{4}$/.exec(valueOf("committer"))?.[1];
  return {
    tree,
    parent: parents[0] ?? null,
    parents,
    author,
    committedAt: seconds === undefined ? null : new Date(Number(seconds) * 1000).toISOString(),
    message: end < 0 ? "" : text.slice(end + 2),
  };
}

/** The name of an object. */
export const OID = /^[0-9a-f]{40}$/;
const SPACE = 0x20;
const OID_BYTES = 20;

/** A tree is a list of `mode SP name NUL oid` (git's `gitformat-pack` and `tree.c`). @throws as `readBlob` */
export async function readTree(place: ObjectPlace, oid: string): Promise<readonly TreeEntry[]> {
  const content = await read(place, oid, "tree");
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(SPACE, at);
    const end = content.indexOf(0, space + 1);
    const next = end + 1 + OID_BYTES;
    const mode = content.toString("latin1", at, space);
    if (space < 0 || end < 0 || next > content.length || !/^[0-7]{5,6}$/.test(mode)) {
      throw refused(`The tree ${oid} is damaged. Find it with git fsck.`);
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
  throw refused(`The commit has a file whose name is not UTF-8: ${JSON.stringify(text)}. Rename it.`);
}
