/** Receivers in the forms that Slack, Discord and Teams publish. They refuse a message that breaks a form, as these do. */
import type { RequestListener, ServerResponse } from "node:http";
import { startLocalServer } from "../git/local-server.ts";

export type ChatKind = "slack" | "discord" | "teams";

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads of every form
type Payload = any;

/** Find the fault of a message; null if its receiver accepts it. */
const FAULTS: Readonly<Record<ChatKind, (payload: Payload) => string | null>> = {
  slack: findSlackFault,
  discord: findDiscordFault,
  teams: findTeamsFault,
};

const ACCEPTED: Readonly<Record<ChatKind, readonly [status: number, body: string]>> = {
  slack: [200, "ok"],
  discord: [204, ""],
  teams: [202, ""],
};

export type Chat = {
  readonly url: string;
  /** The messages that it accepted, the oldest first. */
  readonly accepted: readonly Payload[];
  /** What the requests had that it refused. */
  readonly faults: readonly string[];
  /** All requests. */
  requests(): number;
  /** How it answers instead; null: as its product. */
  answer: ((response: ServerResponse) => void) | null;
  close(): Promise<void>;
};

export async function startChat(kind: ChatKind, scheme: "http" | "https" = "http"): Promise<Chat> {
  const accepted: Payload[] = [];
  const faults: string[] = [];
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests += 1;
      if (chat.answer !== null) return chat.answer(response);
      const isJson = request.method === "POST" && request.headers["content-type"] === "application/json";
      const payload: Payload = JSON.parse(Buffer.concat(chunks).toString());
      const fault = isJson ? FAULTS[kind](payload) : "it must be a POST of JSON";
      if (fault !== null) {
        faults.push(fault);
        return response.writeHead(400).end(`invalid_payload: ${fault}`);
      }
      accepted.push(payload);
      const [status, body] = ACCEPTED[kind];
      return response.writeHead(status).end(body);
    });
  };
  const server = await startLocalServer(scheme, listener);
  const chat: Chat = {
    url: `${server.url}/hooks/T000/secret-of-the-hook`,
    accepted,
    faults,
    requests: () => requests,
    answer: null,
    close: () => server.close(),
  };
  return chat;
}

const isText = (value: unknown, max: number): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= max;
const isLink = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && new URL(value).protocol.startsWith("http");

/** https://api.slack.com/reference/block-kit/blocks: 50 blocks, headers of 150 and sections of 3,000 characters. */
function findSlackFault({ text, blocks }: Payload): string | null {
  if (!isText(text, 40_000)) return "text";
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) return "blocks";
  for (const block of blocks) {
    if (block.type === "header") {
      if (block.text.type !== "plain_text" || !isText(block.text.text, 150)) return "header";
    } else if (block.type === "section") {
      if (block.text.type !== "mrkdwn" || !isText(block.text.text, 3_000)) return "section";
      if (/<(?!https?:)/.test(block.text.text)) return "an unescaped <";
    } else if (block.type === "context") {
      if (!(block.elements.length <= 10) || !/^<https?:[^|>]+\|[^>]+>$/.test(block.elements[0].text))
        return "context";
    } else return `a block of type ${block.type}`;
  }
  return null;
}

/** https://discord.com/developers/docs/resources/message: 10 embeds, 6,000 characters in all. */
function findDiscordFault({ content, embeds, allowed_mentions: mentions }: Payload): string | null {
  if (content !== undefined && !isText(content, 2_000)) return "content";
  if (!Array.isArray(embeds) || embeds.length === 0 || embeds.length > 10) return "embeds";
  let sum = 0;
  for (const { title, description, url, color } of embeds) {
    if (!isText(title, 256)) return "title";
    if (typeof description !== "string" || description.length > 4_096) return "description";
    if (!isLink(url)) return "url";
    if (!Number.isInteger(color) || color < 0 || color > 0xff_ff_ff) return "color";
    sum += title.length + description.length;
  }
  if (sum > 6_000) return "the texts are too long";
  return mentions?.parse?.length === 0 ? null : "it may mention everyone";
}

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: one card, 28 KB, version 1.5 at most. */
function findTeamsFault(payload: Payload): string | null {
  if (Buffer.byteLength(JSON.stringify(payload)) > 28 * 1_024) return "more than 28 KB";
  if (payload.type !== "message" || payload.attachments?.length !== 1) return "attachments";
  const [{ contentType, content }] = payload.attachments;
  if (contentType !== "application/vnd.microsoft.card.adaptive") return "contentType";
  if (content.type !== "AdaptiveCard" || !["1.2", "1.3", "1.4", "1.5"].includes(content.version))
    return "card";
  if (!Array.isArray(content.body) || content.body.length === 0) return "body";
  for (const element of content.body)
    if (element.type !== "TextBlock" || !isText(element.text, 5_000)) return "element";
  if (content.actions.length > 6) return "actions";
  for (const action of content.actions)
    if (action.type !== "Action.OpenUrl" || !isText(action.title, 100) || !isLink(action.url))
      return "action";
  return null;
}
