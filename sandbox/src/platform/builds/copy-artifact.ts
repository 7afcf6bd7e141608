import { constants, existsSync } from "node:fs";
import { cp, lstat, rm } from "node:fs/promises";

/**
 * Gives a release its own copy of the files, so that what it writes changes neither the artifact nor another
 * release. If the file system can, the copy shares blocks with the artifact until it is written to.
 */
export async function copyArtifact(source: string, app: string): Promise<void> {
  await rm(app, { recursive: true, force: true });
  // A build without a command has no home.
  if (!existsSync(source)) return;
  await cp(source, app, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    // Sockets and pipes left by a build cannot be copied, and have no process at the other end.
    filter: async (from) => {
      const seen = await lstat(from);
      return seen.isFile() || seen.isDirectory() || seen.isSymbolicLink();
    },
  });
}
