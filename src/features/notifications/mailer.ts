/** Sends e-mail through the operator's SMTP server. */
import { createTransport } from "nodemailer";
import type { Mail } from "./payloads.ts";

export type SmtpSettings = {
  /** `smtp://` or `smtps://`, with user name and password if the server needs them. */
  readonly url: string;
  /** The sender. */
  readonly from: string;
};

export type SmtpError =
  | "MAIL_UNREACHABLE"
  | "MAIL_CLOSED"
  | "MAIL_TLS_FAILED"
  | "MAIL_UNAUTHORIZED"
  | "MAIL_REFUSED";

/** What an attempt showed: the last reply of the server, if there was one. */
export type MailAnswer = { readonly errorCode: SmtpError | null; readonly reply: string | null };

export type Mailer = {
  /** Never throws for what the server does. @param id repeated attempts have the same id */
  readonly send: (id: string, recipients: readonly string[], mail: Mail) => Promise<MailAnswer>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 15_000;

/** @param host the name of this installation, for the ids of messages */
export function createMailer({ url, from }: SmtpSettings, host: string): Mailer {
  const timeouts = {
    connectionTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: IDLE_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  };
  // A message has no attachments: nothing of it is read from a file or an address.
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return {
    async send(id, recipients, mail) {
      const message = {
        ...mail,
        from,
        to: [...recipients],
        messageId: `<${id}@${host}>`,
        // RFC 3834: automatic answers, such as absence notes, are not sent to it.
        headers: { "auto-submitted": "auto-generated" },
      };
      try {
        const { response, rejected } = await transport.sendMail(message);
        const refused = rejected.length === 0 ? "" : ` (refused: ${rejected.join(", ")})`;
        return { errorCode: null, reply: `${response}${refused}` };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return answerOf(error);
      }
    },
  };
}

function answerOf(error: Error & { readonly code?: unknown; readonly response?: unknown }): MailAnswer {
  const reply = typeof error.response === "string" ? error.response : null;
  switch (error.code) {
    case "EAUTH":
    case "ENOAUTH":
    case "EOAUTH2":
      return { errorCode: "MAIL_UNAUTHORIZED", reply };
    case "EENVELOPE":
    case "EMAXRECIPIENTS":
    case "EMESSAGE":
    case "EPROTOCOL":
      return { errorCode: "MAIL_REFUSED", reply };
    case "ETLS":
    case "EREQUIRETLS":
      return { errorCode: "MAIL_TLS_FAILED", reply };
    case "ECONFIG":
    case "EPROXY":
    case "EDNS":
    case "ETIMEDOUT":
    case "ESOCKET":
      return { errorCode: "MAIL_UNREACHABLE", reply };
    case "ECONNECTION":
      return { errorCode: "MAIL_CLOSED", reply };
    default:
      throw error;
  }
}
