/** What the pages of the sandbox have in common. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { html, type SafeHtml } from "../../../src/lib/html.ts";

/**
 * Whether a form was posted from our own page. Browsers send `Origin` with every cross-site POST
 * (Fetch, section 3.2). A client that sends none is not a browser, so no user can be tricked into using it.
 */
export function isSameOrigin(request: FastifyRequest, publicOrigin: string | null): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  const { origin } = request.headers;
  return origin === undefined || origin === publicOrigin || origin === `http://${request.headers.host ?? ""}`;
}

/** @param leadsTo origins that a form on it leads to in the end, besides this one */
export function sendPage(
  reply: FastifyReply,
  status: number,
  content: string,
  leadsTo: readonly string[] = [],
): FastifyReply {
  return reply
    .status(status)
    .headers({
      "content-security-policy": `default-src 'none'; style-src 'self'; form-action ${["'self'", ...leadsTo].join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    })
    .type("text/html; charset=utf-8")
    .send(content);
}

/** The parts around the main part of a page. */
export type Frame = { readonly title: string; readonly style: string; readonly heading: SafeHtml };

const SANDBOX_FRAME: Frame = {
  title: "Slipway sandbox",
  style: "/sandbox/console/style.css",
  heading: html`<strong>Sandbox console</strong> stands in for AWS CloudFormation. Nothing here is a real AWS
    account.`,
};

/** A whole page around its main part. */
export function page(parts: {
  readonly title: string;
  readonly body: SafeHtml;
  /** By default, the sandbox's. */
  readonly frame?: Frame;
  /** By default, the page does not refresh itself. */
  readonly refreshSeconds?: number;
}): string {
  const { frame = SANDBOX_FRAME } = parts;
  const refresh =
    parts.refreshSeconds === undefined
      ? html``
      : html`<meta http-equiv="refresh" content="${String(parts.refreshSeconds)}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh}
        <title>${parts.title} · ${frame.title}</title>
        <link rel="stylesheet" href="${frame.style}" />
      </head>
      <body>
        <header>
          <p>${frame.heading}</p>
        </header>
        <main>${parts.body}</main>
      </body>
    </html> `.text;
}

export const STYLE = `:root {
  color-scheme: light dark;
  --ink: #16242f;
  --quiet: #4d6271;
  --paper: #f3f7f9;
  --card: #ffffff;
  --line: #c9d6de;
  --accent: #0b6477;
  --on-accent: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4eef3;
    --quiet: #a3b8c4;
    --paper: #0d171e;
    --card: #15232d;
    --line: #2e4351;
    --accent: #5cc8dc;
    --on-accent: #06222a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
header { background: var(--ink); color: var(--paper); padding: 0.5rem 1.5rem; }
header p { margin: 0 auto; max-width: 44rem; }
main {
  max-width: 44rem;
  margin: 2rem auto;
  padding: 1.5rem 2rem 2rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}
h1 { margin: 0 0 0.5rem; font-size: 1.6rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.15rem; }
dl { display: grid; grid-template-columns: minmax(9rem, auto) 1fr; gap: 0.5rem 1.5rem; margin: 1.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: 0.95em; }
button {
  margin-top: 1rem;
  padding: 0.7rem 1.4rem;
  border: 0;
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.1); }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
.status { padding: 0.75rem 1rem; border-left: 4px solid var(--quiet); background: var(--paper); }
.status.create_complete { border-color: #2b8a3e; }
.status.create_in_progress { border-color: #e67700; }
.status.deleted { border-color: #c92a2a; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; gap: 0.1rem; } dd { margin-bottom: 0.75rem; } main { margin: 0; border: 0; border-radius: 0; } }
`;
