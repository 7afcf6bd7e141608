/** A site of files: those of a sandbox repository, at the head of a branch. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Origin } from "../../../src/cloud/cloud.ts";
import { sendText } from "../serving/edge-text.ts";
import {
  repositoryNameOf,
  type BlobFound,
  type GitRepositories,
  type GitRepository,
} from "../git/git-repositories.ts";
import { RepositoryFault } from "../git/objects.ts";
import { serveSite, type SiteFile } from "../serving/site.ts";

export type FileReader = (
  repository: GitRepository,
  key: string,
  commit: string,
  filePath: string,
) => Promise<BlobFound | "tree" | null>;

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Commits never change, so their files are cached, up to a total size; the oldest are removed first. */
export function createFileReader(): FileReader {
  const cached = new Map<string, BlobFound | "tree" | null>();
  let bytes = 0;
  const sizeOf = (found: BlobFound | "tree" | null) =>
    256 + (found === null || found === "tree" ? 0 : found.bytes.byteLength);
  return async (repository, name, commit, filePath) => {
    const key = `${name}@${commit}:${filePath}`;
    const hit = cached.get(key);
    if (hit !== undefined) return hit;
    const found = await repository.read(commit, filePath);
    if (cached.has(key)) return found;
    cached.set(key, found);
    bytes += sizeOf(found);
    for (const [oldKey, old] of cached) {
      if (bytes <= MAX_CACHED_BYTES) break;
      cached.delete(oldKey);
      bytes -= sizeOf(old);
    }
    return found;
  };
}

export async function serveRepository(
  origin: Extract<Origin, { kind: "repository" }>,
  repositories: GitRepositories,
  readFile: FileReader,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = repositoryNameOf(origin.repoUrl);
  const repository = name === null ? null : repositories.open(name);
  const commit = repository === null ? null : await repository.resolveBranch(origin.branch);
  if (name === null || repository === null || commit === null) {
    return sendText(
      response,
      502,
      "The origin of this site cannot be read: its repository or branch is missing.",
    );
  }
  const root = origin.directory.split("/").filter((part) => part !== "" && part !== ".");
  const read = async (sitePath: string): Promise<SiteFile | "tree" | null> => {
    const found = await readFile(repository, name, commit, [...root, sitePath].filter(Boolean).join("/"));
    if (found === null || found === "tree") return found;
    return { etag: found.oid, sizeBytes: found.bytes.byteLength, open: () => found.bytes };
  };
  try {
    await serveSite(read, request, response);
  } catch (error) {
    if (!(error instanceof RepositoryFault)) throw error;
    return sendText(response, 502, `The origin of this site cannot be read. ${error.message}`);
  }
}
