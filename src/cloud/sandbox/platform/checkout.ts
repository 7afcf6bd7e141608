/**
 * Writes the files of a commit of a bare repository into a folder. Names and links come from whoever can
 * push, so every entry is made new and nothing is ever written through something that is there already:
 * a tree that has a name twice, as a link and as a folder, would lead out of the folder otherwise.
 */
import * as fs from "node:fs";
import path from "node:path";
import * as git from "isomorphic-git";

export type CheckoutOptions = {
  readonly gitDir: string;
  readonly commit: string;
  /** Empty, and there. */
  readonly folder: string;
  /** Of the files, and of the repository's own packs, which are read into memory. */
  readonly maxBytes: number;
  readonly maxFiles: number;
};

export type CheckoutCode = "COMMIT_NOT_FOUND" | "REPOSITORY_TOO_LARGE" | "CHECKOUT_REFUSED";

/** The commit cannot be checked out, whoever tries; the message may be shown. */
export class CheckoutRefused extends Error {
  override readonly name = "CheckoutRefused";
  readonly code: CheckoutCode;
  constructor(code: CheckoutCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type CheckedOut = {
  readonly files: number;
  readonly bytes: number;
  /** Paths of submodules, which are not fetched. */
  readonly submodules: readonly string[];
};

const MAX_DEPTH = 100;

/** @throws CheckoutRefused */
export async function checkOut(options: CheckoutOptions): Promise<CheckedOut> {
  const { gitDir, commit, folder, maxBytes, maxFiles } = options;
  const limit = `The limit is ${maxBytes} bytes and ${maxFiles} files and folders.`;
  const packBytes = await sizeOf(path.join(gitDir, "objects", "pack"));
  if (packBytes > maxBytes) {
    const message = `The repository's packs have ${packBytes} bytes. ${limit}`;
    throw new CheckoutRefused("REPOSITORY_TOO_LARGE", message);
  }
  const at = { fs, gitdir: gitDir, cache: {} };
  const submodules: string[] = [];
  let bytes = 0;
  let files = 0;
  const count = (size: number): void => {
    bytes += size;
    files += 1;
    if (bytes > maxBytes || files > maxFiles) {
      throw new CheckoutRefused("REPOSITORY_TOO_LARGE", `The files of the commit are too much. ${limit}`);
    }
  };

  async function writeBlob(entry: git.TreeEntry, target: string): Promise<void> {
    const { blob } = await git.readBlob({ ...at, oid: entry.oid });
    count(blob.byteLength);
    if (entry.mode === "120000") return fs.promises.symlink(Buffer.from(blob).toString(), target);
    const mode = entry.mode === "100755" ? 0o755 : 0o644;
    return fs.promises.writeFile(target, blob, { flag: "wx", mode });
  }

  async function writeTree(oid: string, into: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      throw new CheckoutRefused("CHECKOUT_REFUSED", `Folders lie deeper than ${MAX_DEPTH} levels.`);
    }
    for (const entry of (await git.readTree({ ...at, oid })).tree) {
      refuseBadName(entry.path);
      const target = path.join(into, entry.path);
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
    const { commit: read } = await git.readCommit({ ...at, oid: commit });
    await writeTree(read.tree, folder, 0);
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError || error instanceof git.Errors.ObjectTypeError) {
      throw new CheckoutRefused(
        "COMMIT_NOT_FOUND",
        `The repository does not have commit ${commit}, or lacks a part of it.`,
      );
    }
    const code = error instanceof Error && "code" in error ? error.code : null;
    const isUnsafe = error instanceof git.Errors.UnsafeFilepathError;
    if (isUnsafe || code === "EEXIST" || code === "ENAMETOOLONG" || code === "EINVAL") {
      throw new CheckoutRefused(
        "CHECKOUT_REFUSED",
        "The commit has two files of one name, or a name that no file may have.",
      );
    }
    throw error;
  }
  return { files, bytes, submodules };
}

/** Names that git itself refuses to check out (git's `verify_path`). */
function refuseBadName(name: string): void {
  const isBad =
    name === "" || name === "." || name === ".." || /[/\0]/.test(name) || name.toLowerCase() === ".git";
  if (!isBad) return;
  throw new CheckoutRefused("CHECKOUT_REFUSED", `The commit has a file named ${JSON.stringify(name)}.`);
}

async function sizeOf(folder: string): Promise<number> {
  if (!fs.existsSync(folder)) return 0;
  const names = await fs.promises.readdir(folder);
  const sizes = await Promise.all(
    names.map(async (name) => (await fs.promises.stat(path.join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
