/**
 * The open connections, and what is asked on each. Those on which nobody has shown a key yet are strangers. Each costs
 * memory from its first byte, so that there is room for a number of them only. When it is taken, the oldest that waits
 * for nothing from us makes room: one that is idle, sends its request slowly, or does not take its answer. Those that
 * wait for an answer may be more: they are the many clients that connect at once after a restart, and it is for us to
 * answer them soon.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type Connections = {
  /** A connection was made. Closes it, or another, where there are too many strangers. */
  open(socket: Socket): void;
  /** Another socket stands for the connection from now on. */
  forget(socket: Socket): void;
  /** A request came. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a connection has as many requests without an answer as it may. */
  isFull(socket: Socket): boolean;
  /** A key was shown on a connection. */
  know(socket: Socket): void;
  /** A request was not refused by its head alone: the rest of it is wanted. */
  readOn(request: IncomingMessage, response: ServerResponse): void;
  /** All that is not answered yet. */
  unanswered(): Iterable<ServerResponse>;
};

export type ConnectionLimits = {
  /** Strangers, of which some wait for nothing. */
  readonly strangers: number;
  /** Strangers that all wait for an answer. */
  readonly waitingStrangers: number;
  /** Requests of one connection that are not answered yet. */
  readonly pipelined: number;
};

/** What a stranger goes on sending of a request that was answered already is thrown away, so long and so much. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;

export function createConnections(limits: ConnectionLimits): Connections {
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  /** The oldest first. */
  const strangers = new Set<Socket>();

  const waits = (socket: Socket): boolean =>
    [...(unanswered.get(socket) ?? [])].some(({ req, writableEnded }) => req.complete && !writableEnded);
  /** Makes room for a stranger. @returns whether there is some */
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
        // Node tells the answer that is being sent, and not those that wait behind it.
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
      // Of a body that nobody may want, no more is read than came with the head.
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
 * Throws away the rest of a request that was answered before it was whole. A client that meant no harm keeps its
 * connection so, and does not lose the answer.
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
