import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** For what the client has sent already: closing at once would reset the connection, and the answer be lost. */
const LINGER_MS = 1_000;

/** Answers what is not a request of HTTP/1.1: 431 for too many headers, 408 for slow ones, 400 for all else. */
export function answerBadRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const reason = STATUS_CODES[status] ?? "";
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  const limit = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(limit));
}
