/** The files of a build: copied for a release, or served as a site. Links are only followed inside the artifact. */
import { constants, createReadStream, existsSync } from "node:fs";
import { cp, lstat, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { ReadSite } from "../../../edge/src/site-file.ts";

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
      const stats = await lstat(from);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
}

/** Whether a site can be served from this folder of an artifact. */
export async function isFolderOfSite(sourceFolder: string, outputDirectory: string): Promise<boolean> {
  const found = await locate(sourceFolder, outputDirectory);
  return found !== null && (await stat(found)).isDirectory();
}

/** An artifact never changes, so its id and a URL's path always name the same content. */
export function readSiteFiles(artifactId: string, sourceFolder: string, outputDirectory: string): ReadSite {
  return async (sitePath) => {
    const file = await locate(sourceFolder, path.join(outputDirectory, sitePath));
    if (file === null) return null;
    const stats = await stat(file);
    if (stats.isDirectory()) return "tree";
    if (!stats.isFile()) return null;
    return {
      etag: artifactId,
      contentKey: `${artifactId} ${file}`,
      sizeBytes: stats.size,
      open: (range) => createReadStream(file, range),
    };
  };
}

/** The real path of a file of an artifact; null if it does not exist or is outside the artifact. */
async function locate(sourceFolder: string, relative: string): Promise<string | null> {
  try {
    const [root, target] = await Promise.all([
      realpath(sourceFolder),
      realpath(path.join(sourceFolder, relative)),
    ]);
    return target === root || target.startsWith(root + path.sep) ? target : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const MISSING = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES"]);

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && MISSING.has(String(error.code));
}
