import { randomInt } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { answersQuery, type Query } from "./message.ts";
import { canonicalAddress, type DnsServer } from "./servers.ts";

/** The bytes that answer the query, or the reason why there are none. */
export type Exchange = Buffer | "timeout" | "unreachable" | "malformed";

export type Udp = {
  /** Sends the query with a new id, and waits for the datagram that answers it. Never rejects. */
  exchange(server: DnsServer, query: Query, timeoutMs: number): Promise<Exchange>;
  close(): void;
};

const SOCKETS_PER_FAMILY = 4;
/** An off-path attacker must guess the socket's port, so no port is kept for long. */
const MAX_QUERIES_PER_SOCKET = 5000;
const RECEIVE_BUFFER_BYTES = 1 << 20;

type Waiting = {
  readonly server: DnsServer;
  readonly query: Query;
  /** A datagram from the server had our id, but did not answer the question. */
  misfit: boolean;
  settle(outcome: Exchange): void;
};

type Port = { readonly socket: Socket; readonly waiting: Map<number, Waiting>; queries: number };

/** Queries share a few sockets, and ids distinguish the queries: a socket for each query costs more than the query. */
export function createUdp(): Udp {
  const families = { udp4: [] as Port[], udp6: [] as Port[] };
  const open = new Set<Port>();
  let turn = 0;

  function openPort(type: "udp4" | "udp6"): Port {
    // Hosts are addresses already; the default lookup would cost a turn of the event loop for nothing.
    const socket = createSocket({
      type,
      recvBufferSize: RECEIVE_BUFFER_BYTES,
      lookup: (host, _options, callback) => callback(null, host, type === "udp4" ? 4 : 6),
    });
    const port: Port = { socket, waiting: new Map(), queries: 0 };
    socket.on("message", (bytes, from) => receive(port, bytes, from));
    socket.on("error", () => {
      retire(port, type);
      for (const waiting of port.waiting.values()) waiting.settle("unreachable");
    });
    open.add(port);
    return port;
  }

  function choosePort(type: "udp4" | "udp6"): Port {
    const ports = families[type];
    turn = (turn + 1) % SOCKETS_PER_FAMILY;
    const chosen = ports[turn];
    if (chosen !== undefined && chosen.queries < MAX_QUERIES_PER_SOCKET) return chosen;
    if (chosen !== undefined) retire(chosen, type);
    const port = openPort(type);
    families[type].push(port);
    return port;
  }

  function retire(port: Port, type: "udp4" | "udp6"): void {
    families[type] = families[type].filter((other) => other !== port);
    port.queries = Number.POSITIVE_INFINITY;
    closeWhenUnused(port);
  }

  function closeWhenUnused(port: Port): void {
    if (port.waiting.size > 0 || port.queries < MAX_QUERIES_PER_SOCKET) return;
    if (open.delete(port)) port.socket.close();
  }

  function exchange(server: DnsServer, query: Query, timeoutMs: number): Promise<Exchange> {
    return new Promise((resolve) => {
      const type = isIPv6(server.host) ? "udp6" : "udp4";
      const port = choosePort(type);
      port.queries += 1;
      let id = randomInt(0x1_0000);
      while (port.waiting.has(id)) id = randomInt(0x1_0000);
      const waiting: Waiting = {
        server,
        query,
        misfit: false,
        settle(outcome) {
          clearTimeout(timer);
          if (!port.waiting.delete(id)) return;
          closeWhenUnused(port);
          resolve(outcome);
        },
      };
      const timer = setTimeout(() => waiting.settle(waiting.misfit ? "malformed" : "timeout"), timeoutMs);
      port.waiting.set(id, waiting);
      const bytes = Buffer.from(query.bytes);
      bytes.writeUInt16BE(id, 0);
      port.socket.send(bytes, server.port, server.host, (error) => {
        if (error !== null) waiting.settle("unreachable");
      });
    });
  }

  return {
    exchange,
    close() {
      // Cleared first, so that settling the queries does not close their socket again.
      const ports = [...open];
      open.clear();
      for (const port of ports) {
        port.socket.close();
        for (const waiting of port.waiting.values()) waiting.settle("unreachable");
      }
    },
  };
}

function receive(port: Port, bytes: Buffer, from: RemoteInfo): void {
  if (bytes.length < 2) return;
  const waiting = port.waiting.get(bytes.readUInt16BE(0));
  if (waiting === undefined || from.port !== waiting.server.port) return;
  if (
    from.address !== waiting.server.host &&
    canonicalAddress(from.address) !== canonicalAddress(waiting.server.host)
  ) {
    return;
  }
  // An attacker who guessed the id but not the question must not end the wait for the true answer.
  if (answersQuery(bytes, waiting.query)) waiting.settle(bytes);
  else waiting.misfit = true;
}
