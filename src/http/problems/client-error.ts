import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { STATUS_CODES } from "node:http";
import { COMMON_ERRORS, type DeclaredError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { makeProblem, PROBLEM_CONTENT_TYPE } from "./problem.ts";

/** What Node's parser refuses before there is a request, by error code. */
const REFUSALS: Readonly<Record<string, readonly [DeclaredError, string]>> = {
  HPE_HEADER_OVERFLOW: [HTTP_ERRORS.HEADERS_TOO_LARGE, "The headers are larger than 16 KiB."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    HTTP_ERRORS.BODY_TOO_LARGE,
    "The extensions of the body's chunks are too large.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [HTTP_ERRORS.REQUEST_TIMEOUT, "The request did not arrive in time."],
};
const MALFORMED: readonly [DeclaredError, string] = [
  COMMON_ERRORS.INVALID_REQUEST,
  "The request could not be read: it is not HTTP, or its framing is wrong.",
];

/** Answers invalid requests with a problem document too, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The client has disconnected, does not speak TLS, or is still receiving the previous answer.
  if (/^(?:ECONNRESET$|ERR_SSL_|ERR_TLS_)/.test(error.code ?? "") || !socket.writable) {
    socket.destroy();
    return;
  }
  const [declaration, detail] = REFUSALS[error.code ?? ""] ?? MALFORMED;
  const requestId = randomUUID();
  const problem = makeProblem(declaration, { detail, instance: "", requestId });
  const { status } = problem;
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `content-type: ${PROBLEM_CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close",
  ].join("\r\n");
  socket.end(`${head}\r\n\r\n${body}`);
}
