import { connect, type Socket } from "node:net";
import { statusOfWhole } from "./load.ts";

export type OpenLoad = {
  readonly port: number;
  readonly perSecond: number;
  readonly durationMs: number;
  /** Connections that are kept open; a request for which none is free waits in the client until one is. */
  readonly connections: number;
  readonly next: () => string;
};

export type OpenMeasured = {
  /** Of answers below 300. */
  readonly goodPerSecond: number;
  readonly goodP50Ms: number;
  readonly goodP99Ms: number;
  /** Answers by status, and `Retry-After` missing where it must be as `503 without Retry-After`. */
  readonly answers: ReadonlyMap<string, number>;
  /** Connections that broke off. */
  readonly broken: number;
  /** Requests that still waited for a free connection at the end. */
  readonly neverSent: number;
};

const TICK_MS = 5;

/**
 * An open loop: requests come at a rate of their own, whether those before are answered or not, as from many
 * clients that know nothing of each other, as far as there are connections: a service that answers slowly what it
 * refuses is sent less. Times count from the sending.
 */
export async function press(load: OpenLoad): Promise<OpenMeasured> {
  const { port, perSecond, durationMs, connections, next } = load;
  const free: Socket[] = [];
  let waiting = 0;
  const goodMs: number[] = [];
  const answers = new Map<string, number>();
  const sockets: Socket[] = [];
  let broken = 0;
  let isOver = false;

  const open = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      socket.setNoDelay(true);
      let received = Buffer.alloc(0);
      let sentAt = 0;
      const take = (): void => {
        if (waiting === 0) return void free.push(socket);
        waiting -= 1;
        sentAt = performance.now();
        socket.write(next());
      };
      socket.on("wake", take);
      socket.once("connect", () => {
        free.push(socket);
        resolve();
      });
      socket.once("error", () => {
        if (!isOver) broken += 1;
        resolve();
      });
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const status = statusOfWhole(received);
        if (status === null) return;
        if (!isOver) {
          if (status < 300) goodMs.push(performance.now() - sentAt);
          const mustTell = status === 429 || status === 503;
          const tells = mustTell && /\r\nretry-after: *\d/i.test(received.toString("latin1", 0, 1_000));
          const name = mustTell && !tells ? `${status} without Retry-After` : String(status);
          answers.set(name, (answers.get(name) ?? 0) + 1);
        }
        received = Buffer.alloc(0);
        take();
      });
    });
  await Promise.all(Array.from({ length: connections }, open));

  const startedAt = performance.now();
  let came = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      const elapsedMs = now - startedAt;
      if (elapsedMs >= durationMs) {
        clearInterval(timer);
        return resolve();
      }
      for (const should = (elapsedMs * perSecond) / 1000; came < should; came += 1) {
        waiting += 1;
        free.pop()?.emit("wake");
      }
    }, TICK_MS);
  });
  isOver = true;
  const neverSent = waiting;
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.destroy();
  goodMs.sort((a, b) => a - b);
  return {
    goodPerSecond: goodMs.length / seconds,
    goodP50Ms: goodMs[Math.floor(goodMs.length * 0.5)] ?? Number.NaN,
    goodP99Ms: goodMs[Math.floor(goodMs.length * 0.99)] ?? Number.NaN,
    answers,
    broken,
    neverSent,
  };
}
