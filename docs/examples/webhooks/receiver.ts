/** Receives Slipway's webhooks. `SECRET=whsec_… PORT=3000 node receiver.ts` (Node ≥ 24, no dependencies). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";

const key = Buffer.from((process.env["SECRET"] ?? "").replace(/^whsec_/, ""), "base64");
const TOLERANCE_SECONDS = 300;
/** In a real receiver: a unique column, written in the transaction that handles the event. */
const handled = new Set<string>();

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
    const event = JSON.parse(body.toString()) as { id: string; type: string; sequence: number };
    if (!handled.has(event.id)) {
      handled.add(event.id);
      console.log(`${event.sequence} ${event.type} ${event.id}`);
    }
    response.writeHead(204).end();
  });
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => console.log("ready"));
