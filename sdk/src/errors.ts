import type { ErrorCode, Fault, Problem } from "./generated/types.ts";

/** An argument that cannot be sent: nothing was. */
export class ArgumentError extends TypeError {}

/** What every error of an answer, or of none, is. */
export abstract class SlipwayError extends Error {}

/** An answer that says why the request was refused, or that the service could not do it. */
export class ApiError extends SlipwayError {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  /** Why, for programs. Null if something between here and Slipway answered. A newer server may have further codes. */
  readonly code: ErrorCode | null;
  /** Explains to people what is wrong and what to do. */
  readonly detail: string;
  /** Every fault of an invalid request. */
  readonly errors: readonly Fault[];
  /** Names the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds after which the request may be repeated, if the answer says so. */
  readonly retryAfter: number | null;
  /** The whole problem document, with the members that only some codes have. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    problem: Readonly<Record<string, unknown>>,
    said: { readonly requestId: string | null; readonly retryAfter: number | null },
  ) {
    const { code, title, detail, errors, requestId } = problem as Partial<Problem>;
    const sentence = detail ?? title ?? `Something between here and Slipway answered ${status}.`;
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

/** There was no answer, or it broke off. `cause` has the reason of `fetch`. */
export class ConnectionError extends SlipwayError {
  override readonly name = "ConnectionError";
}

/** There was no whole answer in time. */
export class TimeoutError extends SlipwayError {
  override readonly name = "TimeoutError";
}

/** The caller's `signal` was aborted; `cause` is its reason. A request that was sent may still take effect. */
export class AbortedError extends SlipwayError {
  override readonly name = "AbortedError";
}

/** The answer leads to another address. It is not followed, because the token would be sent there. */
export class RedirectError extends SlipwayError {
  override readonly name = "RedirectError";
}

/** The resource has not reached the awaited state in time. It may still do so: nothing was cancelled. */
export class WaitTimeoutError<T = unknown> extends SlipwayError {
  override readonly name = "WaitTimeoutError";
  /** As it was last; null if it was never read. */
  readonly last: T | null;

  constructor(message: string, last: T | null) {
    super(message);
    this.last = last;
  }
}

/** The resource has ended in another state than the awaited one, and will not leave it automatically. */
export class WaitFailedError<T = unknown> extends SlipwayError {
  override readonly name = "WaitFailedError";
  /** As it ended. */
  readonly last: T;

  constructor(message: string, last: T) {
    super(message);
    this.last = last;
  }
}

/** A delivery of a webhook was not signed with any of the secrets, or not just now. */
export class SignatureError extends SlipwayError {
  override readonly name = "SignatureError";
}

/** A line of a `.env` file is not as it must be. */
export class DotenvError extends SlipwayError {
  override readonly name = "DotenvError";
  /** Its number, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.line = line;
  }
}
