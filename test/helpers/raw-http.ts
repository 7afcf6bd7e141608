import { connect } from "node:net";

export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** Sends these bytes on a separate connection and reads what comes until the server closes it. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return parse(Buffer.concat(chunks).toString());
  } finally {
    socket.destroy();
  }
}

/** A whole request as text; its connection ends with the answer. */
export function rawRequest(
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = "",
): Uint8Array {
  const all = { host: "localhost", connection: "close", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join("")}\r\n`), Buffer.from(body)]);
}

function parse(answer: string): RawAnswer {
  const end = answer.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = answer.slice(0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    text: answer.slice(end + 4),
  };
}
