/** The pages of share links as HTML. They need no JavaScript. */
import { html, type SafeHtml } from "../../lib/html.ts";
import type { Appearance } from "../branding/brand.ts";
import type { ShownDomain, ShownRecord } from "./decide-shown.ts";
import { type Live, liveOf, partOf } from "./live.ts";
import { SCRIPT_VERSION } from "./script.ts";
import { STYLE_VERSION } from "./style.ts";

const PURPOSES: Readonly<Record<ShownRecord["purpose"], string>> = {
  CERTIFICATE_DOMAIN_VERIFICATION: "Lets the certificate be issued, and renewed: keep it",
  SERVICE_CONNECTION: "Leads visitors to the site",
  CERTIFICATE_AUTHORITY_AUTHORIZATION:
    "Allows the certificate's issuer, in addition to the CAA records there",
};

const SET_WHEN: Readonly<Record<ShownRecord["setWhen"], string>> = {
  NOW: "Set it now",
  AFTER_CERTIFICATE:
    "Set it after the certificate, when this page says so; now only if nothing is served at the name yet",
};

/** @param hasAsked whether the visitor has just asked for a look */
export function renderShare(
  look: Appearance,
  domains: readonly ShownDomain[],
  token: string,
  hasAsked: boolean,
): string {
  const live = liveOf(domains);
  const [first] = domains;
  const title =
    domains.length === 1 && first !== undefined ? `Set up ${first.name}` : `Set up ${domains.length} domains`;
  const body = html`<h1>${title}</h1>
    <p class="lead" role="status" data-live="summary">${live.parts["summary"]?.text ?? ""}</p>
    <p>
      Set the records below where the DNS of the domain is managed. This page shows what is there now, and
      needs no account.
    </p>
    <form method="post" action="${token}/check">
      <button>Check now</button>
      <span role="status">${hasAsked ? "Checking now. The result appears here in some seconds." : ""}</span>
    </form>
    ${join(domains.map((domain, at) => renderDomain(domain, at, live, token)))}
    <p class="quiet">Records are also checked automatically, new ones every few seconds.</p>
    <p class="quiet" id="stopped" role="status"></p>`;
  return page(look, { title, root: "./", body, shape: live.shape });
}

/** The same for a link that never was, that has expired, and that was revoked. */
export function renderGone(look: Appearance, root: "./" | "../"): string {
  const body = html`<h1>This link does not work</h1>
    <p class="lead">
      It has expired, was revoked, or was not copied whole. Ask the sender for another one.
    </p>`;
  return page(look, { title: "This link does not work", root, body, shape: null });
}

export function renderTooMany(look: Appearance, root: "./" | "../", seconds: number): string {
  const body = html`<h1>Too many requests</h1>
    <p class="lead">Please wait ${String(seconds)} s, then load the page again.</p>`;
  return page(look, { title: "Too many requests", root, body, shape: null });
}

/** The step before the provider. */
export function renderContinue(
  look: Appearance,
  name: string,
  { applyUrl, providerName }: { readonly applyUrl: string; readonly providerName: string },
): string {
  const title = `Set the records of ${name}`;
  const body = html`<h1>${title}</h1>
    <p>${providerName} shows what it will set, and asks whether you agree. Then it leads you back here.</p>
    <p><a class="button" href="${applyUrl}" rel="noreferrer">Continue at ${providerName}</a></p>`;
  return page(look, { title, root: "../", body, shape: null });
}

/** If the provider cannot be asked now. */
export function renderNotOffered(look: Appearance, token: string): string {
  const title = "Your DNS provider cannot set the records now";
  const body = html`<h1>${title}</h1>
    <p class="lead">Set the records by hand, or try again in a minute.</p>
    <p><a href="../${token}">Back to the records</a></p>`;
  return page(look, { title, root: "../", body, shape: null });
}

