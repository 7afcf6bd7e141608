import { once } from "node:events";
import { createServer } from "node:net";

/** Free ports of this machine for processes, which get their port as `PORT`. */
export type Ports = {
  pick(): Promise<number>;
  /** The port may be used again from now on. */
  giveBack(port: number): void;
};

export function createPorts(): Ports {
  const given = new Set<number>();
  return {
    async pick() {
      for (;;) {
        const port = await findFreePort();
        // A process may not listen on its port yet.
        if (given.has(port)) continue;
        given.add(port);
        return port;
      }
    },
    giveBack: (port) => given.delete(port),
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  // On all addresses, because the process may listen on any of them.
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
