/**
 * The open connections, and the requests on each. Connections without a valid key so far are strangers. Each costs
 * memory from its first byte, so their number is limited. At the limit, the oldest stranger that does not wait for us
 * is closed: it is idle, sends its request slowly, or does not read its answer. More strangers may wait for an answer:
 * these are the many clients that reconnect at once after a restart, and we answer them soon.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type Connections = {
  /** A connection was made. Closes it, or another one, when there are too many strangers. */
  open(socket: Socket): void;
  /** Another socket represents the connection from now on. */
  forget(socket: Socket): void;
  /** A request came. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a connection has reached the limit of unanswered requests. */
  isFull(socket: Socket): boolean;
  /** A valid key was sent on a connection. */
  know(socket: Socket): void;
  /** The request's head was accepted: reads the rest of it. */
  readOn(request: IncomingMessage, response: ServerResponse): void;
  /** All unanswered requests. */
  unanswered(): Iterable<ServerResponse>;
};

export type ConnectionLimits = {
  /** All strangers. */
  readonly strangers: number;
  /** Strangers that wait for an answer. */
  readonly waitingStrangers: number;
  /** Unanswered requests on one connection. */
  readonly pipelined: number;
};

/** How long, and how much, we read and discard when a stranger keeps sending a request that was already answered. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;

export function createConnections(limits: ConnectionLimits): Connections {
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  /** The oldest first. */
  const strangers = new Set<Socket>();

  const waits = (socket: Socket): boolean =>
    [...(unanswered.get(socket) ?? [])].some(({ req, writableEnded }) => req.complete && !writableEnded);
  /** Makes room for a stranger. @returns whether there is room */
  const makeRoom = (): boolean => {
    if (strangers.size < limits.strangers) return true;
    for (const socket of strangers) {
      if (waits(socket)) continue;
      strangers.delete(socket);
      socket.destroy();
      return true;
    }
    return strangers.size < limits.waitingStrangers;
  };

  return {
    open(socket) {
      if (!makeRoom()) {
        socket.destroy();
        return;
      }
      const responses = new Set<ServerResponse>();
      unanswered.set(socket, responses);
      strangers.add(socket);
      socket.once("close", () => {
        unanswered.delete(socket);
        strangers.delete(socket);
        // Node knows of the response that is being sent, but not of those queued behind it.
        for (const response of responses) {
          response.destroyed = true;
          response.emit("close");
        }
      });
    },
    forget(socket) {
      unanswered.delete(socket);
      strangers.delete(socket);
    },
    begin(request, response) {
      const { socket } = request;
      const responses = unanswered.get(socket);
      responses?.add(response);
      // Until the request is accepted, reads no more of its body than what came with the head.
      if (!request.complete && strangers.has(socket)) socket.pause();
      response.once("close", () => {
        responses?.delete(response);
        if (!request.complete && strangers.has(socket)) linger(request);
      });
    },
    isFull: (socket) => (unanswered.get(socket)?.size ?? 0) >= limits.pipelined,
    know(socket) {
      if (strangers.delete(socket) && socket.isPaused()) socket.resume();
    },
    readOn({ socket }, { writableEnded }) {
      if (!writableEnded && strangers.has(socket) && socket.isPaused()) socket.resume();
    },
    *unanswered() {
      for (const responses of unanswered.values()) yield* responses;
    },
  };
}

/**
 * Discards the rest of a request that was answered before it was complete. An honest client thus keeps its connection,
 * and gets the answer.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  if (socket.destroyed) return;
  let thrownAway = 0;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  request.on("data", (block: Buffer) => {
    thrownAway += block.length;
    if (thrownAway > LINGER_BYTES) socket.destroy();
  });
  request.resume();
  socket.resume();
}
