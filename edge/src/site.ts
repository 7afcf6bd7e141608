/** Serves a site of files from any source. */
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Mime } from "mime/lite";
import standardTypes from "mime/types/standard.js";
import { sendText } from "./edge-text.ts";
import { canEncode, encode, encodingFor } from "./site-encoding.ts";
import type { SiteContent, SiteFile } from "./site-file.ts";
import { rangeOf } from "./site-range.ts";

export async function serveSite(
  { read, singlePageApp = false }: SiteContent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return sendText(response, 405, "This site only has files. Use GET or HEAD.");
  }
  const [pathname = "/", query] = (request.url ?? "/").split("?", 2);
  if (singlePageApp && isPageOfApp(pathname)) {
    const app = await read("index.html");
    if (app !== null && app !== "tree") return sendFile(request, response, 200, "index.html", app);
  }
  const at = parsePath(pathname)?.join("/") ?? null;
  const found = at === null ? null : await read(at);
  if (found === "tree" && !pathname.endsWith("/")) {
    // Without the trailing slash, relative links on a folder's page would resolve outside the folder.
    const location = `${pathname.replace(/^\/+/, "/")}/${query === undefined ? "" : `?${query}`}`;
    response.writeHead(301, { location, "content-length": 0 });
    response.end();
    return;
  }
  if (at !== null && found !== null && found !== "tree") return sendFile(request, response, 200, at, found);
  const page = at === null ? null : pageAt(at, found === "tree");
  if (page !== null) {
    const file = await read(page);
    if (file !== null && file !== "tree") return sendFile(request, response, 200, page, file);
  }
  const notFound = await read("404.html");
  if (notFound !== null && notFound !== "tree") return sendFile(request, response, 404, "404.html", notFound);
  return sendText(response, 404, "There is no such page.");
}

/** As CloudFront's function decides on AWS, which does not know which files there are. */
function isPageOfApp(pathname: string): boolean {
  return !pathname.startsWith("/.well-known/") && !pathname.slice(pathname.lastIndexOf("/")).includes(".");
}

/** The page of an address, as CloudFront's function finds it on AWS: it rewrites no name with a dot. */
function pageAt(at: string, isFolder: boolean): string | null {
  if (isFolder) return [at, "index.html"].filter(Boolean).join("/");
  return at.startsWith(".well-known/") || path.posix.basename(at).includes(".") ? null : `${at}.html`;
}

/** The segments of a URL's path; null if no file can have this path. */
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

const TYPES = new Mime(standardTypes, { "image/x-icon": ["ico"] });

function contentTypeOf(filePath: string): string {
  // A name at the root without a dot must not be taken for an extension.
  const type = TYPES.getType(`/${filePath}`) ?? "application/octet-stream";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  filePath: string,
  file: SiteFile,
): Promise<void> {
  const etag = `"${file.etag}"`;
  const type = contentTypeOf(filePath);
  const isEncodable = canEncode(type, file.sizeBytes);
  const headers = {
    "cache-control": "public, max-age=0, must-revalidate",
    ...(isEncodable ? { vary: "accept-encoding" } : {}),
  };
  const typed = { ...headers, "content-type": type, "x-content-type-options": "nosniff" };
  const knownTags = (request.headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim());
  const isKnown = knownTags.some((tag) => tag === etag || tag === `W/${etag}`);
  if (status === 200 && isKnown) {
    response.writeHead(304, { ...headers, etag });
    response.end();
    return;
  }
  const range = status === 200 ? rangeOf(request, etag, file.sizeBytes) : null;
  if (range === "unsatisfiable") {
    response.writeHead(416, {
      ...headers,
      "content-range": `bytes */${file.sizeBytes}`,
      "content-length": 0,
    });
    response.end();
    return;
  }
  const encoding = isEncodable && range === null ? encodingFor(request.headers["accept-encoding"]) : null;
  if (encoding !== null) {
    const body = await encode(file, encoding);
    response.writeHead(status, {
      ...typed,
      // The same content in other bytes (RFC 9110, 8.8.1).
      etag: `W/${etag}`,
      "content-encoding": encoding,
      "content-length": body.byteLength,
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
  response.writeHead(range === null ? status : 206, {
    ...typed,
    etag,
    "accept-ranges": "bytes",
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end}/${file.sizeBytes}` }),
    "content-length": end - start + 1,
  });
  const body = request.method === "HEAD" ? null : file.open(range ?? undefined);
  if (!(body instanceof Readable)) {
    response.end(body);
    return;
  }
  // A file that breaks off must not look complete, so the visitor's connection breaks too.
  await pipeline(body, response).catch(() => response.destroy());
}
