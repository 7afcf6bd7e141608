/**
 * `/docs`: the API reference (Scalar over `/openapi.json`) and a page for each error code. Everything comes from this
 * server, because an installation may have no internet access. The Content Security Policy enforces this.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import type { ErrorCatalogue } from "../problems/error-catalogue.ts";
import { registerErrorPages, sendPage } from "../problems/error-pages.ts";

const HIDDEN = { hide: true };
/** The script evaluates no text as code, but sets `style` attributes and shows images that it made itself. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; base-uri 'none'; form-action 'none'";

export function registerDocsRoutes(app: FastifyInstance, catalogue: ErrorCatalogue): void {
  let script: Promise<Buffer> | null = null;
  // Made once, so that a client that does not read its answer holds no copy of it.
  const reference = Buffer.from(REFERENCE_PAGE);

  app.get("/docs", { schema: HIDDEN }, async (_request, reply) =>
    sendPage(reply, reference, REFERENCE_POLICY),
  );

  app.get("/docs/reference.js", { schema: HIDDEN }, async (_request, reply) => {
    script ??= loadReferenceScript();
    // Loading may work the next time.
    script.catch(() => (script = null));
    return await reply
      .type("text/javascript; charset=utf-8")
      .header("content-encoding", "gzip")
      .header("cache-control", "public, max-age=3600")
      .send(await script);
  });

  registerErrorPages(app, catalogue);
}

/**
 * Loads the script for the page's first reader, in a process of its own. That takes half a second and 60 MB: other
 * requests must not wait for it, and a service without readers does not need it.
 */
async function loadReferenceScript(): Promise<Buffer> {
  const reader = fileURLToPath(new URL("./reference-script.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [reader], {
    encoding: "buffer",
    maxBuffer: SCRIPT_BYTES_MAX,
    env: {},
  });
  return stdout;
}

/** Compressed; the script has 4 MB. */
const SCRIPT_BYTES_MAX = 8 * 1_048_576;

/** Turns off every connection that Scalar offers to other servers. */
const REFERENCE_CONFIGURATION = {
  theme: "default",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "apiKey" },
};

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slipway API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same information is in <a href="/openapi.json">/openapi.json</a>.</noscript>
<script id="api-reference" data-url="/openapi.json" data-configuration="${JSON.stringify(REFERENCE_CONFIGURATION).replaceAll('"', "&quot;")}"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;
