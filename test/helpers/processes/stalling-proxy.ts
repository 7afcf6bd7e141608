/** Stands before a TCP server, and can stop passing anything while all connections stay open: a half-open path. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type StallingProxy = {
  readonly port: number;
  /** From now on nothing passes on the open connections, in either direction, and neither end is notified. */
  stall(): void;
  /** The same for the connections that are made from now on too. */
  block(): void;
  /** Ends what was stalled, as a network does that is back after a long time, and passes new connections. */
  heal(): void;
  close(): void;
};

export async function startStallingProxy(targetPort: number): Promise<StallingProxy> {
  const pairs = new Set<readonly Socket[]>();
  let isBlocked = false;
  const hold = (sockets: readonly Socket[]): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1");
    const pair = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
    if (isBlocked) return hold(pair);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => [...pairs].forEach(hold),
    block() {
      isBlocked = true;
      [...pairs].forEach(hold);
    },
    heal() {
      isBlocked = false;
      cut();
    },
    close() {
      server.close();
      cut();
    },
  };
}
