/**
 * What stands before several API processes: requests go to them in turn over kept connections, and to the
 * next one when a process takes no new connection. A request that breaks off later is answered with 502, for
 * whether it was done is not known.
 */
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

export type LoadBalancer = {
  readonly url: string;
  /** Sends requests to these from now on. */
  use(targets: readonly string[]): void;
  stop(): Promise<void>;
};

/**
 * The load balancer closes idle connections before a process that stops closes them, a second later. Otherwise it could
 * send a request on a connection that is just being closed.
 */
const IDLE_MS = 250;

export async function startLoadBalancer(): Promise<LoadBalancer> {
  let targets: readonly string[] = [];
  let turn = 0;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const server = createServer((incoming, outgoing) => {
    turn += 1;
    const inTurn = targets.map((_, index) => targets[(turn + index) % targets.length] ?? "");
    readBody(incoming)
      .then((body) => pass(agent, inTurn, incoming, body, outgoing))
      .catch((error: unknown) => outgoing.writeHead(502).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The balancer listens on no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    use(next) {
      targets = next;
    },
    async stop() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await incoming.toArray());
}

async function pass(
  agent: Agent,
  [target, ...others]: readonly string[],
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<void> {
  if (target === undefined) throw new Error("No process takes connections.");
  const { method, headers, url } = incoming;
  const sent = request(`${target}${url ?? "/"}`, { agent, method, headers });
  sent.end(body);
  try {
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const content = await readBody(answer);
    const { connection: _connection, "keep-alive": _keepAlive, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, kept).end(content);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ECONNREFUSED")) throw error;
    await pass(agent, others, incoming, body, outgoing);
  }
}
