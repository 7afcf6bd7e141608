/**
 * Sends requests, and retries requests that failed temporarily. Each retry of a write has the same Idempotency-Key, so the
 * write takes effect once.
 */
import {
  AbortedError,
  ApiError,
  ArgumentError,
  ConnectionError,
  RedirectError,
  SlipwayError,
  TimeoutError,
} from "./errors.ts";
import { Limit } from "./limit.ts";
import { queryText } from "./path.ts";
import { pause } from "./pause.ts";
import { proxiedFetch, unusedProxy } from "./proxy.ts";
import { pauseBeforeRetry, readRetryAfter } from "./retry.ts";

export type Logger = {
  /** Receives a line for each request and its result: never a body, a token or a value. */
  readonly debug: (message: string) => void;
};

export type ClientOptions = {
  /** The address of Slipway, such as `https://slipway.example.com`. It may have a path. */
  readonly url: string;
  /**
   * An API key, or a function that returns the token for a call (`workloadToken`). Null in a page of Slipway itself,
   * where the browser sends the cookie of the user's session.
   */
  readonly token: string | (() => Promise<string>) | null;
  /** The timeout of one attempt, including its response, in milliseconds; default 60,000. */
  readonly timeout?: number | undefined;
  /** The timeout of a call with all its attempts, in milliseconds; default no limit. */
  readonly deadline?: number | undefined;
  /** The maximum number of retries of a call; default 2. */
  readonly maxRetries?: number | undefined;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
  /** A replacement for `fetch`. Without it, Node uses the proxy of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Such as `console`. */
  readonly logger?: Logger | undefined;
};

/** The options of one call. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** As in `ClientOptions`. */
  readonly timeout?: number | undefined;
  readonly deadline?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** The options of a write. */
export type WriteOptions = CallOptions & {
  /** Generated for each call by default. Give one if your program may repeat the call after a crash. */
  readonly idempotencyKey?: string | undefined;
};

/** The options of a write that changes a resource. */
export type ChangeOptions = WriteOptions & {
  /** The `etag` of the state that you want to change. If the resource has changed since, the call is refused with
   * `PRECONDITION_FAILED`. */
  readonly ifMatch?: string | undefined;
};

/** The request that a call sends. */
export type Call = {
  readonly method: string;
  /** The path below the client's address; begins with a slash. */
  readonly path: string;
  readonly query?: object | undefined;
  /** Sent as JSON. A text or bytes are sent unchanged, with the `content-type` of the call's headers. */
  readonly body?: unknown;
};

