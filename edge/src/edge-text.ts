import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** What an origin says in this header gives way to what the edge says. */
export const ROBOTS = "x-robots-tag";

/** Sends a plain-text answer. @param headers in addition */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text) + 1,
    "cache-control": "no-store",
    ...headers,
  });
  response.end(response.req.method === "HEAD" ? undefined : `${text}\n`);
}
