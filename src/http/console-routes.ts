/**
 * The web console, a client of this API like any other: the files that `console/build.js` made. Each page has its own
 * address, and all pages get the same index. Any other address is not found, unless a built file has it.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../lib/errors.ts";
import { acceptsEncoding } from "./compressed.ts";
import { HTTP_ERRORS } from "./errors.ts";

const FOLDER = fileURLToPath(new URL("../../console/dist/", import.meta.url));
const INDEX = "index.html";
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** In the order in which they are preferred. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
/**
 * Allows only the console's own files and this API. Inline scripts are refused, and so is text that would become markup
 * or code (Trusted Types): a project's name can never run in an admin's browser.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const HIDDEN = { hide: true };
/** The name of a built file has the hash of its content. */
const HASHED = /^assets\//;
/** Parts of ids and words: no dot, so that no page's address looks like a file's. */
const PAGE = /^(?:[\w-]+(?:\/[\w-]+)*)?\/?$/;
const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Slipway</title></head>
<body><h1>The console is not built</h1>
<p>The API works. To build the console, run <code>npm ci &amp;&amp; npm start</code> in Slipway's folder, with the
development packages (without <code>--omit=dev</code>).</p></body></html>
`;

type File = {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** By the name of the encoding. */
  readonly encoded: ReadonlyMap<string, Buffer>;
};

/** Serves the console at `/console/`, and redirects `/` to it. */
export async function registerConsoleRoutes(app: FastifyInstance): Promise<void> {
  for (const address of ["/", "/console"]) {
    app.get(address, { schema: HIDDEN }, async (_request, reply) => reply.redirect("/console/"));
  }
  // Where identity providers lead back to, with why a sign-in was refused.
  app.get("/sign-in", { schema: HIDDEN }, async (request, reply) =>
    reply.redirect(`/console/sign-in${new URL(request.url, "http://localhost").search}`),
  );
  // Where DNS providers lead back to.
  app.get<{ Params: { id: string } }>("/domain-connect/return/:id", { schema: HIDDEN }, (request, reply) =>
    reply.redirect(
      `/console/domain-connect/${encodeURIComponent(request.params.id)}${new URL(request.url, "http://localhost").search}`,
    ),
  );
  let files: Promise<ReadonlyMap<string, File>> | null = null;
  app.get<{ Params: { "*": string } }>("/console/*", { schema: HIDDEN }, async (request, reply) => {
    // Read for the first reader, all at once: an upgrade in the same place must not mix two releases.
    files ??= readFiles();
    // Reading may work the next time.
    files.catch(() => (files = null));
    const file = findFile(await files, request.params["*"]);
    if (file === undefined)
      throw new AppError(HTTP_ERRORS.ROUTE_NOT_FOUND, "The console has nothing at this address.");
    return send(file, request, reply);
  });
}

/** The file for an address below `/console/`; undefined if there is none. */
function findFile(files: ReadonlyMap<string, File>, name: string): File | undefined {
  return files.get(name) ?? (PAGE.test(name) && !HASHED.test(name) ? files.get(INDEX) : undefined);
}

/** Every built file; if there is none, an index that says how to build the console. */
async function readFiles(): Promise<ReadonlyMap<string, File>> {
  if (!existsSync(path.join(FOLDER, INDEX)))
    return new Map([[INDEX, makeFile(INDEX, Buffer.from(NOT_BUILT))]]);
  const files = new Map<string, File>();
  for (const name of await readdir(FOLDER, { recursive: true })) {
    if (CONTENT_TYPES[path.extname(name)] === undefined) continue;
    const encoded = new Map<string, Buffer>();
    for (const [encoding, extension] of ENCODINGS) {
      const at = path.join(FOLDER, name + extension);
      if (existsSync(at)) encoded.set(encoding, await readFile(at));
    }
    const address = name.replaceAll(path.sep, "/");
    files.set(address, makeFile(address, await readFile(path.join(FOLDER, name)), encoded));
  }
  return files;
}

function makeFile(name: string, bytes: Buffer, encoded: ReadonlyMap<string, Buffer> = new Map()): File {
  return {
    bytes,
    encoded,
    headers: {
      "content-type": CONTENT_TYPES[path.extname(name)] ?? "",
      "content-security-policy": POLICY,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      // A browser asks for the index each time and mostly gets a bare 304. So a new release is seen at once.
      "cache-control": HASHED.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
      etag: `"${createHash("sha256").update(bytes).digest("base64url")}"`,
      vary: "accept-encoding",
    },
  };
}

function send({ headers, bytes, encoded }: File, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(headers);
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(headers["etag"] ?? "") === true) return reply.code(304).send();
  for (const [encoding] of ENCODINGS) {
    const smaller = encoded.get(encoding);
    if (smaller === undefined || !acceptsEncoding(request, encoding)) continue;
    return reply.header("content-encoding", encoding).send(smaller);
  }
  return reply.send(bytes);
}
