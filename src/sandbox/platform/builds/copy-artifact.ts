import { constants } from "node:fs";
import { cp, lstat, rm } from "node:fs/promises";

/**
 * Gives a release files of its own to run in, so that what it writes changes no artifact and no other
 * release. Where the file system can, the copy shares its blocks with the artifact until it is written to.
 */
export async function copyArtifact(source: string, app: string): Promise<void> {
  await rm(app, { recursive: true, force: true });
  await cp(source, app, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    // Sockets and pipes that a build left cannot be copied, and nobody is at their other end.
    filter: async (from) => {
      const seen = await lstat(from);
      return seen.isFile() || seen.isDirectory() || seen.isSymbolicLink();
    },
  });
}
