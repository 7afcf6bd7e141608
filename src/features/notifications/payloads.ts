/**
 * A message in the form of each receiver. Each text is escaped for its form, and each length is below the form's limit.
 * Pure.
 */
import { cutText } from "../../lib/cut-text.ts";
import { html, SafeHtml } from "../../lib/html.ts";
import type { Tone } from "./decide-notification.ts";
import type { Message, MessageSection } from "./message.ts";

const MARKS: Readonly<Record<Tone, string>> = { bad: "🔴", good: "🟢", news: "🔵" };
const COLORS: Readonly<Record<Tone, number>> = { bad: 0xc0_39_2b, good: 0x1e_84_49, news: 0x0b_64_79 };

/** The lines of a section that `max` characters hold, and the count of the resources that it leaves out. */
function listOf(
  { lines, more }: MessageSection,
  writeLine: (line: string) => string,
  max = Infinity,
): readonly string[] {
  const written: string[] = [];
  let length = "and 1000000 more".length;
  for (const line of lines.map(writeLine)) {
    length += line.length + 1;
    if (length > max) break;
    written.push(line);
  }
  const left = more + lines.length - written.length;
  return left === 0 ? written : [...written, written.length === 0 ? `${left} in all` : `and ${left} more`];
}

/** https://api.slack.com/reference/surfaces/formatting#escaping */
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Blocks: https://api.slack.com/reference/block-kit/blocks. `text` is what notifications and screen readers use. */
export function slackPayload({ title, sections }: Message): object {
  const textOf = (section: MessageSection): string =>
    listOf(section, (line) => `• ${slackText(line)}`, 3_000).join("\n");
  const blocks = sections.flatMap((section) => [
    {
      type: "header",
      text: {
        type: "plain_text",
        text: cutText(`${MARKS[section.tone]} ${section.title}`, 150),
        emoji: true,
      },
    },
    ...(textOf(section) === ""
      ? []
      : [{ type: "section", text: { type: "mrkdwn", text: textOf(section), verbatim: true } }]),
    { type: "context", elements: [{ type: "mrkdwn", text: `<${slackText(section.url)}|Open in Slipway>` }] },
  ]);
  return { text: slackText(cutText(title, 500)), blocks, unfurl_links: false, unfurl_media: false };
}

/** Discord's Markdown (https://discord.com/developers/docs/reference#message-formatting). */
const discordText = (text: string): string => text.replaceAll(/[\\*_~`|>#[\]()<@-]/g, String.raw`\$&`);

/** Discord counts the texts of all embeds together. */
const DISCORD_TEXTS_MAX = 6_000;

/** Embeds: https://discord.com/developers/docs/resources/message#embed-object-embed-limits. No user is mentioned. */
export function discordPayload({ sections }: Message): object {
  const each = Math.min(4_096, Math.floor(DISCORD_TEXTS_MAX / Math.max(1, sections.length)) - 256);
  const embeds = sections.slice(0, 10).map((section) => ({
    title: cutText(section.title, 256),
    description: listOf(section, (line) => `• ${discordText(line)}`, each).join("\n"),
    url: section.url,
    color: COLORS[section.tone],
  }));
  return { username: "Slipway", embeds, allowed_mentions: { parse: [] } };
}

/** Markdown of text blocks (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features). */
const teamsText = (text: string): string => text.replaceAll(/[\\*_`[\]()#<>&~-]/g, String.raw`\$&`);

/**
 * An adaptive card for a webhook of Workflows
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using), at most 28 KB.
 */
export function teamsPayload({ title, sections }: Message): object {
  const textOf = (section: MessageSection): string =>
    listOf(section, (line) => `- ${teamsText(line)}`, 2_000).join("\n");
  const body = sections.flatMap((section) => [
    {
      type: "TextBlock",
      text: `${MARKS[section.tone]} ${teamsText(section.title)}`,
      weight: "Bolder",
      size: "Medium",
      wrap: true,
    },
    ...(textOf(section) === "" ? [] : [{ type: "TextBlock", text: textOf(section), wrap: true }]),
  ]);
  const actions = sections.slice(0, 6).map(({ title: of, url }) => ({
    type: "Action.OpenUrl",
    title: sections.length === 1 ? "Open in Slipway" : cutText(of, 60),
    url,
  }));
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    fallbackText: cutText(title, 500),
    msteams: { width: "Full" },
    body,
    actions,
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}

export type Mail = { readonly subject: string; readonly text: string; readonly html: string };

/** An e-mail as text and as HTML. @param settingsUrl where the recipient turns it off; null for a shared address */
export function mailOf({ title, sections }: Message, settingsUrl: string | null): Mail {
  const text = sections
    .map((section) => [section.title, ...listOf(section, (line) => `- ${line}`), section.url].join("\n"))
    .join("\n\n");
  const parts = sections.map((section) => {
    const items = listOf(section, (line) => line).map((line) => html`<li>${line}</li>`);
    const list = new SafeHtml(items.map((item) => item.text).join(""));
    return html`<h2 style="font-size:16px">${MARKS[section.tone]} ${section.title}</h2>
      <ul>
        ${list}
      </ul>
      <p><a href="${section.url}">Open in Slipway</a></p>`;
  });
  const why = "You enabled these e-mails for yourself.";
  const end =
    settingsUrl === null ? [] : [html`<p>${why} <a href="${settingsUrl}">Change or stop them</a>.</p>`];
  const body = new SafeHtml([...parts, ...end].map((part) => part.text).join("\n"));
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" /><title>${title}</title>
      <body style="font-family:sans-serif;font-size:14px">
        ${body}
      </body>
    </html>`;
  return {
    subject: cutText(`[Slipway] ${title}`, 200),
    text: `${text}\n${settingsUrl === null ? "" : `\n${why} Change or stop them: ${settingsUrl}\n`}`,
    html: page.text,
  };
}
