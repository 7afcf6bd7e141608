/** What the edge answers from: files of a repository, another host, or nothing yet. */
import { lookup as lookUpSystemName, type LookupAddress, type LookupOptions } from "node:dns";
import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import type { Origin } from "../cloud.ts";
import {
  repositoryNameOf,
  type BlobFound,
  type GitRepositories,
  type GitRepository,
} from "./git-repositories.ts";
import { lookUp, type NameSource } from "./look-up.ts";

export type OriginServer = {
  serve(origin: Origin, request: IncomingMessage, response: ServerResponse): Promise<void>;
  stop(): void;
};

export function createOriginServer(repositories: GitRepositories, names: NameSource): OriginServer {
  const proxy = createProxy(names);
  const readFile = createFileReader();
  return {
    async serve(origin, request, response) {
      switch (origin.kind) {
        case "none":
          return sendText(
            response,
            503,
            "Nothing has been released here yet. Come back after the first deployment.",
          );
        case "host":
          return proxy.forward(origin.hostname, request, response);
        case "repository":
          return serveRepository(origin, repositories, readFile, request, response);
      }
    },
    stop: () => proxy.stop(),
  };
}

/** A whole plain-text answer. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text) + 1,
    "cache-control": "no-store",
  });
  response.end(response.req.method === "HEAD" ? undefined : `${text}\n`);
}

// Files of a repository

type FileReader = (
  repository: GitRepository,
  key: string,
  commit: string,
  filePath: string,
) => Promise<BlobFound | "tree" | null>;

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Commits never change, so what was read of one is kept, up to a total size; oldest goes first. */
function createFileReader(): FileReader {
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

async function serveRepository(
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

// Another host

const ORIGIN_TIMEOUT_MS = 30_000;

/** RFC 9110, section 7.6.1: what concerns one connection is not passed on. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEndHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const named = (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name)) kept[name] = value;
  }
  return kept;
}

/**
 * HTTPS where nothing else is said, as a host out in the world has it; plain HTTP with any port but
 * 443, and on this machine, where certificates are rare.
 */
export function originAddressOf(hostname: string): {
  protocol: "http:" | "https:";
  host: string;
  port: number;
} {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/i.exec(hostname);
  const host = (match?.[1] ?? hostname).replace(/^\[|\]$/g, "");
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const isLocal = host === "localhost" || host === "::1" || host.startsWith("127.");
  const isPlain = port === null ? isLocal : port !== 443;
  return { protocol: isPlain ? "http:" : "https:", host, port: port ?? (isPlain ? 80 : 443) };
}

function createProxy(names: NameSource): {
  forward(hostname: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  stop(): void;
} {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  return {
    async forward(hostname, request, response) {
      const { protocol, host, port } = originAddressOf(hostname);
      const isPlain = protocol === "http:";
      const viewer = request.socket.remoteAddress ?? "";
      const seenFor = request.headers["x-forwarded-for"];
      const upstream = (isPlain ? requestHttp : requestHttps)({
        host,
        port,
        method: request.method,
        path: request.url,
        agent: isPlain ? agents.http : agents.https,
        timeout: ORIGIN_TIMEOUT_MS,
        lookup: (name, options, done) => resolveOrigin(names, name, options, done),
        headers: {
          ...endToEndHeaders(request),
          // A body of unknown length needs its framing again on the next connection.
          ...(request.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" }),
          host: hostname,
          "x-forwarded-host": request.headers.host ?? "",
          "x-forwarded-proto": "https",
          "x-forwarded-for": seenFor === undefined ? viewer : `${String(seenFor)}, ${viewer}`,
          via: "1.1 cdn.sandbox.test",
        },
      });
      let hasTimedOut = false;
      upstream.on("timeout", () => {
        hasTimedOut = true;
        upstream.destroy();
      });
      response.on("close", () => upstream.destroy());
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        upstream.once("response", resolve);
        upstream.on("error", reject);
      });
      // An origin may answer before it has read the whole body; the answer is what counts.
      request.on("error", () => upstream.destroy());
      request.pipe(upstream);
      let answer: IncomingMessage;
      try {
        answer = await answered;
      } catch {
        // Whatever broke the connection, the viewer learns only that the origin could not be reached.
        if (response.destroyed) return;
        if (hasTimedOut) return sendText(response, 504, "The origin of this site did not answer in time.");
        return sendText(response, 502, "The origin of this site cannot be reached.");
      }
      response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
      // An origin that breaks off must not look like a complete answer: the viewer's connection breaks too.
      await pipeline(answer, response).catch(() => response.destroy());
    },
    stop() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Names of the sandbox's DNS first, so that an origin can be set there; then the system's. */
function resolveOrigin(
  names: NameSource,
  name: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
): void {
  const addresses = lookUp(names, name, "A").answers.flatMap((answer) =>
    answer.type === "A" ? [{ address: answer.data, family: 4 }] : [],
  );
  const [first] = addresses;
  if (first === undefined) lookUpSystemName(name, options, done);
  else if (options.all === true) done(null, addresses);
  else done(null, first.address, first.family);
}
