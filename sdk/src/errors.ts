import type { ErrorCode, Fault, Problem } from "./generated/types.ts";

/** An argument is invalid. Nothing was sent. */
export class ArgumentError extends TypeError {}

/** The base class of all errors of a call. */
export abstract class SlipwayError extends Error {}

/** The response has an error status: the request was refused, or the service failed. */
export class ApiError extends SlipwayError {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  /** The error code, for programs. Null if a proxy before Slipway responded. A newer server may have further codes. */
  readonly code: ErrorCode | null;
  /** The problem and the remedy, for people. */
  readonly detail: string;
  /** Every fault of an invalid request. */
  readonly errors: readonly Fault[];
  /** The id of the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry, if the response has them. */
  readonly retryAfter: number | null;
  /** The whole problem document, with the members that only some codes have. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    problem: Readonly<Record<string, unknown>>,
    said: { readonly requestId: string | null; readonly retryAfter: number | null },
  ) {
    const { code, title, detail, errors, requestId } = problem as Partial<Problem>;
    const sentence = detail ?? title ?? `A proxy before Slipway answered ${status}.`;
    super(code === undefined ? sentence : `${sentence} (${code})`);
    this.status = status;
    this.code = code ?? null;
    this.detail = sentence;
    this.errors = errors ?? [];
    this.requestId = requestId ?? said.requestId;
    this.retryAfter = said.retryAfter;
    this.problem = problem;
  }
}

/** There was no response, or it was cut off. `cause` has the error of `fetch`. */
export class ConnectionError extends SlipwayError {
  override readonly name = "ConnectionError";
}

/** There was no complete response in time. */
export class TimeoutError extends SlipwayError {
  override readonly name = "TimeoutError";
}

/** The caller's `signal` was aborted; `cause` is its reason. A request that was sent may still take effect. */
export class AbortedError extends SlipwayError {
  override readonly name = "AbortedError";
}

/** The response redirects to another address. The client does not follow it, because it would send the token there. */
export class RedirectError extends SlipwayError {
  override readonly name = "RedirectError";
}

/** The resource did not reach the awaited state in time. It may still do so: nothing was cancelled. */
export class WaitTimeoutError<T = unknown> extends SlipwayError {
  override readonly name = "WaitTimeoutError";
  /** The resource as it was last read; null if it was never read. */
  readonly last: T | null;

  constructor(message: string, last: T | null) {
    super(message);
    this.last = last;
  }
}

/** The resource ended in another state than the awaited one, and will not leave it automatically. */
export class WaitFailedError<T = unknown> extends SlipwayError {
  override readonly name = "WaitFailedError";
  /** The resource as it ended. */
  readonly last: T;

  constructor(message: string, last: T) {
    super(message);
    this.last = last;
  }
}

/** A webhook delivery was not signed with any of the secrets, or not within the last five minutes. */
export class SignatureError extends SlipwayError {
  override readonly name = "SignatureError";
}

/** A line of a `.env` file is invalid. */
export class DotenvError extends SlipwayError {
  override readonly name = "DotenvError";
  /** The number of the line, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.line = line;
  }
}