function renderDomain(domain: ShownDomain, at: number, live: Live, token: string): SafeHtml {
  const { name, provider, hints, connectsAt, problem, records } = domain;
  return html`<section aria-labelledby="d${String(at)}">
    <h2 id="d${String(at)}">${name}</h2>
    ${renderLive("p", `d${at}`, live, "says")}
    ${problem === null ? html`` : html`<p class="problem">${problem}</p>`}
    ${renderProvider(domain.zone, provider)}
    ${connectsAt === null ? html`` : renderConnect(name, connectsAt, token)}
    ${
      hints.length === 0
        ? html``
        : html`<ul>
            ${join(hints.map((hint) => html`<li>${hint}</li>`))}
          </ul>`
    }
    ${join(records.map((record, index) => renderRecord(record, partOf(at, index), live)))}
  </section>`;
}

/**
 * An own page leads to the provider, because a form may only lead to this service. Where the page is in a frame, the way
 * leaves that: providers show themselves in none, and the cookie of the way back is kept for none.
 */
function renderConnect(name: string, providerName: string, token: string): SafeHtml {
  return html`<form method="post" action="${token}/connect" target="_top">
    <input type="hidden" name="domain" value="${name}" />
    <button>Set the records at ${providerName}</button>
    <span class="quiet">You agree there; nothing has to be typed.</span>
  </form>`;
}

function renderProvider(zone: string, provider: ShownDomain["provider"]): SafeHtml {
  if (provider === null) return html``;
  if (provider.name === null) return html`<p>Set the records where the DNS of ${zone} is managed.</p>`;
  const panel =
    provider.panelUrl?.startsWith("https://") !== true
      ? html``
      : html` <a href="${provider.panelUrl}" rel="noreferrer noopener" target="_blank">Open its panel</a>`;
  return html`<p>The DNS of ${zone} is at ${provider.name}.${panel}</p>`;
}

function renderRecord(record: ShownRecord, part: string, live: Live): SafeHtml {
  const { type, host, value, fullName, purpose, setWhen, state } = record;
  return html`<article>
    <h3>${type} record ${renderLive("span", `${part}-state`, live, "state")}</h3>
    <p class="quiet">${PURPOSES[purpose]}.${state === "right" ? "" : ` ${SET_WHEN[setWhen]}.`}</p>
    <div class="sides">
      <div>
        <h4>Set this</h4>
        <dl>
          <dt>Type</dt>
          <dd>${type}</dd>
          <dt>Name</dt>
          <dd>${host === "" ? html`<em>leave empty</em>` : html`<code data-copy="name">${host}</code>`}</dd>
          <dt>Value</dt>
          <dd><code data-copy="value">${value}</code></dd>
          <dt>In full</dt>
          <dd class="quiet">${fullName}</dd>
        </dl>
      </div>
      <div>
        <h4>There now</h4>
        <p><code data-live="${part}-there">${live.parts[`${part}-there`]?.text ?? ""}</code></p>
      </div>
    </div>
    ${renderLive("p", `${part}-problem`, live, "problem")}
  </article>`;
}

function renderLive(tag: "p" | "span", part: string, live: Live, className: string): SafeHtml {
  const { text = "", state = "" } = live.parts[part] ?? {};
  return tag === "p"
    ? html`<p class="${className}" data-live="${part}" data-state="${state}">${text}</p>`
    : html`<span class="${className}" data-live="${part}" data-state="${state}">${text}</span>`;
}

function page(
  { name, color, logoUrl, logoFile }: Appearance,
  parts: {
    readonly title: string;
    /** The relative address of the folder that has the style and the script. */
    readonly root: "./" | "../";
    readonly body: SafeHtml;
    /** Null: nothing on the page changes. */
    readonly shape: string | null;
  },
): string {
  const { title, root, body, shape } = parts;
  const logoAddress = logoFile === null ? logoUrl : `${root}logo/${logoFile}`;
  const logo = logoAddress === null ? html`` : html`<img src="${logoAddress}" alt="" height="28" />`;
  const style = `${root}style.css?v=${STYLE_VERSION}&accent=${color.slice(1)}`;
  const script =
    shape === null ? html`` : html`<script defer src="${root}script.js?v=${SCRIPT_VERSION}"></script>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${style}" />
        ${script}
      </head>
      <body data-shape="${shape ?? ""}">
        <header>${logo}<span>${name}</span></header>
        <main>${body}</main>
      </body>
    </html> `.text;
}

function join(parts: readonly SafeHtml[]): SafeHtml {
  return parts.reduce((all, part) => html`${all}${part}`, html``);
}
