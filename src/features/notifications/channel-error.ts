/** Why a message was not accepted: what it means, and what to do. Pure. */
import { ATTEMPT_ERRORS, describeIn } from "../webhooks/attempt-error.ts";

export const CHANNEL_ERRORS = {
  ...ATTEMPT_ERRORS,
  REDIRECTED: {
    message: "The receiver redirects. Redirects are not followed.",
    action: "Create a new webhook in the receiver, and set its URL.",
  },
  GONE: {
    message:
      "The receiver answered 410: its webhook or its channel no longer exists. The channel is disabled.",
    action: "Create a new webhook in the receiver, set its URL, and enable the channel.",
  },
  REFUSED: {
    message: "The receiver refuses the message.",
    action: "Check that the webhook is active and may post to its channel.",
  },
  NOT_FOUND: {
    message: "The receiver does not know the webhook.",
    action: "Create a new webhook in the receiver, and set its URL.",
  },
  RATE_LIMITED: {
    message: "The receiver gets too many messages.",
    action: "No action is needed: Slipway waits as long as the receiver asks.",
  },
  UNEXPECTED_STATUS: {
    message: "The receiver answered with another status than 2xx.",
    action: "Check that the channel has the kind of its receiver. `answer` may have details.",
  },
  MAIL_UNREACHABLE: {
    message: "The mail server cannot be reached.",
    action: "The operator checks SLIPWAY_SMTP_URL and the mail server.",
  },
  MAIL_CLOSED: {
    message: "The mail server closed the connection before it accepted the message.",
    action: "The operator checks the mail server's log.",
  },
  MAIL_TLS_FAILED: {
    message: "The mail server has no trusted certificate for its name, or offers no TLS.",
    action: "The operator checks SLIPWAY_SMTP_URL and the mail server's certificate.",
  },
  MAIL_UNAUTHORIZED: {
    message: "The mail server refuses the user name or the password.",
    action: "The operator corrects SLIPWAY_SMTP_URL.",
  },
  MAIL_REFUSED: {
    message: "The mail server refuses the message.",
    action: "Check the recipients. `answer` has the server's reply.",
  },
  MAIL_NOT_CONFIGURED: {
    message: "No mail server is configured.",
    action: "The operator sets SLIPWAY_SMTP_URL and SLIPWAY_SMTP_FROM.",
  },
} as const;
export type ChannelErrorCode = keyof typeof CHANNEL_ERRORS;

/** Null for a success. */
export function describeChannelError(code: string | null) {
  return describeIn(CHANNEL_ERRORS, code);
}
