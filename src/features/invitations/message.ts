/** What an invitation says. It has no secret: its reader still has to sign in. Pure. */
import { cutText } from "../../lib/cut-text.ts";
import { html, SafeHtml } from "../../lib/html.ts";
import { toOneLine } from "../../lib/shown-text.ts";
import type { Mail } from "../notifications/payloads.ts";
import type { WaysToSignIn } from "./decide-invitation.ts";

/** In characters. Names are what users write. */
const NAME_MAX = 80;

export type InvitationFacts = {
  readonly name: string;
  readonly email: string;
  /** Who invites; null if this user is deleted. */
  readonly inviter: string | null;
  readonly organization: string;
  readonly signInUrl: string;
  readonly ways: WaysToSignIn;
};

export function composeInvitation(facts: InvitationFacts): Mail {
  const { email, signInUrl, ways } = facts;
  const [name, organization] = [shown(facts.name), shown(facts.organization)];
  const inviter = facts.inviter === null ? "An admin" : shown(facts.inviter);
  const providers = ways.providers.map((label) => `“${shown(label)}”`).join(" or ");
  const title = `${inviter} invites you to ${organization}`;
  const steps = [
    `Open ${signInUrl}`,
    ...(providers === "" ? [] : [`Choose ${providers}, and sign in there as ${email}.`]),
    ...(ways.hasKey
      ? [
          `${providers === "" ? "Sign in" : "Or sign in"} with the API key that an admin gives you. This message has no key.`,
        ]
      : []),
  ];
  const lead = `${title} in Slipway, which deploys its applications.`;
  const end = "If you do not expect this invitation, ignore this message.";
  const items = new SafeHtml(steps.map((step) => html`<li>${step}</li>`.text).join(""));
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" /><title>${title}</title>
      <body style="font-family:sans-serif;font-size:14px">
        <p>Hello ${name},</p>
        <p>${lead}</p>
        <ol>
          ${items}
        </ol>
        <p><a href="${signInUrl}">Sign in</a></p>
        <p>${end}</p>
      </body>
    </html>`;
  return {
    subject: `[Slipway] ${title}`,
    text: [
      `Hello ${name},`,
      lead,
      steps.map((step, index) => `${index + 1}. ${step}`).join("\n"),
      end,
      "",
    ].join("\n\n"),
    html: page.text,
  };
}

const shown = (text: string): string => cutText(toOneLine(text), NAME_MAX);
