/** What went wrong, in a person's words: what failed, why, and what to do. Pure. */
import { AbortedError, ApiError, SlipwayError, TimeoutError } from "../../../sdk/src/errors.ts";
import type { Fault } from "../../../sdk/src/generated/types.ts";

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

/** Input that is invalid before it is sent. Its faults are shown like those of the API. */
export class InputError extends Error {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super("Invalid input.");
    this.faults = faults;
  }
}

/** What a user of the console has to do, for codes whose message does not say it. */
const NEXT: Readonly<Record<string, string>> = {
  ROLE_TOO_LOW: "Ask an admin of your organization to do it, or to give you a higher role.",
  PRECONDITION_FAILED: "It was changed in the meantime. Check its present state, then try again.",
  RATE_LIMITED: "Wait a minute, then try again.",
  OVERLOADED: "Try again in a moment.",
  DATABASE_UNAVAILABLE: "Try again in a moment. If this continues, contact your administrator.",
  INTERNAL: "Try again. If this continues, send the request's id to your administrator.",
  NOT_FOUND: "It was deleted, or belongs to another organization.",
  UNAUTHENTICATED: "Sign in again.",
};

/** Refusals that are about one field, although the API names none: they are shown there. */
const FIELDS: Readonly<Record<string, string>> = {
  WEBHOOK_URL_REFUSED: "/url",
  EMAIL_NOT_CONFIGURED: "/kind",
  EMAIL_TAKEN: "/email",
  GIVEN_ID_TAKEN: "/givenId",
  BRANCH_NOT_FOUND: "/branch",
  REPOSITORY_NOT_FOUND: "/repoUrl",
  REPOSITORY_DENIED: "/repoUrl",
  REPOSITORY_USER_DENIED: "/repoUrl",
  CONFIG_FILE_NOT_FOUND: "/configFilePath",
  AWS_ACCOUNT_NOT_CONNECTED: "/awsAccountId",
};

/** The API's fault in a whole sentence: its message names the values that would be right. */
export function tellFault({ message }: Pick<Fault, "message">): string {
  // No person reads a pattern.
  if (/\bmatch(?:es)? \S*\^/.test(message)) return "Some characters are not allowed here.";
  return sentence(
    /^(?:is|has|must|may|can|contains|begins|ends|needs|follows|does)\b/.test(message)
      ? `it ${message}`
      : message,
  );
}

/** A refusal begins in the middle of a sentence, after the place that it is about. */
function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** Where a fault is, such as `Code source › host` for `/codeSource/host`. @param path a JSON Pointer */
export function tellPlace(path: string): string {
  const steps = segmentsOf(path).map((step) =>
    /^\d+$/.test(step)
      ? `entry ${Number(step) + 1}`
      : /^[a-z][a-z]*(?:[A-Z][a-z]*)+$/.test(step)
        ? step.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        : step,
  );
  const place = steps.join(" › ");
  return place.charAt(0).toUpperCase() + place.slice(1);
}

/** A place in a file of JSON, such as `environments[0].region` for `/environments/0/region`. @param path a JSON Pointer */
export function tellFilePlace(path: string): string {
  const place = segmentsOf(path).map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
  );
  return place.join("").replace(/^\./, "");
}

function segmentsOf(path: string): readonly string[] {
  return path
    .split("/")
    .filter((step, index) => index > 0 || step !== "")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** @param error what a call of the API threw; anything else is a bug of the console */
export function tellError(error: unknown): Said {
  const none = { code: null, help: null, requestId: null, faults: [] };
  if (error instanceof ApiError) return tellApiError(error);
  if (error instanceof InputError)
    return { ...none, title: "Invalid input", cause: null, next: null, faults: error.faults };
  if (error instanceof TimeoutError)
    return {
      ...none,
      title: "Slipway took too long to answer",
      cause: "The change may have been made.",
      next: "Check whether it was, then try again.",
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
    title: "Internal error of the console",
    cause: error instanceof Error ? error.message : String(error),
    next: "Reload the page. If this continues, contact your administrator.",
  };
}

function tellApiError({ status, code, errors, requestId, problem, detail }: ApiError): Said {
  const { title, type } = problem as { readonly title?: string; readonly type?: string };
  const field = errors.length > 0 || code === null ? undefined : FIELDS[code];
  const faults: readonly Fault[] =
    field === undefined || code === null ? errors : [{ path: field, code: "INVALID", message: detail }];
  const isSaidByFaults = faults.some(({ message }) => detail.includes(message));
  return {
    title: title ?? `The server answered ${status}`,
    cause: isSaidByFaults ? null : detail,
    next: code === null ? null : (NEXT[code] ?? null),
    code,
    help: type !== undefined && /^\/(?:docs|sandbox)\/errors\//.test(type) ? type : null,
    requestId,
    faults,
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
