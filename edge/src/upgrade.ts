/** Connections that visitors turn into WebSockets, by HTTP/1.1 (RFC 6455, section 4) or HTTP/2 (RFC 8441). */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import { createFrameTracker, goingAwayFrame } from "./web-socket-frames.ts";

/** The answer to an upgrade: an ordinary one refuses it and closes the connection; `accept` takes it over. */
export class UpgradeResponse extends ServerResponse {
  readonly #taken: Duplex;
  constructor(request: IncomingMessage, head: Buffer) {
    super(request);
    this.#taken = request.socket;
    this.#taken.on("error", () => this.#taken.destroy());
    if (head.length > 0) this.#taken.unshift(head);
    this.assignSocket(request.socket);
    this.shouldKeepAlive = false;
    this.once("finish", () => this.#taken.end());
  }
  accept(headers: OutgoingHttpHeaders): Duplex {
    this.writeHead(101, { ...headers, connection: "Upgrade", upgrade: "websocket" });
    this.flushHeaders();
    return this.#taken;
  }
}

export type Upgrade = {
  /** What the origin must get in addition to the visitor's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** @param headers of the origin's answer */
  accept(headers: OutgoingHttpHeaders): Duplex;
};

/** A response emits it with the `Tunnel` that it became. */
export const TUNNEL_EVENT = "tunnel";

const UPGRADE = { connection: "Upgrade", upgrade: "websocket" };

/** Null if the request does not ask for a WebSocket, or its connection cannot become one. */
export function upgradeOf(request: IncomingMessage, response: ServerResponse): Upgrade | null {
  if (response instanceof UpgradeResponse) {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    return isWebSocket ? { headers: UPGRADE, accept: (headers) => response.accept(headers) } : null;
  }
  if (request.method !== "CONNECT" || !((response as unknown) instanceof Http2ServerResponse)) return null;
  const { stream } = response as unknown as Http2ServerResponse;
  return {
    // HTTP/2 has no key: its streams cannot be mistaken for another protocol.
    headers: { ...UPGRADE, "sec-websocket-key": randomBytes(16).toString("base64") },
    accept(headers) {
      const { "sec-websocket-accept": _, ...kept } = headers;
      stream.respond({ ":status": 200, ...kept });
      return stream;
    },
  };
}

export type Tunnel = {
  readonly ended: Promise<void>;
  /** Closes it with the code 1001 on both sides, between two frames. Resolves when it has ended. */
  goAway(): Promise<void>;
};

const LAST_FRAME_MS = 1_000;

/** Carries the frames of an accepted WebSocket both ways, until one side ends. */
export function openTunnel(visitor: Duplex, origin: Duplex): Tunnel {
  const [fromOrigin, fromVisitor] = [createFrameTracker(), createFrameTracker()];
  origin.on("data", (chunk: Buffer) => fromOrigin.read(chunk)).pipe(visitor);
  visitor.on("data", (chunk: Buffer) => fromVisitor.read(chunk)).pipe(origin);
  for (const [one, other] of [
    [visitor, origin],
    [origin, visitor],
  ] as const) {
    one.on("error", () => one.destroy());
    one.once("close", () => other.destroy());
  }
  const ended = new Promise<void>((resolve) => void visitor.once("close", resolve));
  return {
    ended,
    async goAway() {
      let isClosed = false;
      const close = () => {
        if (isClosed) return true;
        if (!fromOrigin.isBetweenFrames() || !fromVisitor.isBetweenFrames()) return false;
        isClosed = true;
        origin.unpipe(visitor);
        visitor.unpipe(origin);
        visitor.end(goingAwayFrame("server"));
        origin.end(goingAwayFrame("client"));
        return true;
      };
      if (!close()) for (const side of [origin, visitor]) side.on("data", () => setImmediate(close));
      const late = setTimeout(() => visitor.destroy(), LAST_FRAME_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
