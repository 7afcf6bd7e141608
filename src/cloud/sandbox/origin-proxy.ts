/** A site that another host serves: the edge forwards to it. */
import { lookup as lookUpSystemName, type LookupAddress, type LookupOptions } from "node:dns";
import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import { sendText } from "./edge-text.ts";
import { lookUp, type NameSource } from "./look-up.ts";

const ORIGIN_TIMEOUT_MS = 30_000;

/** RFC 9110, section 7.6.1: what concerns one connection is not passed on. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEndHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const named = (message.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name)) kept[name] = value;
  }
  return kept;
}

/**
 * HTTPS where nothing else is said, as a host out in the world has it; plain HTTP with any port but
 * 443, and on this machine, where certificates are rare.
 */
export function originAddressOf(hostname: string): {
  protocol: "http:" | "https:";
  host: string;
  port: number;
} {
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/i.exec(hostname);
  const host = (match?.[1] ?? hostname).replace(/^\[|\]$/g, "");
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const isLocal = host === "localhost" || host === "::1" || host.startsWith("127.");
  const isPlain = port === null ? isLocal : port !== 443;
  return { protocol: isPlain ? "http:" : "https:", host, port: port ?? (isPlain ? 80 : 443) };
}

export type Proxy = {
  /** To a host outside, with its own name as `Host`. */
  forward(hostname: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** To a process of the platform, with the viewer's `Host`, as a load balancer does. */
  forwardToRelease(
    port: number,
    viewerProtocol: "http" | "https",
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  stop(): void;
};

type Upstream = {
  readonly address: ReturnType<typeof originAddressOf>;
  readonly agent: HttpAgent | false;
  readonly hostHeader: string;
  readonly viewerProtocol: "http" | "https";
};

export function createProxy(names: NameSource): Proxy {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  async function send(to: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { protocol, host, port } = to.address;
    const isPlain = protocol === "http:";
    const viewer = request.socket.remoteAddress ?? "";
    const seenFor = request.headers["x-forwarded-for"];
    const upstream = (isPlain ? requestHttp : requestHttps)({
      host,
      port,
      method: request.method,
      path: request.url,
      agent: to.agent,
      timeout: ORIGIN_TIMEOUT_MS,
      lookup: (name, options, done) => resolveOrigin(names, name, options, done),
      headers: {
        ...endToEndHeaders(request),
        // A body of unknown length needs its framing again on the next connection.
        ...(request.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" }),
        host: to.hostHeader,
        "x-forwarded-host": request.headers.host ?? "",
        "x-forwarded-proto": to.viewerProtocol,
        "x-forwarded-for": seenFor === undefined ? viewer : `${String(seenFor)}, ${viewer}`,
        via: "1.1 cdn.sandbox.test",
      },
    });
    let hasTimedOut = false;
    upstream.on("timeout", () => {
      hasTimedOut = true;
      upstream.destroy();
    });
    response.on("close", () => upstream.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once("response", resolve);
      upstream.on("error", reject);
    });
    // An origin may answer before it has read the whole body; the answer is what counts.
    request.on("error", () => upstream.destroy());
    request.pipe(upstream);
    let answer: IncomingMessage;
    try {
      answer = await answered;
    } catch {
      // Whatever broke the connection, the viewer learns only that the origin could not be reached.
      if (response.destroyed) return;
      if (hasTimedOut) return sendText(response, 504, "The origin of this site did not answer in time.");
      return sendText(response, 502, "The origin of this site cannot be reached.");
    }
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
    // An origin that breaks off must not look like a complete answer: the viewer's connection breaks too.
    await pipeline(answer, response).catch(() => response.destroy());
  }
  return {
    forward(hostname, request, response) {
      const address = originAddressOf(hostname);
      const agent = address.protocol === "http:" ? agents.http : agents.https;
      return send({ address, agent, hostHeader: hostname, viewerProtocol: "https" }, request, response);
    },
    forwardToRelease(port, viewerProtocol, request, response) {
      const address = { protocol: "http:", host: "127.0.0.1", port } as const;
      const hostHeader = request.headers.host ?? "";
      // A connection that is kept may be closed by the process just when a request is sent on it.
      return send({ address, agent: false, hostHeader, viewerProtocol }, request, response);
    },
    stop() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Names of the sandbox's DNS first, so that an origin can be set there; then the system's. */
function resolveOrigin(
  names: NameSource,
  name: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
): void {
  const addresses = lookUp(names, name, "A").answers.flatMap((answer) =>
    answer.type === "A" ? [{ address: answer.data, family: 4 }] : [],
  );
  const [first] = addresses;
  if (first === undefined) lookUpSystemName(name, options, done);
  else if (options.all === true) done(null, addresses);
  else done(null, first.address, first.family);
}
