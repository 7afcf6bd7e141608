/** A proxy before Pebble that a test can make refuse, delay, lose or change what passes. */
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import {
  createCertificateAuthority,
  createRoot,
} from "../../../sandbox/src/certificates/certificate-authority.ts";
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
  const ca = createCertificateAuthority(createRoot(new Date()));
  const pair = ca.issue(["localhost"], new Date(), new Date(Date.now() + 86_400_000));
  const heard: string[] = [];
  let rules: Rules = {};
  const target = new URL(pebble.directory);
  const server = createServer(
    { cert: pair.certificatePem, key: pair.privateKeyPem },
    (incoming, response) => {
      void (async () => {
        let body = "";
        for await (const chunk of incoming) body += String(chunk);
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
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    directory: `https://localhost:${(server.address() as AddressInfo).port}/dir`,
    caPem: ca.certificatePem,
    heard,
    use: (given) => void (rules = given),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
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
  let text = "";
  for await (const chunk of response) text += String(chunk);
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
