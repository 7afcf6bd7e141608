import type { SmtpSettings } from "../../features/notifications/mailer.ts";
import type { Values } from "./values.ts";

/** A plain address, or one behind a name: `Slipway <slipway@acme.example>`. */
const SENDER = /^(?:[^<>@\r\n]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/;

/** The mail server and the sender; null without one. */
export function readSmtp({ text, url, problems }: Values): SmtpSettings | null {
  const server = url("SLIPWAY_SMTP_URL", ["smtp:", "smtps:"]);
  const from = text("SLIPWAY_SMTP_FROM");
  if (server === null) {
    // An address that could not be read has its own problem.
    if (from !== null && text("SLIPWAY_SMTP_URL") === null)
      problems.push(
        "SLIPWAY_SMTP_FROM needs SLIPWAY_SMTP_URL, the mail server, such as smtps://USER:PASSWORD@smtp.acme.example. Set it, or remove SLIPWAY_SMTP_FROM.",
      );
    return null;
  }
  if (from !== null && SENDER.test(from)) return { url: server, from };
  problems.push(
    "SLIPWAY_SMTP_URL needs SLIPWAY_SMTP_FROM, the sender of e-mail, such as Slipway <slipway@acme.example>.",
  );
  return null;
}
