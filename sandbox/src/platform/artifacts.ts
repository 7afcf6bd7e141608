/** The files of a build: copied for a release, or served as a site. Links are only followed inside the artifact. */
import { createHash } from "node:crypto";
import { constants, createReadStream, existsSync } from "node:fs";
import { cp, lstat, readdir, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { LRUCache } from "lru-cache";
import type { ByteRange } from "../../../edge/src/site-range.ts";
import type { FileList, ReadSite, SiteFile, StaticFiles } from "../../../edge/src/site-file.ts";
import type { Workload } from "../../../src/cloud/platform.ts";
import type { Commands } from "./commands/commands.ts";
import type { Folders } from "./store.ts";

type StaticWorkload = Extract<Workload, { type: "static" }>;

/**
 * Gives a release its own copy of the files, so that what it writes changes neither the artifact nor another
 * release. If the file system can, the copy shares blocks with the artifact until it is written to.
 */
async function copyArtifact(source: string, app: string): Promise<void> {
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

/**
 * Gives commands their own copy of an artifact in this root, with its HOME, and opens the root for them.
 * @returns the folder of the copy
 */
export async function installArtifact(
  parts: { readonly folders: Folders; readonly commands: Commands },
  {
    accountId,
    artifact,
    root,
  }: { readonly accountId: string; readonly artifact: string; readonly root: string },
): Promise<string> {
  const { folders, commands } = parts;
  const app = path.join(root, "app");
  await copyArtifact(folders.sourceOf(artifact), app);
  await copyArtifact(folders.buildHomeOf(artifact), path.join(root, "home"));
  await commands.open(accountId, root);
  return app;
}

/** A site with more files is not copied to other edges. */
const LISTED_MAX = 50_000;

/** Whether a site can be served from this folder of an artifact. */
export async function isFolderOfSite(sourceFolder: string, outputDirectory: string): Promise<boolean> {
  const found = await locate(sourceFolder, outputDirectory);
  return found !== null && (await stat(found)).isDirectory();
}

/** Files and folders that were served last, by artifact, folder and path; of small files the content too. */
const served = new LRUCache<string, SiteFile | "tree">({ maxSize: 64 * 1024 ** 2 });
const SMALL_BYTES_MAX = 64 * 1024;
/** An entry without its key and its content. */
const ENTRY_BYTES = 500;

/** The files of an artifact as a site. It never changes, so its id and a URL's path always name the same content. */
export function openStaticFiles(
  artifactId: string,
  sourceFolder: string,
  { outputDirectory, singlePageApp = false }: Pick<StaticWorkload, "outputDirectory" | "singlePageApp">,
): StaticFiles {
  const folder = `${artifactId}\0${outputDirectory}`;

  async function look(sitePath: string) {
    const file = await locate(sourceFolder, path.join(outputDirectory, sitePath));
    if (file === null) return null;
    const stats = await stat(file);
    if (stats.isDirectory()) return "tree";
    if (!stats.isFile()) return null;
    return {
      etag: artifactId,
      contentKey: `${artifactId} ${file}`,
      sizeBytes: stats.size,
      open: (range?: ByteRange) => createReadStream(file, range),
    };
  }

  const read: ReadSite = async (sitePath) => {
    const at = `${folder}\0${sitePath}`;
    const known = served.get(at);
    if (known !== undefined) return known;
    const found = await look(sitePath);
    if (found === null) return null;
    const isSmall = found !== "tree" && found.sizeBytes <= SMALL_BYTES_MAX;
    const bytes = isSmall ? await buffer(found.open()) : null;
    const entry =
      found === "tree" || bytes === null
        ? found
        : {
            ...found,
            open: ({ start, end }: ByteRange = { start: 0, end: bytes.length }) =>
              bytes.subarray(start, end + 1),
          };
    served.set(at, entry, { size: ENTRY_BYTES + at.length + (bytes?.length ?? 0) });
    return entry;
  };
  return {
    key: createHash("sha256")
      .update(`${folder}${singlePageApp ? "\0singlePageApp" : ""}`)
      .digest("base64url"),
    read,
    singlePageApp,
    async list() {
      const root = await locate(sourceFolder, outputDirectory);
      if (root === null) return null;
      const files: FileList["files"][number][] = [];
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        if (entry.isDirectory()) continue;
        const at = path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/");
        const found = await look(at);
        // The folder that a link leads to may have the link.
        if (found === "tree" || files.length === LISTED_MAX) return null;
        if (found !== null) files.push({ path: at, sizeBytes: found.sizeBytes });
      }
      return { etag: artifactId, files, ...(singlePageApp ? { singlePageApp } : {}) };
    },
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
