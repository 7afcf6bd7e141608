import { declareErrors } from "../lib/errors.ts";

export const HTTP_ERRORS = declareErrors({
  INVALID_CURSOR: {
    status: 400,
    title: "The cursor does not belong to this list",
    cause:
      "A cursor is only valid for the same list with the same order and filters. This one is from another list, order or filter, was changed, or is older than the installation's key.",
    remedy:
      "Omit `cursor` to start at the first page. For the next pages, change no parameter except `limit`.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    cause: "A body may have at most 1 MiB, or 5 MiB for a git host's delivery.",
    remedy: "Split the request.",
    example: { detail: "The body is larger than 1 MiB. Split the request." },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: "The headers are too large",
    cause: "The headers of a request may have at most 16 KiB.",
    remedy: "Send fewer or shorter headers; cookies are not needed.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: "The request did not arrive in time",
    cause: "The headers took longer than 10 s to arrive, or the whole request longer than 30 s.",
    remedy: "Send it again over a faster connection.",
    example: { detail: "The request did not arrive in time." },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "The body is not declared as plain JSON",
    cause:
      "The Content-Type is not application/json, names a charset other than UTF-8, or the body has a Content-Encoding.",
    remedy: "Send `Content-Type: application/json`, with the body in UTF-8 and not compressed.",
    example: { detail: "Send the body as application/json." },
  },
  UNAUTHENTICATED: {
    status: 401,
    title: "No valid API key",
    cause: "The Authorization header is missing or malformed, or its key is mistyped, unknown or revoked.",
    remedy: "Send `Authorization: Bearer <API_KEY>` with a valid key.",
    example: {
      detail: "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
    },
  },
  API_KEY_EXPIRED: {
    status: 401,
    title: "The API key has expired",
    cause: "The key is valid, but its `expiresAt` has passed.",
    remedy: "Use another key. An admin creates one with `POST /v1/api-keys`.",
  },
  WORKLOAD_TOKEN_ENDED: {
    status: 401,
    title: "The workload's token has expired",
    cause: "The token that Slipway gave the workload is older than 15 minutes, or its trust was deleted.",
    remedy: "Exchange a new token of the workload: `POST /v1/auth/workload-token`.",
  },
  SESSION_ENDED: {
    status: 401,
    title: "The session has ended",
    cause:
      "The request has a session's cookie, but that session was signed out or revoked, was idle for too long, is too old, or its user or its API key was deleted.",
    remedy: "Sign in again.",
  },
  CROSS_SITE_REFUSED: {
    status: 403,
    title: "The request came from another site",
    cause:
      "The request has a session's cookie, and the browser says that another site's page sent it (`Sec-Fetch-Site`, `Origin`); or it is a write without these headers.",
    remedy:
      "Use Slipway's own console, or send an API key instead of the cookie. Behind a proxy, `SLIPWAY_PUBLIC_URL` must be the address that browsers use.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: "No such endpoint",
    cause: "There is no endpoint with this path.",
    remedy: "See /docs for the endpoints.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "The endpoint has no such method",
    cause: "The path exists, but not with this method.",
    remedy: "The Allow header lists the allowed methods.",
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    cause: "The API key, session or workload has used up its requests for now.",
    remedy: "Wait as long as Retry-After says, and use the RateLimit header to slow down.",
    example: { detail: "The caller may send 12000 requests per minute. Try again in 5 s." },
  },
  BODIES_IN_FLIGHT: {
    status: 429,
    title: "The bodies in flight are too large",
    cause:
      "The request bodies that your organization is sending at the moment are too large in total. Requests without an API key are counted by address.",
    remedy: "Wait as long as Retry-After says, and send fewer requests at the same time.",
  },
  TOO_MANY_HELD: {
    status: 429,
    title: "Too many requests are held open",
    cause:
      "The API key, session or workload, or all of the organization together, have reached the limit of open waiting reads (`Prefer: wait`) and event streams. A stream counts as ten.",
    remedy:
      "Close what is not needed, or read without `Prefer: wait`. An operator can raise SLIPWAY_HELD_PER_KEY and SLIPWAY_HELD_PER_ORGANIZATION.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: "The idempotency key belongs to another request",
    cause:
      "You used this Idempotency-Key before with another method, path or body. Bodies are compared as JSON: the order of keys and white space do not matter.",
    remedy: "Use a new key for each new request. Repeat a request without changes.",
  },
  IDEMPOTENCY_KEY_IN_PROGRESS: {
    status: 409,
    title: "The first request with this idempotency key is still running",
    cause: "Two requests with one Idempotency-Key arrived at the same time.",
    remedy:
      "Wait as long as Retry-After says and repeat the request. You then get the response of the first request.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: "The resource has changed",
    cause:
      "The resource has changed since the state that the request's `If-Match` names. Nothing was done. A weak tag (`W/…`) never matches (RFC 9110, section 13.1.1).",
    remedy: "Read the resource, decide again, and send the request with the current ETag.",
    example: {
      detail:
        "The resource has changed since the state in If-Match. Nothing was done. Read it, then send the request with its current ETag.",
    },
  },
  OVERLOADED: {
    status: 503,
    title: "Too many requests at once",
    cause:
      "More requests wait for the database than this process can answer in time, or their bodies need more memory than it may use. The process refuses new requests. Nothing was done.",
    remedy:
      "Try again after `Retry-After`, and send fewer requests at once. An operator can add API processes.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: "The database does not answer",
    cause:
      "The service cannot reach its database at the moment, or the database's disk is full, and `detail` says which. Nothing was changed.",
    remedy:
      "Try again after `Retry-After`, with the same Idempotency-Key so that nothing is done twice. /readyz shows when the database is back. If its disk is full, reads are still answered; the operator has to free space, and no restart is needed.",
    example: { detail: "The database does not answer. Try again, with the same Idempotency-Key." },
  },
  OUTCOME_UNKNOWN: {
    status: 503,
    title: "Whether the change was made is not known",
    cause:
      "The database did not confirm the change in time: the connection broke while it was saved, or the database waits for its standby. The change may have been made, or may be made later.",
    remedy:
      "Repeat the request after `Retry-After`, unchanged and with the same Idempotency-Key: if the change was made, you get the first response; otherwise, it is made now. Before you repeat a request without a key, read whether the change was made.",
  },
  INTERNAL: {
    status: 500,
    title: "Something went wrong on our side",
    cause: "Slipway has a bug. The log has the details under the requestId.",
    remedy: "Try again. If the error persists, give the requestId to the operator.",
    example: { detail: "Something went wrong on our side. The log has the details under this requestId." },
  },
});
