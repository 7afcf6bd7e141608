/** One HTTP request and its answer, with limits on time and size. Follows no redirects. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { EgressError, type Trace } from "./egress-error.ts";

export type EgressRequest = {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** How much of an answer's body is read, by its status, and whether the rest is cut off or refuses the answer. */
  readonly bodyLimit: {
    readonly bytesOf: (status: number) => number;
    readonly ifLarger: "cut" | "refuse";
  };
};

export type EgressAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether more followed than was read. */
  readonly isCut: boolean;
  readonly trace: Trace;
};

export type ExchangeOptions = {
  /** From the start until the connection is made, including TLS. */
  readonly connectTimeoutMs: number;
  /** From the start until the last byte. */
  readonly totalTimeoutMs: number;
  /** Finds the address to dial; the system's resolver when absent. */
  readonly lookup?: LookupFunction;
  /** The authorities that TLS trusts, instead of Node's own. */
  readonly secureContext?: SecureContext;
  /** How long the name's look-up took before, for the trace. */
  readonly dnsMs?: number;
};

/**
 * Sends one request over a new connection, so that no earlier request decided where it leads, and nothing of it is left
 * for others. Returns answers of any status but a redirect's.
 * @throws EgressError
 */
export function exchange(request: EgressRequest, options: ExchangeOptions): Promise<EgressAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressAnswer>();
  const { host, protocol } = request.url;
  const tracer = startTrace(options.dnsMs ?? null);
  const outgoing = send(request, options);
  const late = { isBody: false, cutBody: (): void => undefined };
  const connectTimer = setTimeout(
    () =>
      stop(
        new EgressError("CONNECT_TIMEOUT", `${host} did not accept a connection in time. Try again later.`),
      ),
    options.connectTimeoutMs,
  );
  const totalTimer = setTimeout(() => {
    if (late.isBody && request.bodyLimit.ifLarger === "cut") late.cutBody();
    else stop(new EgressError("ANSWER_TIMEOUT", `${host} did not answer in time. Try again later.`));
  }, options.totalTimeoutMs);
  const stop = (error: EgressError): void => {
    // Reject here too: after its connection was closed, a request emits no more events.
    reject(error);
    outgoing.destroy(error);
  };
  outgoing.on("socket", (socket) => {
    socket.once("connect", () => {
      tracer.connected(socket.remoteAddress ?? null);
      if (protocol !== "https:") clearTimeout(connectTimer);
    });
    socket.once("secureConnect", () => {
      tracer.secured();
      clearTimeout(connectTimer);
    });
  });
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => {
    tracer.answered();
    late.isBody = true;
    receive(incoming, request, (cut) => (late.cutBody = cut))
      .then((answer) => ({ ...answer, trace: tracer.end() }))
      .then(resolve, reject);
  });
  outgoing.end(request.body);
  return promise
    .catch((error: unknown) => {
      throw withTrace(error instanceof EgressError ? error : unreachable(host, error), tracer.end());
    })
    .finally(() => {
      outgoing.destroy();
      clearTimeout(connectTimer);
      clearTimeout(totalTimer);
    });
}

function withTrace(error: EgressError, trace: Trace): EgressError {
  return new EgressError(error.fault, error.message, { cause: error.cause, trace });
}

function startTrace(dnsMs: number | null) {
  const startedMs = performance.now();
  let lastMs = startedMs;
  const since = (): number => {
    const beforeMs = lastMs;
    lastMs = performance.now();
    return lastMs - beforeMs;
  };
  const seen: { -readonly [K in keyof Trace]: Trace[K] } = {
    address: null,
    dnsMs,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 0,
  };
  return {
    connected(address: string | null) {
      seen.address = address;
      seen.connectMs = since();
    },
    secured: () => void (seen.tlsMs = since()),
    answered: () => void (seen.firstByteMs = since()),
    end: (): Trace => ({ ...seen, totalMs: performance.now() - startedMs + (dnsMs ?? 0) }),
  };
}

function send(request: EgressRequest, options: ExchangeOptions): ClientRequest {
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

/** The only status of these that leads nowhere: the answer to a conditional request. */
const NOT_MODIFIED = 304;

/** @param onCut gets what ends the body where it is */
async function receive(
  incoming: IncomingMessage,
  { url, bodyLimit }: EgressRequest,
  onCut: (cut: () => void) => void,
): Promise<Omit<EgressAnswer, "trace">> {
  const status = incoming.statusCode ?? 0;
  const { host } = url;
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED) {
    throw new EgressError(
      "REDIRECTED",
      `${host} redirects to another address, and Slipway does not follow redirects.`,
    );
  }
  const bytesMax = bodyLimit.bytesOf(status);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  onCut(() => {
    isCut = true;
    incoming.destroy();
  });
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= bytesMax) continue;
      if (bodyLimit.ifLarger === "refuse")
        throw new EgressError("ANSWER_TOO_LARGE", `${host} answered with more than ${bytesMax} bytes.`);
      isCut = true;
      break;
    }
  } catch (error) {
    // The status has been read, and it is what counts where the rest may be cut.
    if (!isCut) throw error;
  }
  const body = Buffer.concat(chunks, bytes).subarray(0, bytesMax);
  return { status, headers: incoming.headers, body, isCut };
}

/** Node's network and TLS errors hold names and addresses, never headers, so they may be kept as the cause. */
function unreachable(host: string, error: unknown): EgressError {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const why = code === "" ? "" : ` (${code})`;
  if (/CERT|ISSUER|SIGNATURE|TLS|SSL|EPROTO/.test(code))
    return new EgressError("TLS_FAILED", `${host} has no trusted certificate for its name${why}.`, {
      cause: error,
    });
  return new EgressError(
    code === "ECONNRESET" || code === "" ? "CLOSED" : "UNREACHABLE",
    `${host} cannot be reached${why}. Check the address, or try again later.`,
    { cause: error },
  );
}
