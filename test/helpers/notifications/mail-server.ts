/** A real SMTP server on loopback. */
import { createServer, type AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as sent. */
  readonly text: string;
};

export type MailServer = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Recipients that it refuses. */
  readonly refused: Set<string>;
  /** Called with each accepted message; `reply` answers the client. By default, it replies at once. */
  onMail: (reply: () => void) => void;
  close(): Promise<void>;
};

export const MAIL_LOGIN = { user: "slipway", password: "of-the-mail-server" };

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refused = new Set<string>();
  const hooks: Pick<MailServer, "onMail"> = { onMail: (reply) => reply() };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === MAIL_LOGIN.user && password === MAIL_LOGIN.password)
        callback(null, { user: username });
      else callback(new Error("Authentication failed"));
    },
    onRcptTo({ address }, _session, callback) {
      callback(
        refused.has(address) ? Object.assign(new Error("No such mailbox"), { responseCode: 550 }) : null,
      );
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        mails.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        hooks.onMail(() => callback(null, "2.0.0 Queued as mail-1"));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(hooks, {
    url: `smtp://${MAIL_LOGIN.user}:${MAIL_LOGIN.password}@127.0.0.1:${port}`,
    mails,
    refused,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

/** A mail server that accepts the message up to its end, and then drops the connection without a reply. */
export async function startDroppingServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((socket) => {
    let isData = false;
    socket.on("error", () => undefined);
    socket.write("220 drop.example ESMTP\r\n");
    socket.on("data", (chunk: Buffer) => {
      const text = chunk.toString();
      if (isData) return void (/\r\n\.\r\n/.test(text) ? socket.destroy() : undefined);
      isData = text.startsWith("DATA");
      socket.write(isData ? "354 Go on\r\n" : "250 Ok\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
