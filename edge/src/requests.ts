/** What the edge does with one request, whichever protocol it came by. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { addressListOf } from "../../src/lib/address-list.ts";
import type { Gate } from "../../src/lib/preview-gate.ts";
import type { AccessEntry } from "./access-log.ts";
import { answerHttpChallenge, type ChallengeAnswers, challengeTokenOf } from "./answer-challenges.ts";
import { ROBOTS, sendText } from "./edge-text.ts";
import type { Exchanges } from "./exchanges.ts";
import { answerAtGate } from "./gate.ts";
import type { KeyPair } from "./key-pair.ts";
import type { StaticFiles } from "./site-file.ts";
import { type Visitor, visitorOf } from "./visitor.ts";

/** What the edge serves for a host name now. */
export type Site = {
  /**
   * The id of a distribution, or that and `/` and the label of a route. A connection for one name also serves the other
   * names of its distribution.
   */
  readonly id: string;
  /** Null until there is one: the handshake fails. */
  readonly certificate: KeyPair | null;
  /** The name to which every request is redirected. */
  readonly redirectTo: string | null;
  /** Whether no search engine may list it. */
  readonly isUnlisted?: boolean;
  /** Visitors have to pass it; null: everyone is answered. */
  readonly gate?: Gate | null;
  /** The host to which it forwards, and another edge may too. */
  readonly originHost?: string | null;
  /** Files that it serves, which another edge may copy. */
  files?(): StaticFiles | null;
  serve(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void>;
};

export type Requests = Readonly<
  Record<
    "serve" | "serveLocally" | "servePlainly",
    (request: IncomingMessage, response: ServerResponse) => void
  >
>;

const LOCAL = ".localhost";
/** At the end of a `Host`. */
const PORT = /:\d+$/;

/** Where a browser on this machine sees what the edge serves for a name. */
export function localUrlOf(name: string, port: number): string {
  return `http://${name}${LOCAL}:${port}/`;
}

export type RequestOptions = {
  /** Reads memory only. @param hostName in lower case, without a final dot */
  readonly findSite: (hostName: string) => Site | null;
  readonly challenges: ChallengeAnswers | null;
  /** Called after each request; null: requests are not logged. */
  readonly onAccess?: ((entry: AccessEntry) => void) | null;
  /** Addresses and networks of proxies in front of the edge that may say who the visitor is. */
  readonly trustedProxies?: readonly string[];
  /** Whether the connection is of another edge of this installation, which checked the visitor's name. */
  readonly isFromEdge?: (request: IncomingMessage) => boolean;
  /** For `Strict-Transport-Security`; null: none. */
  readonly hstsSeconds?: number | null;
  readonly log: { warn(fields: object, message: string): void };
};

export function createRequests(
  options: RequestOptions & {
    readonly exchanges: Exchanges;
    readonly onAnswered: (siteId: string, status: number | null, response: ServerResponse) => void;
    readonly httpsPort: () => number;
  },
): Requests {
  const { findSite, challenges, exchanges, onAnswered, log } = options;
  const { onAccess = null, isFromEdge = () => false, hstsSeconds = null } = options;
  const isTrusted = addressListOf(options.trustedProxies ?? []);

  /** By TLS. */
  async function serve(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> {
    const host = hostOf(visitor);
    const site = findSite(host);
    if (site === null || !isConnectedFor(site, host, request)) {
      // RFC 9110, section 15.5.20: the connection has another name, or the name was detached meanwhile.
      return sendText(response, 421, `${host === "" ? "This name" : host} is not served on this connection.`);
    }
    if (hstsSeconds !== null) response.setHeader("strict-transport-security", `max-age=${hstsSeconds}`);
    await answer(site, host, (one) => `https://${one}`, visitor, request, response);
  }

  function isConnectedFor(site: Site, host: string, request: IncomingMessage): boolean {
    const { socket } = request;
    const given = "servername" in socket && typeof socket.servername === "string" ? socket.servername : "";
    const name = plainName(given);
    if (name === host || isFromEdge(request)) return true;
    const connected = findSite(name);
    return connected !== null && distributionIdOf(connected.id) === distributionIdOf(site.id);
  }

  /** For browsers on this machine. */
  async function serveLocally(
    request: IncomingMessage,
    response: ServerResponse,
    visitor: Visitor,
  ): Promise<void> {
    const host = hostOf(visitor);
    const name = host.endsWith(LOCAL) ? host.slice(0, -LOCAL.length) : null;
    if (name === null) return sendText(response, 400, "This port speaks HTTPS.");
    const site = findSite(name);
    if (site === null) return sendText(response, 404, `${name} is not served.`);
    await answer(site, name, (one) => `http://${one}${LOCAL}`, visitor, request, response);
  }

  /** On the port without TLS: the answers to challenges, and the way to HTTPS. */
  async function servePlainly(
    request: IncomingMessage,
    response: ServerResponse,
    visitor: Visitor,
  ): Promise<void> {
    const host = hostOf(visitor);
    const token = challengeTokenOf(request.url);
    if (token !== null) return answerHttpChallenge(challenges, host, token, request, response);
    const site = findSite(host);
    if (site === null) return sendText(response, 404, "This name is not served here.");
    unlist(site, response);
    const isUsual = !PORT.test(visitor.host);
    const origin = `https://${host}${isUsual ? "" : `:${options.httpsPort()}`}`;
    response.setHeader("location", `${origin}${pathOf(request)}`);
    sendText(response, 308, `This is at ${origin}.`);
  }

  async function answer(
    site: Site,
    name: string,
    originOf: (name: string) => string,
    visitor: Visitor,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.once("close", () => {
      onAnswered(site.id, response.headersSent ? response.statusCode : null, response);
    });
    unlist(site, response);
    const { redirectTo, gate = null } = site;
    // The port of this edge may be another than 443.
    const [port = ""] = PORT.exec(visitor.host) ?? [];
    if (gate !== null) {
      const { method = "", headers } = request;
      const at = { method, headers, url: pathOf(request), host: name, origin: `${originOf(name)}${port}` };
      const refusal = answerAtGate(gate, at, Math.floor(Date.now() / 1_000));
      if (refusal !== null) {
        response.setHeader("referrer-policy", "no-referrer");
        for (const [header, value] of Object.entries(refusal.headers)) response.setHeader(header, value);
        return sendText(response, refusal.status, refusal.text);
      }
    }
    if (redirectTo === null) return site.serve(request, response, visitor);
    response.setHeader("location", `${originOf(redirectTo)}${port}${pathOf(request)}`);
    sendText(response, 308, `This is at ${redirectTo}.`);
  }

  function toVisitor(request: IncomingMessage, protocol: "http" | "https"): Visitor {
    const isPeerTrusted = isTrusted(request.socket.remoteAddress ?? "") || isFromEdge(request);
    return visitorOf(request, protocol, { isPeerTrusted, isTrusted });
  }

  const listenTo =
    (serving: typeof serve, protocol: "http" | "https") =>
    (request: IncomingMessage, response: ServerResponse): void => {
      exchanges.begin(response);
      const visitor = toVisitor(request, protocol);
      if (onAccess !== null) logWhenEnded(onAccess, visitor, request, response);
      // A visitor may leave at any time.
      response.on("error", () => response.destroy());
      serving(request, response, visitor).catch((error: unknown) => {
        log.warn({ err: error }, "The edge could not serve a request");
        if (response.headersSent) response.destroy();
        else sendText(response, 500, "The edge failed to serve this.");
      });
    };
  return {
    serve: listenTo(serve, "https"),
    serveLocally: listenTo(serveLocally, "http"),
    servePlainly: listenTo(servePlainly, "http"),
  };
}

function logWhenEnded(
  onAccess: (entry: AccessEntry) => void,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const startedAt = performance.now();
  response.once("close", () =>
    onAccess({
      host: visitor.host,
      client: visitor.address,
      method: request.method ?? "",
      // Values of a query may be secrets, such as the code of a sign-in.
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      protocol: `HTTP/${request.httpVersion}`,
      status: response.headersSent ? response.statusCode : null,
      durationMs: Math.round(performance.now() - startedAt),
    }),
  );
}

function unlist({ isUnlisted = false }: Site, response: ServerResponse): void {
  if (isUnlisted) response.setHeader(ROBOTS, "noindex");
}

export function distributionIdOf(siteId: string): string {
  return siteId.split("/", 1)[0] ?? siteId;
}

function hostOf({ host }: Visitor): string {
  return plainName(host.replace(PORT, ""));
}

/** Path and query as they came. */
function pathOf({ url }: IncomingMessage): string {
  return url?.startsWith("/") === true ? url : "/";
}

/** In lower case, without the dot that ends a fully qualified name. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** The wildcard that covers a name. */
export function wildcardOf(name: string): string {
  return name.replace(/^[^.]+/, "*");
}
