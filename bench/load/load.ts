import { connect, type Socket } from "node:net";

export type Load = {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The whole text of the next request; called once for each. */
  readonly next: () => string;
};

export type Measured = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
};

/**
 * A closed loop over keep-alive connections: each sends its next request when the previous answer has arrived.
 * Plain sockets, because an HTTP client costs more than what it would measure on a machine of two cores.
 */
export async function measure({ port, connections, durationMs, next }: Load): Promise<Measured> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  const loop = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.setNoDelay(true);
      let sentAt = 0;
      let received = Buffer.alloc(0);
      const send = (): void => {
        sentAt = performance.now();
        socket.write(next());
      };
      socket.once("connect", send);
      socket.once("error", reject);
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const status = statusOfWhole(received);
        if (status === null) return;
        received = Buffer.alloc(0);
        const now = performance.now();
        times.push(now - sentAt);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (now < endAt) send();
        else finish(socket, resolve);
      });
    });
  await Promise.all(Array.from({ length: connections }, loop));
  const elapsedMs = performance.now() - startedAt;
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length * 1000) / elapsedMs,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    statuses,
  };
}

function finish(socket: Socket, resolve: () => void): void {
  socket.removeAllListeners();
  socket.destroy();
  resolve();
}

/** The status of an answer with Content-Length, once it is complete. */
export function statusOfWhole(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length < headEnd + 4 + length ? null : Number(head.slice(9, 12));
}

/** The text of a request. */
export function requestText(method: string, path: string, key: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
