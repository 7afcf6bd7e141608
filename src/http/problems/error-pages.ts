import { ERROR_CODES, type ErrorCode } from "../../lib/errors.ts";
import { ERROR_CATALOGUE } from "./error-catalogue.ts";
import { FAILED_VARIABLE_CODES, FAULT_CATALOGUE } from "./fault-catalogue.ts";

/** `/docs/errors`: every code in one table. */
export function renderErrorIndex(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, title } = ERROR_CATALOGUE[code];
    return `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${toHtml(title)}</td></tr>`;
  });
  return page(
    "Error codes",
    `<h1>Error codes</h1>
<p>Every failure is a problem document (RFC 9457) with one of these codes. Programs should decide by
<code>code</code>, people read <code>detail</code>, and <code>requestId</code> finds the request in the log.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>
<h2>Entries of <code>errors</code></h2>
<p>What is wrong at the place that <code>path</code> names.</p>
${meaningsTable(FAULT_CATALOGUE)}
<h2>Entries of <code>failedEnvVariables</code></h2>
<p>Why the value of a run was not stored, by the variable's name.</p>
${meaningsTable(FAILED_VARIABLE_CODES)}`,
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

/** `/docs/errors/<CODE>`, the page that a problem's `type` leads to. */
export function renderErrorPage(code: ErrorCode): string {
  const { status, title, cause, remedy } = ERROR_CATALOGUE[code];
  return page(
    code,
    `<p><a href="/docs/errors">All error codes</a></p>
<h1>${toHtml(title)}</h1>
<p><code>${code}</code> <span class="status">${status}</span></p>
<h2>Why it happens</h2>
<p>${toHtml(cause)}</p>
<h2>What to do</h2>
<p>${toHtml(remedy)}</p>`,
  );
}

/** `docs/reference/errors.md`, which `npm run docs:errors` writes. */
export function renderErrorsMarkdown(): string {
  const sections = ERROR_CODES.map((code) => {
    const { status, title, cause, remedy } = ERROR_CATALOGUE[code];
    const parts = [`## ${code}`, `**${status}** · ${title}`, wrap(cause), wrap(`**What to do:** ${remedy}`)];
    return `${parts.join("\n\n")}\n`;
  });
  return `# Error codes

Every failure of the API is a problem document (RFC 9457) with one of these codes. Made from
\`src/http/problems/error-catalogue.ts\` by \`npm run docs:errors\`; a running Slipway shows the same at \`/docs/errors\`.

Other codes tell of what came later, and not of a request: those of a domain's \`lastAttachmentError\`, its records and
its \`warnings\` are in [custom domains](custom-domains.md), those of a deployment's \`error\` in
[deployments](../explanation/deployments.md), and those of a run's \`failedEnvVariables\` at the end of this page.

${sections.join("\n")}
## Entries of \`errors\`

Each has a \`path\`, a JSON Pointer into the body or \`query/limit\`, a \`message\`, and one of these codes:

${meaningsList(FAULT_CATALOGUE)}

## Entries of \`failedEnvVariables\`

Why the value of a run was not stored, by the variable's name. The other values of the run are not touched by it.

${meaningsList(FAILED_VARIABLE_CODES)}
`;
}

/** In lines of at most 120 characters, as `scripts/check-docs.ts` wants them. */
function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length > 120) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join("\n");
}

function meaningsList(meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ["| code | meaning |", "|---|---|", ...rows].join("\n");
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
