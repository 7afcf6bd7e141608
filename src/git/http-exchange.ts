/** One HTTP request to a git host and its answer, with limits on time and size. Follows no redirects. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { GitError } from "./git.ts";

export type HttpRequest = {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** A user's file has a smaller limit, and its own refusal. */
  readonly expects: "listing" | "file";
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Returns answers of any status but 3xx. @throws GitError `HOST_REFUSED`, `HOST_UNAVAILABLE`, `FILE_TOO_LARGE` */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

/** The contract's limit for `Git.readFile`. */
export const FILE_BYTES_MAX = 1024 * 1024;
/** A reference is about 60 bytes, so this is some 250,000 branches. A larger answer is not one to our question. */
const LISTING_BYTES_MAX = 16 * 1024 * 1024;

export type ExchangeOptions = {
  /** From the start until the connection is made, including TLS. */
  readonly connectTimeoutMs: number;
  /** From the start until the last byte. */
  readonly totalTimeoutMs: number;
  /** Finds the address to dial; the system's resolver when absent. */
  readonly lookup?: LookupFunction;
  /** The authorities that TLS trusts, instead of Node's own. */
  readonly secureContext?: SecureContext;
};

/**
 * Sends one request over a new connection, so that no earlier request decided where it leads.
 * @throws GitError as `HttpClient` says
 */
export function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { host, protocol } = request.url;
  const outgoing = send(request, options);
  const stopLater = (what: string, afterMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      const error = new GitError("HOST_UNAVAILABLE", `${host} did not ${what} in time. Try again later.`);
      // Reject here too: a request whose connection is gone already emits no more events.
      reject(error);
      outgoing.destroy(error);
    }, afterMs);
  const connectTimer = stopLater("accept a connection", options.connectTimeoutMs);
  const totalTimer = stopLater("answer", options.totalTimeoutMs);
  outgoing.on("socket", (socket) =>
    socket.once(protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connectTimer)),
  );
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => {
    receive(incoming, request).then(resolve, reject);
  });
  outgoing.end(request.body);
  return promise
    .catch((error: unknown) => {
      outgoing.destroy();
      throw error instanceof GitError ? error : unreachable(host, error);
    })
    .finally(() => {
      clearTimeout(connectTimer);
      clearTimeout(totalTimer);
    });
}

function send(request: HttpRequest, options: ExchangeOptions): ClientRequest {
  const settings = {
    method: request.method,
    headers: {
      "user-agent": "slipway",
      // Compressed answers would bypass the size limit.
      "accept-encoding": "identity",
      ...request.headers,
      ...(request.body === undefined ? {} : { "content-length": String(request.body.byteLength) }),
    },
    // A new connection each time, without the settings of the process-wide agents.
    agent: false as const,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
  };
  if (request.url.protocol !== "https:") return requestHttp(request.url, settings);
  return requestHttps(request.url, {
    ...settings,
    rejectUnauthorized: true,
    ...(options.secureContext === undefined ? {} : { secureContext: options.secureContext }),
  });
}

async function receive(incoming: IncomingMessage, request: HttpRequest): Promise<HttpAnswer> {
  const status = incoming.statusCode ?? 0;
  const { host } = request.url;
  if (status >= 300 && status < 400) {
    throw new GitError(
      "HOST_REFUSED",
      `${host} redirects to another address, and Slipway does not follow redirects. If the repository or the host has moved, use its new address.`,
    );
  }
  const isFile = request.expects === "file" && status === 200;
  const bytesMax = isFile ? FILE_BYTES_MAX : LISTING_BYTES_MAX;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw isFile
        ? new GitError("FILE_TOO_LARGE", "The file is larger than 1 MiB.")
        : new GitError("HOST_UNAVAILABLE", `${host} answered with more than ${bytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  return { status, headers: incoming.headers, body: Buffer.concat(chunks, bytes) };
}

/** Node's network and TLS errors hold names and addresses, never headers, so they may be kept as the cause. */
function unreachable(host: string, error: unknown): GitError {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const isCertificate = /CERT|ISSUER|SIGNATURE|TLS/.test(code);
  const why = code === "" ? "" : ` (${code})`;
  return new GitError(
    "HOST_UNAVAILABLE",
    isCertificate
      ? `${host} has no trusted certificate for its name${why}.`
      : `${host} cannot be reached${why}. Check the address, or try again later.`,
    { cause: error },
  );
}
