/**
 * Stands between one process and the sandbox cloud and sees every call. A watcher can hold a call, drop it, or
 * withhold its answer: it kills a process at the very moment of an effect, and the product needs no hook for it.
 */
import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type CloudCall = {
  /** Which process makes it. */
  readonly caller: string;
  /** As the sandbox names it, or `git.read` for a file of a commit. */
  readonly operation: string;
  /** The connection whose account is used; empty if there is none. */
  readonly connectionId: string;
};

/** What a watcher wants done with a call or its answer. */
export type Verdict = "pass" | "drop";

export type CloudWatcher = {
  /** Every request, also of the git host. */
  onRequest?(request: IncomingMessage): void;
  onCall(call: CloudCall): Verdict | Promise<Verdict>;
  onAnswer(call: CloudCall): Verdict;
  /** The answer in place of the sandbox; null if the sandbox answers. */
  answer?(call: CloudCall, input: Readonly<Record<string, unknown>>): object | null;
};

export type CloudProxy = { readonly url: string; close(): void };

/** @param target where the sandbox is */
export async function startCloudProxy(
  caller: string,
  target: string,
  watcher: CloudWatcher,
): Promise<CloudProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const cut = (): void => void outgoing.destroy();
    watcher.onRequest?.(incoming);
    const relay = async (): Promise<void> => {
      const body = await read(incoming);
      const call = describeCall(caller, incoming, body);
      if (call !== null && (await watcher.onCall(call)) === "drop") return cut();
      const own = call === null ? null : watcher.answer?.(call, inputOf(body));
      if (own !== null && own !== undefined) {
        outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(own));
        return;
      }
      const { method, headers, url = "/" } = incoming;
      const answer = await send(`${target}${url}`, { method, headers, agent }, body);
      const text = await read(answer);
      if (call !== null && watcher.onAnswer(call) === "drop") return cut();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
    };
    // Either side may be killed at any moment; the proxy can then only break the other side's connection.
    relay().catch(cut);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

function describeCall(caller: string, { url }: IncomingMessage, body: Buffer): CloudCall | null {
  if (/^\/git\/.+\/raw\//.test(url ?? "")) return { caller, operation: "git.read", connectionId: "" };
  const operation = /^\/cloud\/([\w.-]+)$/.exec(url ?? "")?.[1];
  if (operation === undefined) return null;
  const { externalId } = JSON.parse(body.toString()) as { externalId: string | null };
  return { caller, operation, connectionId: externalId ?? "" };
}

function inputOf(body: Buffer): Readonly<Record<string, unknown>> {
  return body.length === 0
    ? {}
    : ((JSON.parse(body.toString()) as { input?: Record<string, unknown> }).input ?? {});
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(url: string, options: object, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).once("error", reject).end(body);
  });
}
