import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";
import { answersQuery, type Query } from "./message.ts";
import type { DnsServer } from "./servers.ts";
import type { Exchange } from "./udp.ts";

export type Tcp = {
  /** Asks over a new connection (RFC 7766); truncated answers are rare. Never rejects. */
  exchange(server: DnsServer, query: Query, timeoutMs: number): Promise<Exchange>;
  close(): void;
};

export function createTcp(): Tcp {
  const sockets = new Set<Socket>();

  function exchange(server: DnsServer, query: Query, timeoutMs: number): Promise<Exchange> {
    return new Promise((resolve) => {
      const request = Buffer.concat([Buffer.alloc(2), query.bytes]);
      const id = randomInt(0x1_0000);
      request.writeUInt16BE(query.bytes.length, 0);
      request.writeUInt16BE(id, 2);
      const socket = connect({ host: server.host, port: server.port, noDelay: true });
      sockets.add(socket);
      const settle = (outcome: Exchange): void => {
        clearTimeout(timer);
        sockets.delete(socket);
        socket.destroy();
        resolve(outcome);
      };
      // One timer for the whole exchange, so that a server that sends single bytes gets no more time.
      const timer = setTimeout(() => settle("timeout"), timeoutMs);
      const chunks: Buffer[] = [];
      let received = 0;
      socket.on("connect", () => socket.write(request));
      socket.on("error", () => settle("unreachable"));
      socket.on("close", () => settle(received > 0 ? "malformed" : "unreachable"));
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        received += chunk.length;
        if (received < 2) return;
        const whole = chunks.length === 1 ? chunk : Buffer.concat(chunks);
        chunks.splice(0, chunks.length, whole);
        const end = 2 + whole.readUInt16BE(0);
        if (whole.length < end) return;
        const reply = whole.subarray(2, end);
        const fits = reply.length >= 2 && reply.readUInt16BE(0) === id && answersQuery(reply, query);
        settle(fits ? reply : "malformed");
      });
    });
  }

  return {
    exchange,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
