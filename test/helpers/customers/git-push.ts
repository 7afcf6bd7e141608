/** What a developer does: a clone of one's own, commits, and `git push` to a repository of the sandbox by its path. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Slipway itself needs no git; without one these tests are left out. */
export const HAS_GIT: boolean = spawnSync("git", ["--version"]).status === 0;

export type WorkingCopy = {
  /** Commits exactly these files, on the newest commit or in a separate history. @returns the commit */
  commit(
    files: Readonly<Record<string, string | Uint8Array>>,
    options?: { isOrphan?: boolean },
  ): Promise<string>;
  /** Pushes what was committed, such as `HEAD:main`. */
  push(...args: readonly string[]): Promise<void>;
};

/** A working copy in `folder` of a new bare repository `NAME.git` in the sandbox of `dataDir`. */
export async function openWorkingCopy(dataDir: string, name: string, folder: string): Promise<WorkingCopy> {
  const bare = path.join(dataDir, "sandbox", "git", `${name}.git`);
  const git = async (at: string, ...args: readonly string[]): Promise<string> => {
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.com",
    };
    return (await run("git", [...args], { cwd: at, env })).stdout.trim();
  };
  mkdirSync(folder, { recursive: true });
  // Git refuses to delete the branch that HEAD names.
  await git(folder, "init", "--quiet", "--bare", "--initial-branch=nobody-pushes-this", bare);
  await git(folder, "init", "--quiet", "--initial-branch=main", ".");
  await git(folder, "remote", "add", "origin", bare);
  let branches = 0;
  return {
    async commit(files, { isOrphan = false } = {}) {
      branches += 1;
      if (isOrphan) await git(folder, "checkout", "--quiet", "--orphan", `other-${branches}`);
      await git(folder, "rm", "-rqf", "--ignore-unmatch", ".");
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(folder, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, content);
      }
      await git(folder, "add", "--all");
      await git(folder, "commit", "--quiet", "--allow-empty", "--message", "Change");
      for (const name of Object.keys(files)) await rm(path.join(folder, name));
      return await git(folder, "rev-parse", "HEAD");
    },
    async push(...args) {
      await git(folder, "push", "--quiet", "origin", ...args);
    },
  };
}
