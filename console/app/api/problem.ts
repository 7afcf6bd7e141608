/** What went wrong, in a person's words: what failed, why, and what to do. Pure. */
import { AbortedError, ApiError, SlipwayError, TimeoutError } from "../../../sdk/src/errors.ts";
import type { Fault, FaultCode } from "../../../sdk/src/generated/types.ts";

export type Said = {
  readonly title: string;
  /** Null if the title and the faults say it all. */
  readonly cause: string | null;
  readonly next: string | null;
  readonly code: string | null;
  /** The page about the code; null if there is none. */
  readonly help: string | null;
  readonly requestId: string | null;
  readonly faults: readonly Fault[];
};

/** What somebody typed cannot be sent. The faults are said as those of the API. */
export class InputError extends Error {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super("What was typed cannot be sent.");
    this.faults = faults;
  }
}

/** What to do, for codes whose sentence does not say it for somebody before a console. */
const NEXT: Readonly<Record<string, string>> = {
  ROLE_TOO_LOW: "Ask an admin of your organization to do it, or to give you a higher role.",
  PRECONDITION_FAILED: "Somebody changed it meanwhile. Look at it as it is now, then try again.",
  RATE_LIMITED: "Wait a minute, then try again.",
  OVERLOADED: "Try again in a moment.",
  DATABASE_UNAVAILABLE: "Try again in a moment. If it stays, tell whoever runs Slipway.",
  INTERNAL: "Try again. If it stays, give the request's id to whoever runs Slipway.",
  NOT_FOUND: "It was deleted, or belongs to another organization.",
  UNAUTHENTICATED: "Sign in again.",
};

/** What the API's codes of faults mean at a field. */
const FAULTS: Readonly<Partial<Record<FaultCode, string>>> = {
  REQUIRED: "This is needed.",
  TOO_SMALL: "This must not be empty.",
  TOO_LONG: "This is too long.",
  LABEL_TOO_LONG: "A part between two dots is longer than 63 characters.",
  WRONG_TYPE: "This has the wrong form.",
  CANNOT_CHANGE: "This cannot be changed any more.",
  DUPLICATE: "This is given twice.",
  IP_ADDRESS: "This is an address of a machine. Give a domain name.",
  NOT_A_DOMAIN: "This is no domain name. It looks like www.example.com.",
  PUBLIC_SUFFIX: "Names below this ending belong to everybody. Give one of yours, such as example.com.",
  SINGLE_LABEL: "A domain name has at least one dot, such as example.com.",
  SPECIAL_USE: "This ending is reserved and cannot be reached from the internet.",
  UNDERSCORE: "A domain name that is served must not contain an underscore.",
  WILDCARD_MISPLACED: "A star must be the whole first part, as in *.example.com.",
  URL_NOT_HTTPS: "The address must begin with https://.",
  URL_WITH_CREDENTIALS: "The address must not contain a user name or a password.",
  TIMES_REVERSED: "The end is before the beginning.",
};

/** Faults of a form such as `must match ^[a-z]…`, which no person reads. */
const WRONG_FORM = "Some characters are not allowed here.";

/** A fault in a person's words. */
export function tellFault({ code, message }: Fault): string {
  const words = FAULTS[code];
  if (words !== undefined) return words;
  if (code === "WRONG_FORM") return /must match/.test(message) ? WRONG_FORM : sentence(message);
  return sentence(message);
}

/** A refusal begins in the middle of a sentence, after the place that it is about. */
function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** @param error what a call of the API threw; anything else is a bug of the console */
export function tellError(error: unknown): Said {
  const none = { code: null, help: null, requestId: null, faults: [] };
  if (error instanceof ApiError) return tellApiError(error);
  if (error instanceof InputError)
    return { ...none, title: "Something has to be changed", cause: null, next: null, faults: error.faults };
  if (error instanceof TimeoutError)
    return {
      ...none,
      title: "Slipway took too long to answer",
      cause: "It may have done what was asked all the same.",
      next: "Look whether it did, then try again.",
    };
  if (error instanceof AbortedError) return { ...none, title: "This was stopped", cause: null, next: null };
  if (error instanceof SlipwayError)
    return {
      ...none,
      title: "Slipway does not answer",
      cause: "There was no response.",
      next: "Check your connection and that Slipway is running, then try again.",
    };
  return {
    ...none,
    title: "The console made a mistake",
    cause: error instanceof Error ? error.message : String(error),
    next: "Reload the page. If it stays, tell whoever runs Slipway.",
  };
}

function tellApiError({ status, code, errors, requestId, problem, detail }: ApiError): Said {
  const { title, type } = problem as { readonly title?: string; readonly type?: string };
  const isSaidByFaults = errors.some(({ message }) => detail.includes(message));
  return {
    title: title ?? `The server answered ${status}`,
    cause: isSaidByFaults ? null : detail,
    next: code === null ? null : (NEXT[code] ?? null),
    code,
    help: type !== undefined && /^\/(?:docs|sandbox)\/errors\//.test(type) ? type : null,
    requestId,
    faults: errors,
  };
}

/** Whether the error says that something is not there, or not for this caller. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the error says that the caller may not do it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
