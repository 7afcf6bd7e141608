import type { CodeTable, ErrorCatalogue } from "../src/http/problems/error-catalogue.ts";
import { faultTable } from "../src/http/problems/error-pages.ts";

/** `docs/reference/errors.md`, which `npm run docs:errors` writes. */
export function renderErrorsPage(catalogue: ErrorCatalogue): string {
  const { address, errors, tables } = catalogue;
  const sections = [...errors.values()].map(({ code, status, title, cause, remedy }) => {
    const parts = [`## ${code}`, `**${status}** · ${title}`, wrap(cause), wrap(`**What to do:** ${remedy}`)];
    return `${parts.join("\n\n")}\n`;
  });
  return `# Error codes

Every error of the API is a problem document (RFC 9457) with one of these codes. A running Slipway shows this page at
\`${address}\`. The sandbox has its own codes, at \`/sandbox/errors\`. \`npm run docs:errors\` writes this page from the
\`errors.ts\` of each feature.

Other codes report failures after a request: the codes of a domain's \`lastAttachmentError\`, its records and
its \`warnings\` are in [custom domains](custom-domains.md), and those of a deployment's \`error\` and of a run's
\`failedEnvVariables\` at the end of this page. Builds and releases also have codes of
[the sandbox's platform](../explanation/sandbox-platform.md) and of [AWS](aws.md#deployments).

${sections.join("\n")}
${[faultTable(catalogue), ...tables].map(renderTable).join("\n")}`;
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

function renderTable({ title, says, meanings }: CodeTable): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `## ${title}

${wrap(says)}

${["| code | meaning |", "|---|---|", ...rows].join("\n")}
`;
}
