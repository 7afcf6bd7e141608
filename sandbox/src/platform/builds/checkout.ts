/**
 * Writes the files of a commit of a bare repository into a folder. Anyone who can push chooses names and links.
 * So every entry is newly created, and nothing is written through an existing entry: a tree that contains a name
 * twice, as a link and as a folder, could otherwise write outside the folder.
 */
import * as fs from "node:fs";
import path from "node:path";
import { cutText } from "../../../../src/lib/cut-text.ts";
import {
  ObjectMissing,
  readBlob,
  readCommit,
  readTree,
  RepositoryFault,
  type TreeEntry,
} from "../../git/objects.ts";
import { sizeOfPacks } from "../../git/pack-sizes.ts";

export type CheckoutOptions = {
  readonly gitDir: string;
  readonly commit: string;
  /** An existing, empty folder. */
  readonly folder: string;
  /** The limit for the files together, for each object, and for the repository's packs. */
  readonly maxBytes: number;
  readonly maxFiles: number;
};

export type CheckedOut = {
  readonly files: number;
  readonly bytes: number;
  /** Paths of submodules, which are not fetched. */
  readonly submodules: readonly string[];
  /** Paths of files whose content is in Git LFS, and is not fetched. */
  readonly lfsPointers: readonly string[];
};

const MAX_DEPTH = 100;

/** @throws RepositoryFault */
export async function checkOut(options: CheckoutOptions): Promise<CheckedOut> {
  const { gitDir, commit, folder, maxBytes, maxFiles } = options;
  const limit = `The limit is ${maxBytes} bytes and ${maxFiles} files and folders.`;
  const packBytes = await sizeOfPacks(gitDir);
  if (packBytes > maxBytes) {
    const message = `The repository's packs have ${packBytes} bytes. ${limit}`;
    throw new RepositoryFault("REPOSITORY_TOO_LARGE", message);
  }
  const at = { gitdir: gitDir, maxObjectBytes: maxBytes };
  const submodules: string[] = [];
  const lfsPointers: string[] = [];
  let bytes = 0;
  let files = 0;
  const tooMuch = () =>
    new RepositoryFault(
      "REPOSITORY_TOO_LARGE",
      `The files of the commit are too large or too many. ${limit}`,
    );
  const count = (size: number): void => {
    bytes += size;
    files += 1;
    if (bytes > maxBytes || files > maxFiles) throw tooMuch();
  };

  async function writeBlob(entry: TreeEntry, target: string): Promise<void> {
    const blob = await readBlob(at, entry.oid);
    count(blob.byteLength);
    if (entry.mode === "120000") return writeLink(blob, target);
    if (isLfsPointer(blob)) lfsPointers.push(path.relative(folder, target));
    const mode = entry.mode === "100755" ? 0o755 : 0o644;
    return fs.promises.writeFile(target, blob, { flag: "wx", mode });
  }

  async function writeTree(oid: string, into: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      throw new RepositoryFault("CHECKOUT_REFUSED", `Folders are nested deeper than ${MAX_DEPTH} levels.`);
    }
    for (const entry of await readTree(at, oid)) {
      refuseBadName(entry.name);
      const target = path.join(into, entry.name);
      if (entry.type === "commit") {
        submodules.push(path.relative(folder, target));
      } else if (entry.type === "tree") {
        count(0);
        await fs.promises.mkdir(target);
        await writeTree(entry.oid, target, depth + 1);
      } else {
        await writeBlob(entry, target);
      }
    }
  }

  try {
    await writeTree((await readCommit(at, commit)).tree, folder, 0);
  } catch (error) {
    if (error instanceof ObjectMissing) {
      throw new RepositoryFault(
        "COMMIT_NOT_FOUND",
        `The repository does not have commit ${commit}, or a part of it is missing.`,
      );
    }
    const code =
      error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
    const refused = REFUSED_NAMES[code];
    if (refused !== undefined) {
      const at = error instanceof Error && "dest" in error ? error.dest : (error as { path?: unknown }).path;
      const name = typeof at === "string" ? JSON.stringify(shorten(path.relative(folder, at))) : "a file";
      throw new RepositoryFault("CHECKOUT_REFUSED", `The commit has ${name}, ${refused}.`);
    }
    throw error;
  }
  return { files, bytes, submodules, lfsPointers };
}

/** What a file system says of names that it does not take. */
const REFUSED_NAMES: Readonly<Record<string, string>> = {
  EEXIST: "whose name another file has too, exactly or in other case",
  ENAMETOOLONG: "whose name or path is too long",
  EINVAL: "whose name this machine does not allow",
  EILSEQ: "whose name this machine does not allow",
};

function shorten(text: string): string {
  return text.length <= 120 ? text : `${cutText(text, 119)}…`;
}

/** A pointer is smaller than this (the specification of Git LFS). */
const POINTER_BYTES_MAX = 1_024;
const POINTER = "version https://git-lfs.github.com/spec/";

function isLfsPointer(blob: Uint8Array): boolean {
  return blob.length < POINTER_BYTES_MAX && Buffer.from(blob).toString("latin1").startsWith(POINTER);
}

const LINK_BYTES_MAX = 4_095;

async function writeLink(blob: Uint8Array, target: string): Promise<void> {
  const link = Buffer.from(blob);
  if (link.length === 0 || link.length > LINK_BYTES_MAX || link.includes(0)) {
    throw new RepositoryFault(
      "CHECKOUT_REFUSED",
      `The commit has a link ${JSON.stringify(path.basename(target))} to a path that cannot exist.`,
    );
  }
  await fs.promises.symlink(link, target);
}

/** Names that git itself refuses to check out (git's `verify_path`). */
function refuseBadName(name: string): void {
  const isBad =
    name === "" || name === "." || name === ".." || /[/\0]/.test(name) || name.toLowerCase() === ".git";
  if (!isBad) return;
  throw new RepositoryFault("CHECKOUT_REFUSED", `The commit has a file named ${JSON.stringify(name)}.`);
}
