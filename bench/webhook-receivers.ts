/**
 * The receivers of `npm run bench:webhooks`, a process of their own. Sends its parent the port, and how long each event
 * took until it first arrived. `/N` answers at once, `/slow` after ten seconds, `/dead` never.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const SLOW_MS = 10_000;
const TELL_MS = 200;
const seen = new Set<string>();
let untold: { readonly path: string; readonly latencyMs: number }[] = [];

const server = createServer((request, response) => {
  const path = request.url ?? "";
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { id, timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: string;
      timestamp: string;
    };
    if (!seen.has(id)) untold.push({ path, latencyMs: Date.now() - Date.parse(timestamp) });
    seen.add(id);
    if (path === "/dead") return;
    setTimeout(() => response.writeHead(204).end(), path === "/slow" ? SLOW_MS : 0);
  });
});
server.listen(0, "127.0.0.1", 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }));
setInterval(() => {
  if (untold.length > 0) process.send?.({ came: untold });
  untold = [];
}, TELL_MS);
