import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError, type DeclaredError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import type { CodeTable, ErrorCatalogue } from "./error-catalogue.ts";

const HIDDEN = { hide: true };
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A page of all codes at the catalogue's address, and below it one for each error code. */
export function registerErrorPages(app: FastifyInstance, catalogue: ErrorCatalogue): void {
  const { address, errors } = catalogue;
  // Created once, so that a client that does not read its answer holds no copy of it.
  let index: Buffer | null = null;

  app.get(address, { schema: HIDDEN }, async (_request, reply) =>
    sendPage(reply, (index ??= Buffer.from(renderIndex(catalogue))), PAGE_POLICY),
  );

  app.get<{ Params: { code: string } }>(`${address}/:code`, { schema: HIDDEN }, async (request, reply) => {
    const declaration = errors.get(request.params.code);
    if (declaration === undefined) {
      throw new AppError(
        HTTP_ERRORS.ROUTE_NOT_FOUND,
        `There is no such error code. ${address} lists them all.`,
      );
    }
    return sendPage(reply, renderPage(catalogue, declaration), PAGE_POLICY);
  });
}

/** @param policy the page's Content Security Policy */
export function sendPage(reply: FastifyReply, html: string | Buffer, policy: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .send(html);
}

/** The codes in `errors` of a problem. */
export function faultTable({ faults }: ErrorCatalogue): CodeTable {
  return {
    title: "Entries of `errors`",
    says: "Each has a `path`, a JSON Pointer into the body or `query/limit`, a `message`, and one of these codes:",
    meanings: Object.fromEntries([...faults].map(([code, { meaning }]) => [code, meaning])),
  };
}

function renderIndex(catalogue: ErrorCatalogue): string {
  const { errors, tables } = catalogue;
  const rows = [...errors.values()].map(
    ({ code, page: address, status, title }) =>
      `<tr><td><a href="${address}"><code>${code}</code></a></td><td>${status}</td><td>${toHtml(title)}</td></tr>`,
  );
  const others = [faultTable(catalogue), ...tables].map(
    ({ title, says, meanings }) => `<h2>${toHtml(title)}</h2>
<p>${toHtml(says)}</p>
${meaningsTable(meanings)}`,
  );
  return page(
    "Error codes",
    `<h1>Error codes</h1>
<p>Every failure is a problem document (RFC 9457) with one of these codes. Programs should decide by
<code>code</code>, people read <code>detail</code>, and <code>requestId</code> finds the request in the log.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>
${others.join("\n")}`,
  );
}

function meaningsTable(meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(meanings).map(
    ([code, meaning]) => `<tr><td><code>${code}</code></td><td>${toHtml(meaning)}</td></tr>`,
  );
  return `<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>`;
}

/** The page that a problem's `type` leads to. */
function renderPage({ address }: ErrorCatalogue, declaration: DeclaredError): string {
  const { code, status, title, cause, remedy } = declaration;
  return page(
    code,
    `<p><a href="${address}">All error codes</a></p>
<h1>${toHtml(title)}</h1>
<p><code>${code}</code> <span class="status">${status}</span></p>
<h2>Why it happens</h2>
<p>${toHtml(cause)}</p>
<h2>What to do</h2>
<p>${toHtml(remedy)}</p>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toHtml(title)} · Slipway</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --line: light-dark(#e2e4e9, #33363d); --soft: light-dark(#f4f5f7, #1e2026); --link: light-dark(#0b57d0, #8ab4f8); }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 3rem auto; padding: 0 1.25rem; background: light-dark(#fff, #131418); color: light-dark(#1b1d22, #e6e8ec); }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.75rem 0; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 0.25rem; }
a { color: var(--link); }
code { font: 0.9em/1.4 ui-monospace, monospace; background: var(--soft); padding: 0.1em 0.35em; border-radius: 4px; }
.status { border: 1px solid var(--line); border-radius: 999px; padding: 0.05rem 0.6rem; font-size: 0.85rem; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
th, td { text-align: left; padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: 0.85rem; font-weight: 600; }
@media (max-width: 40rem) { thead { display: none; } td { display: inline-block; border: 0; padding-block: 0.3rem 0; } td:last-child { display: block; padding-bottom: 0.6rem; border-bottom: 1px solid var(--line); } }
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Escapes what HTML would read as markup; text in backquotes becomes code. */
function toHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
