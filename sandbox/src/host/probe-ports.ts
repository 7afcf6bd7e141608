import { once } from "node:events";
import { createConnection } from "node:net";
import { reachable } from "../api/listen.ts";

const TIMEOUT_MS = 2_000;
/** The ports that visitors and CAs use. */
export const HTTP_PORT = 80;
export const HTTPS_PORT = 443;

/** Whether a TCP connection can be made. @param host an address, or what a server listens on */
export async function acceptsConnections(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host: reachable(host), port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Why the edge does not listen, as a sentence; null if it does. */
export async function findObstacle(host: string, ports: readonly number[]): Promise<string | null> {
  for (const port of ports)
    if (!(await acceptsConnections(host, port))) return `The edge does not listen on port ${port}.`;
  return null;
}
