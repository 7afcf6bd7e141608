/**
 * The web console: the files of `console/`, a client of this API like any other, and those of the SDK, which it is made
 * of. Each file has its own route, so no address can lead to another file.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const FOLDER = fileURLToPath(new URL("../../console/", import.meta.url));
/** Beside the console's folder, so that what the console imports has the same path here and for a browser. */
const SDK_FOLDER = fileURLToPath(new URL("../../sdk/src/", import.meta.url));
/** The kinds of files that a browser loads. The console's types and development settings are not served. */
const JAVASCRIPT = "text/javascript; charset=utf-8";
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": JAVASCRIPT,
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/**
 * Allows only the console's own files and this API. Inline scripts are refused, and so is text that would become markup
 * or code (Trusted Types): a project's name can never run in an admin's browser.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const HIDDEN = { hide: true };

/** Serves the console at `/console/`, and redirects `/` to it. */
export async function registerConsoleRoutes(app: FastifyInstance): Promise<void> {
  for (const address of ["/", "/console"]) {
    app.get(address, { schema: HIDDEN }, async (_request, reply) => reply.redirect("/console/"));
  }
  const names = await readdir(FOLDER, { recursive: true });
  for (const name of names) {
    const contentType = CONTENT_TYPES[path.extname(name)];
    if (contentType === undefined) continue;
    const bytes = await readFile(path.join(FOLDER, name));
    const send = makeSend(bytes, contentType);
    const address = name.replaceAll(path.sep, "/");
    app.get(address === "index.html" ? "/console/" : `/console/${address}`, { schema: HIDDEN }, send);
  }
  await registerSdkRoutes(app);
}

/** Serves the SDK's modules without their types. They are made for the first reader. */
async function registerSdkRoutes(app: FastifyInstance): Promise<void> {
  let sends: Promise<ReadonlyMap<string, Send>> | null = null;
  for (const name of await readdir(SDK_FOLDER, { recursive: true })) {
    if (!/(?<![.]test)[.]ts$/.test(name)) continue;
    const address = name.replaceAll(path.sep, "/");
    app.get(`/sdk/src/${address}`, { schema: HIDDEN }, async (request, reply) => {
      sends ??= loadSdk();
      // Loading may work the next time.
      sends.catch(() => (sends = null));
      const send = (await sends).get(address);
      if (send === undefined) throw new Error(`The SDK has no ${address}.`);
      return await send(request, reply);
    });
  }
}

/** What sends each module. */
async function loadSdk(): Promise<ReadonlyMap<string, Send>> {
  const program = fileURLToPath(new URL("./strip-sdk.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", program, SDK_FOLDER], {
    maxBuffer: SDK_BYTES_MAX,
    env: {},
  });
  const modules = JSON.parse(stdout) as Readonly<Record<string, string>>;
  return new Map(
    Object.entries(modules).map(([name, text]) => [name, makeSend(Buffer.from(text), JAVASCRIPT)]),
  );
}

const SDK_BYTES_MAX = 8 * 1_048_576;

type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function makeSend(bytes: Buffer, contentType: string): Send {
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  const headers = {
    "content-type": contentType,
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    // The browser asks each time and mostly gets a bare 304. So a new release never meets a file of the old one.
    "cache-control": "no-cache",
    etag,
  };
  return async (request, reply) => {
    reply.headers(headers);
    const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (known?.includes(etag) === true) return reply.code(304).send();
    return reply.send(bytes);
  };
}
