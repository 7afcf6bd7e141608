/**
 * A port of this machine for each service, with plain HTTP on loopback, where other services reach it. It
 * stays the same from release to release, like a load balancer's address.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { SandboxLog } from "../../accounts/stacks.ts";
import { createServer as createTcpServer } from "node:net";
import { serviceKey, type PlatformStore } from "../store.ts";

export type Listeners = {
  /** Resolves when the service's port is open. */
  listenFor(accountId: string, serviceId: string): Promise<void>;
  close(accountId: string, serviceId: string): Promise<void>;
  stop(): Promise<void>;
};

export function createListeners(options: {
  store: PlatformStore;
  serve: (
    accountId: string,
    serviceId: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
  log: SandboxLog;
}): Listeners {
  const { store, serve, log } = options;
  const servers = new Map<string, Promise<Server>>();

  async function open(accountId: string, serviceId: string): Promise<Server> {
    const server = createServer((request, response) => {
      serve(accountId, serviceId, request, response).catch((error: unknown) => {
        log.warn({ err: error, serviceId }, "A request between services could not be served.");
        response.destroy();
      });
    });
    const key = serviceKey(accountId, serviceId);
    const before = store.services.get(key)?.port ?? 0;
    const port = (await listen(server, before)) ?? (await listen(server, 0));
    if (port === null) throw new Error("The system gave no port.");
    if (before !== 0 && port !== before) {
      log.warn({ serviceId, port, before }, "A service has a new port: another program has its old one.");
    }
    const stored = store.services.get(key) ?? { accountId, serviceId, liveReleaseId: null };
    store.services.put(key, { ...stored, port });
    return server;
  }

  async function end(opening: Promise<Server>): Promise<void> {
    const server = await opening.catch(() => null);
    if (server === null) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  return {
    async listenFor(accountId, serviceId) {
      const key = serviceKey(accountId, serviceId);
      const opening = servers.get(key) ?? open(accountId, serviceId);
      servers.set(key, opening);
      try {
        await opening;
      } catch (error) {
        servers.delete(key);
        throw error;
      }
    },
    async close(accountId, serviceId) {
      const key = serviceKey(accountId, serviceId);
      const opening = servers.get(key);
      servers.delete(key);
      if (opening === undefined) return;
      await end(opening);
      // The service may have been removed while its port was opened and stored.
      if (store.services.get(key)?.liveReleaseId === null && !servers.has(key)) store.services.delete(key);
    },
    async stop() {
      await Promise.all([...servers.values()].map(end));
    },
  };
}

/** The port; null if another program uses it. */
async function listen(server: Server, port: number): Promise<number | null> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return null;
    throw error;
  }
  const address = server.address();
  return address === null || typeof address === "string" ? null : address.port;
}

/** Free ports of this machine for processes, which get their port as `PORT`. */
export type Ports = {
  pick(): Promise<number>;
  /** A port that a process has from an earlier run. */
  keep(port: number): void;
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
    keep: (port) => given.add(port),
    giveBack: (port) => given.delete(port),
  };
}

async function findFreePort(): Promise<number> {
  const server = createTcpServer();
  // On all addresses, because the process may listen on any of them.
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