/** A response: its data, and the values of its headers. */
export type Answer<T> = {
  readonly data: T;
  /** Its body has been read. */
  readonly response: Response;
  readonly requestId: string | null;
  readonly etag: string | null;
  /** Whether it is the saved response to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
};

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;
const JSON_TYPE = "application/json";

export class Transport {
  /** Without a slash at the end. */
  readonly url: string;
  /** Of one try, in milliseconds. */
  readonly timeout: number;
  readonly #token: ClientOptions["token"];
  readonly #options: ClientOptions;

  /** @throws ArgumentError for an invalid address or token */
  constructor(options: ClientOptions) {
    this.url = readUrl(options.url);
    this.#token = typeof options.token === "string" ? readToken(options.token) : options.token;
    this.#options = options;
    this.timeout = options.timeout ?? TIMEOUT_MS;
  }

  /** Sends a call and reads its answer. A 304 has no data. @throws SlipwayError */
  async call<T>(call: Call, options: ChangeOptions = {}): Promise<Answer<T>> {
    return await this.#repeat(call, options, async (response, limit) => {
      const text = await response.text();
      limit.release();
      const { headers } = response;
      return {
        data: readBody(text, response, this.#headersOf(call, options).get("accept") ?? "") as T,
        response,
        requestId: headers.get("x-request-id"),
        etag: headers.get("etag"),
        replayed: headers.get("idempotent-replayed") === "true",
      };
    });
  }

  /** Sends a call and leaves its answer to be read. @returns the body, and what ends it; the limit has to be released */
  async open(
    call: Call,
    options: CallOptions,
  ): Promise<{ readonly response: Response; readonly limit: Limit }> {
    return await this.#repeat(call, options, async (response, limit) => Promise.resolve({ response, limit }));
  }

  /** Resolves after a time, or at once when the call or the client is aborted. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await pause(ms, signal, this.#options.signal);
  }

  /** The error that a failure while reading an answer is. */
  errorOf(error: unknown, limit: Limit): SlipwayError {
    if (error instanceof SlipwayError) return error;
    const cause = { cause: error };
    const { abortedBy } = limit;
    if (abortedBy !== null) {
      const reason: unknown = abortedBy.reason;
      const why = reason instanceof Error ? reason.message : "The call was aborted.";
      return new AbortedError(why, { cause: reason });
    }
    if (limit.isTimedOut) return new TimeoutError(`${this.url} did not answer in time.`, cause);
    const { message, cause: inner } = error as Error;
    const why = inner instanceof Error && inner.message !== "" ? inner.message : message;
    const unused = this.#options.fetch === undefined ? unusedProxy() : null;
    return new ConnectionError(
      `${this.url} does not answer: ${why}${unused === null ? "" : ` ${unused}`}`,
      cause,
    );
  }

  async #repeat<T>(
    call: Call,
    options: ChangeOptions,
    read: (response: Response, limit: Limit) => Promise<T>,
  ): Promise<T> {
    const signals = [options.signal, this.#options.signal].filter((signal) => signal !== undefined);
    const deadlineMs = options.deadline ?? this.#options.deadline ?? Number.POSITIVE_INFINITY;
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES;
    const endsAt = performance.now() + deadlineMs;
    const address = this.#addressOf(call);
    const headers = this.#headersOf(call, withKey(call, options));
    const init = {
      method: call.method,
      headers,
      ...(call.body === undefined ? {} : { body: bodyOf(call.body) }),
      redirect: "manual",
      // Reads are made conditional by the caller. A browser's cache would answer them one at a time.
      cache: "no-store",
      credentials: this.#token === null ? "same-origin" : "omit",
    } as const;
    for (let retries = 0; ; retries += 1) {
      const leftMs = endsAt - performance.now();
      const limit = new Limit(signals);
      try {
        limit.arm(Math.min(options.timeout ?? this.timeout, leftMs));
        const token = typeof this.#token === "function" ? readToken(await this.#token()) : this.#token;
        if (token !== null) headers.set("authorization", `Bearer ${token}`);
        return await read(await this.#try(address, init, limit), limit);
      } catch (thrown) {
        limit.abort();
        const error = this.errorOf(thrown, limit);
        const pauseMs = retries < maxRetries ? pauseBeforeRetry(error, retries, Math.random()) : null;
        if (pauseMs === null || performance.now() + pauseMs >= endsAt) throw error;
        this.#log(`${call.method} ${call.path}: ${error.message} Again in ${Math.round(pauseMs)} ms`);
        await pause(pauseMs, ...signals);
      }
    }
  }

  async #try(address: string, init: RequestInit & { method: string }, limit: Limit): Promise<Response> {
    const startedAt = performance.now();
    const send = this.#options.fetch ?? proxiedFetch;
    const response = await send(address, { ...init, signal: limit.signal });
    const { status, type, headers } = response;
    this.#log(
      `${init.method} ${address} answered ${status} in ${Math.round(performance.now() - startedAt)} ms`,
    );
    if (response.ok || status === 304) return response;
    // A browser does not say where it leads.
    if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
      const target = headers.get("location") ?? "another address";
      throw new RedirectError(
        `${this.url} redirects to ${target}, where the token is not sent. Give the address of Slipway itself as url.`,
      );
    }
    throw new ApiError(status, readProblem(await response.text()), {
      requestId: headers.get("x-request-id"),
      retryAfter: readRetryAfter(headers.get("retry-after"), Date.now()),
    });
  }

  #addressOf({ path, query = {} }: Call): string {
    const address = `${this.url}${path}${queryText(query as Readonly<Record<string, unknown>>)}`;
    // Something like `@elsewhere` would make another host of ours.
    if (!path.startsWith("/") || new URL(address).origin !== new URL(this.url).origin)
      throw new ArgumentError(`The path ${JSON.stringify(path)} must begin with a slash.`);
    return address;
  }

  #headersOf(call: Call, options: ChangeOptions): Headers {
    const headers = new Headers({ accept: JSON_TYPE, ...options.headers });
    if (call.body !== undefined && !headers.has("content-type")) headers.set("content-type", JSON_TYPE);
    if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey);
    if (options.ifMatch !== undefined) headers.set("if-match", options.ifMatch);
    return headers;
  }

  #log(message: string): void {
    this.#options.logger?.debug(message);
  }
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** `fetch` would show it in its error. */
function readToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ArgumentError("The token is empty, or has characters that no API key has.");
}

/** A write has a key, which all its tries share. */
function withKey(call: Call, options: ChangeOptions): ChangeOptions {
  if (call.method === "GET" || call.method === "HEAD" || options.idempotencyKey !== undefined) return options;
  return { ...options, idempotencyKey: randomText() };
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages that were loaded without TLS. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ArgumentError("url must be the address of Slipway, such as https://slipway.example.com.");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new ArgumentError("url must have no user name, password, query or fragment.");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** @throws ConnectionError for an answer of something else than Slipway */
function readBody(text: string, { status, headers }: Response, accept: string): unknown {
  if (text === "" || status === 304) return undefined;
  if (!accept.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const type = headers.get("content-type") ?? "nothing that says what it is";
    throw new ConnectionError(`The answer is not JSON, but ${type}. Is url the address of Slipway?`, {
      cause,
    });
  }
}

/** A proxy may answer with a page of its own, of which only the status is of use. */
function readProblem(text: string): Readonly<Record<string, unknown>> {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === "object" && problem !== null ? { ...problem } : {};
  } catch {
    return {};
  }
}
