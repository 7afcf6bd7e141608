/** A site of files: those of a sandbox repository, at the head of a branch. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Origin } from "../cloud.ts";
import { sendText } from "./edge-text.ts";
import {
  repositoryNameOf,
  type BlobFound,
  type GitRepositories,
  type GitRepository,
} from "./git-repositories.ts";

export type FileReader = (
  repository: GitRepository,
  key: string,
  commit: string,
  filePath: string,
) => Promise<BlobFound | "tree" | null>;

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Commits never change, so what was read of one is kept, up to a total size; oldest goes first. */
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
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return sendText(response, 405, "This site has files only: GET and HEAD.");
  }
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
  const read = (filePath: string) => readFile(repository, name, commit, filePath);
  const root = origin.directory.split("/").filter((part) => part !== "" && part !== ".");
  const [pathname = "/", query] = (request.url ?? "/").split("?", 2);
  const parts = parsePath(pathname);
  const at = parts === null ? null : [...root, ...parts].join("/");
  const found = at === null ? null : await read(at);
  if (found === "tree" && !pathname.endsWith("/")) {
    // Without the slash, the relative links of a folder's page would point beside the folder.
    const location = `${pathname.replace(/^\/+/, "/")}/${query === undefined ? "" : `?${query}`}`;
    response.writeHead(301, { location, "content-length": 0 });
    response.end();
    return;
  }
  const candidates =
    at === null ? [] : found === "tree" ? [[at, "index.html"].filter(Boolean).join("/")] : [at, `${at}.html`];
  for (const candidate of candidates) {
    const file = await read(candidate);
    if (file !== null && file !== "tree") return sendFile(request, response, 200, candidate, file);
  }
  const notFound = await read([...root, "404.html"].join("/"));
  if (notFound !== null && notFound !== "tree") return sendFile(request, response, 404, "404.html", notFound);
  return sendText(response, 404, "There is no such page.");
}

/** The parts of a URL's path, or null for one that no file can have. */
function parsePath(pathname: string): readonly string[] | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
  const parts = decoded.split("/").filter((part) => part !== "");
  return parts.some((part) => part === "." || part === ".." || part.includes("\0")) ? null : parts;
}

const CONTENT_TYPES: { readonly [extension: string]: string } = {
  avif: "image/avif",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xml: "application/xml",
};

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  filePath: string,
  file: BlobFound,
): void {
  const extension = /\.([^./]+)$/.exec(filePath)?.[1]?.toLowerCase() ?? "";
  const etag = `"${file.oid}"`;
  const headers = { etag, "cache-control": "public, max-age=0, must-revalidate" };
  const isKnown = (request.headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim() === etag);
  if (status === 200 && isKnown) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  response.writeHead(status, {
    ...headers,
    "content-type": CONTENT_TYPES[extension] ?? "application/octet-stream",
    "content-length": file.bytes.byteLength,
    "x-content-type-options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : file.bytes);
}
