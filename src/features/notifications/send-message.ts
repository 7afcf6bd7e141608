import type { Sql } from "../../db/database.ts";
import type { SafeFetch } from "../../egress/safe-fetch.ts";
import type { Clock } from "../../lib/clock.ts";
import { cutText } from "../../lib/cut-text.ts";
import { toLines } from "../../lib/shown-text.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { Outcome } from "../webhooks/decide-delivery.ts";
import { postJson } from "../webhooks/send-attempt.ts";
import type { ChannelErrorCode } from "./channel-error.ts";
import { type Channel, type ChannelKind, urlIdentity } from "./channel.ts";
import type { Mailer } from "./mailer.ts";
import type { Message } from "./message.ts";
import { discordPayload, mailOf, slackPayload, teamsPayload } from "./payloads.ts";
import { channels } from "./store.ts";

export type SendDeps = {
  readonly db: Sql;
  readonly clock: Clock;
  readonly atRest: AtRestSealing;
  readonly exchange: SafeFetch;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** The address of the service. */
  readonly publicUrl: string;
};

export type SentMessage = {
  readonly outcome: Outcome;
  /** The HTTP status; null for e-mail, and without an answer. */
  readonly status: number | null;
  /** The beginning of the body, or the SMTP reply. */
  readonly answer: string | null;
  readonly errorCode: ChannelErrorCode | null;
};

const ANSWER_MAX = 500;
const FAILED: Outcome = { kind: "failed", isGone: false, retryAfterMs: null };

const PAYLOADS: Readonly<Record<Exclude<ChannelKind, "email">, (message: Message) => object>> = {
  slack: slackPayload,
  discord: discordPayload,
  teams: teamsPayload,
};

/**
 * Makes one attempt. It never throws for what the receiver does.
 * @returns null if the channel was deleted
 * @throws SealingError `TAMPERED`
 */
export async function sendMessage(
  deps: SendDeps,
  channel: Channel,
  message: Message,
): Promise<SentMessage | null> {
  if (channel.kind === "email") return await sendMail(deps, channel, message);
  const sealed = await channels.findSealed(deps.db, channel.organizationId, channel.id);
  if (sealed === null) return null;
  const url = await deps.atRest.open(urlIdentity(channel), sealed);
  const body = JSON.stringify(PAYLOADS[channel.kind](message));
  const { outcome, answer } = await postJson(deps, url.reveal(), body, {});
  return {
    outcome,
    status: answer.status,
    answer: shownAnswer(answer.responseBody),
    errorCode: answer.errorCode as ChannelErrorCode | null,
  };
}

async function sendMail(
  { mailer, publicUrl }: SendDeps,
  { recipients, userId }: Channel,
  message: Message,
): Promise<SentMessage> {
  if (mailer === null)
    return { outcome: FAILED, status: null, answer: null, errorCode: "MAIL_NOT_CONFIGURED" };
  const settingsUrl = userId === null ? null : `${publicUrl}/console/my-notifications`;
  const { errorCode, reply } = await mailer.send(message.id, recipients ?? [], mailOf(message, settingsUrl));
  return {
    outcome: errorCode === null ? { kind: "delivered" } : FAILED,
    status: null,
    answer: shownAnswer(reply),
    errorCode,
  };
}

/** The beginning of an answer, as people may see it. Pure. */
export function shownAnswer(text: string | null): string | null {
  return text === null ? null : cutText(toLines(text), ANSWER_MAX);
}
