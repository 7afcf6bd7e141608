/** A proxy before Pebble that a test can make refuse, delay, lose or change what passes. */
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { text as readText } from "node:stream/consumers";
import { TEST_CERTIFICATE } from "../git/certificate.ts";
import { startLocalServer } from "../git/local-server.ts";
import type { Pebble } from "./pebble.ts";

export type Passing = {
  readonly method: string;
  readonly path: string;
  /** The payload of the signed request, if it has one. */
  readonly payload: unknown;
};
export type Answer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
};

/** `before`: an answer instead of Pebble's. `after`: Pebble's answer changed; null: the connection breaks instead. */
export type Rules = {
  before?: (passing: Passing) => Answer | null | Promise<Answer | null>;
  after?: (passing: Passing, answer: Answer) => Answer | null;
};

export type CaProxy = {
  readonly directory: string;
  readonly caPem: string;
  /** Each request so far, as `POST /order-plz`. */
  readonly heard: string[];
  use(rules: Rules): void;
  stop(): Promise<void>;
};

export async function startCaProxy(pebble: Pebble): Promise<CaProxy> {
  const heard: string[] = [];
  let rules: Rules = {};
  const target = new URL(pebble.directory);
  const server = await startLocalServer("https", (incoming, response) => {
    void (async () => {
      const body = await readText(incoming);
      const { method = "GET", url: path = "/", headers } = incoming;
      heard.push(`${method} ${path}`);
      const passing = { method, path, payload: payloadOf(body) };
      const own = (await rules.before?.(passing)) ?? null;
      const passed = own ?? (await pass(target, pebble.caPem, passing, headers, body));
      const answer = own ?? rules.after?.(passing, passed) ?? (rules.after === undefined ? passed : null);
      if (answer === null) return response.destroy();
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      return response.writeHead(answer.status, answer.headers).end(text);
    })().catch(() => response.destroy());
  });
  return {
    directory: `https://localhost:${server.port}/dir`,
    caPem: TEST_CERTIFICATE,
    heard,
    use: (given) => void (rules = given),
    stop: () => server.close(),
  };
}

/** A problem document of ACME. */
export function problem(status: number, type: string, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: { type: `urn:ietf:params:acme:error:${type}`, detail: `a test said ${type}`, status },
  };
}

/** Pebble puts the host of the request into its addresses, so the client stays with the proxy. */
async function pass(
  target: URL,
  ca: string,
  { method, path }: Passing,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  const sent = request({ host: target.hostname, port: target.port, method, path, headers, ca, agent: false });
  sent.end(body);
  const [response] = await once(sent, "response");
  const text = await readText(response);
  const answered: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers as IncomingHttpHeaders)) {
    if (name !== "content-length" && name !== "transfer-encoding") answered[name] = String(value);
  }
  const isJson = /json/.test(answered["content-type"] ?? "");
  return {
    status: response.statusCode,
    headers: answered,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

function payloadOf(body: string): unknown {
  if (body === "") return null;
  const { payload } = JSON.parse(body) as { payload?: string };
  return payload ? JSON.parse(Buffer.from(payload, "base64url").toString()) : null;
}
