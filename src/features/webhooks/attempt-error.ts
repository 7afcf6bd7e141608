/** Why an attempt failed, for the delivery log: what it means, and what to do. Pure. */
import type { EgressFault } from "../../egress/egress-error.ts";

export const ATTEMPT_ERRORS = {
  ADDRESS_REFUSED: {
    message: "The host does not resolve, or resolves to an address that is not public.",
    action: "Check the DNS records of the host.",
  },
  CONNECT_TIMEOUT: {
    message: "No connection within 5 seconds.",
    action: "Check that the receiver is running and that its firewall lets connections in.",
  },
  CONNECTION_REFUSED: {
    message: "The host refuses connections.",
    action: "Check that the receiver is running, and the port of the URL.",
  },
  TLS_FAILED: {
    message: "The host has no trusted certificate for its name.",
    action: "Renew the receiver's certificate, and serve its whole chain.",
  },
  CONNECTION_CLOSED: {
    message: "The connection was closed before the answer.",
    action: "Check the log of the receiver and of the proxies in front of it.",
  },
  ANSWER_TIMEOUT: {
    message: "No answer within 15 seconds.",
    action: "Answer first, with 2xx, and do the work afterwards.",
  },
  REDIRECTED: {
    message: "The receiver redirects. Redirects are not followed.",
    action: "Set the endpoint's URL to where the redirect leads.",
  },
  GONE: {
    message: "The receiver answered 410, which disables the endpoint.",
    action: "If it was a mistake, correct the receiver and enable the endpoint.",
  },
  REFUSED: {
    message: "The receiver refuses the request.",
    action: "Check the receiver's verification of the signature, and the additional headers.",
  },
  NOT_FOUND: {
    message: "The receiver does not know this path.",
    action: "Check the path of the endpoint's URL.",
  },
  TOO_LARGE: {
    message: "The receiver finds the request too large.",
    action: "Accept bodies of at least 64 KiB.",
  },
  RATE_LIMITED: {
    message: "The receiver gets too many requests.",
    action: "Set `maxPerSecond` of the endpoint.",
  },
  SERVER_ERROR: {
    message: "The receiver failed.",
    action: "Check the receiver's log. The body of its answer may have details.",
  },
  UNEXPECTED_STATUS: {
    message: "The receiver answered with another status than 2xx.",
    action: "Answer 2xx once the event is accepted.",
  },
} as const;
export type AttemptErrorCode = keyof typeof ATTEMPT_ERRORS;

const OF_FAULT: Readonly<Record<EgressFault, AttemptErrorCode>> = {
  SCHEME_REFUSED: "ADDRESS_REFUSED",
  ADDRESS_REFUSED: "ADDRESS_REFUSED",
  NAME_UNRESOLVED: "ADDRESS_REFUSED",
  CONNECT_TIMEOUT: "CONNECT_TIMEOUT",
  ANSWER_TIMEOUT: "ANSWER_TIMEOUT",
  TLS_FAILED: "TLS_FAILED",
  UNREACHABLE: "CONNECTION_REFUSED",
  CLOSED: "CONNECTION_CLOSED",
  REDIRECTED: "REDIRECTED",
  ANSWER_TOO_LARGE: "UNEXPECTED_STATUS",
};

export const errorOfFault = (fault: EgressFault): AttemptErrorCode => OF_FAULT[fault];

/** Null for 2xx. */
export function errorOfStatus(status: number): AttemptErrorCode | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 500) return "SERVER_ERROR";
  switch (status) {
    case 401:
    case 403:
      return "REFUSED";
    case 404:
      return "NOT_FOUND";
    case 410:
      return "GONE";
    case 413:
      return "TOO_LARGE";
    case 429:
      return "RATE_LIMITED";
    default:
      return "UNEXPECTED_STATUS";
  }
}

/** What the log shows; null for a success. */
export function describeAttemptError(code: string | null) {
  return describeIn(ATTEMPT_ERRORS, code);
}

/** The sentences of a table for a code; null for none. */
export function describeIn<Sentences>(table: Readonly<Record<string, Sentences>>, code: string | null) {
  const known = Object.entries(table).find(([name]) => name === code);
  return known === undefined ? null : { code: known[0], ...known[1] };
}
