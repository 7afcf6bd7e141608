import { once } from "node:events";
import { createServer } from "node:net";

/** Free ports of this machine for processes that are told to listen there. */
export type Ports = {
  pick(): Promise<number>;
  /** From when on it may be picked again. */
  giveBack(port: number): void;
};

export function createPorts(): Ports {
  const given = new Set<number>();
  return {
    async pick() {
      for (;;) {
        const port = await findFreePort();
        // A process that was told a port may not listen there yet.
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
  // On all addresses, as the process may choose to listen.
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
