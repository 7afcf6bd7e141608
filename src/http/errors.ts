import { declareErrors } from "../lib/errors.ts";

export const HTTP_ERRORS = declareErrors({
  INVALID_CURSOR: {
    status: 400,
    title: "The cursor does not belong to this list",
    cause:
      "A cursor goes on where one list, with one order and the same filters, left off. This one comes from another list, order or filter, was changed on its way, or is older than the installation's key.",
    remedy:
      "Leave `cursor` out to begin at the first page; keep everything but `limit` as it was when you go on.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    cause: "A body may have 1 MiB at most.",
    remedy: "Split the request.",
    example: { detail: "The body is larger than 1 MiB. Split the request." },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: "The headers are too large",
    cause: "The headers of a request may have 16 KiB at most.",
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
    title: "The body is not plain JSON",
    cause:
      "The Content-Type is not application/json, names another charset than UTF-8, or the body has a Content-Encoding.",
    remedy: "Send `Content-Type: application/json`, the body in UTF-8 and not compressed.",
    example: { detail: "Send the body as application/json." },
  },
  UNAUTHENTICATED: {
    status: 401,
    title: "No valid API key",
    cause: "The Authorization header is missing or malformed, or its key is mistyped, unknown or revoked.",
    remedy: "Send `Authorization: Bearer <API_KEY>` with a key that exists.",
    example: {
      detail: "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
    },
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: "No such endpoint",
    cause: "There is no endpoint of this path.",
    remedy: "See /docs for the endpoints.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "The endpoint has no such method",
    cause: "The path exists, but not with this method.",
    remedy: "The Allow header lists the methods it has.",
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    cause: "This API key has used up its requests for now.",
    remedy: "Wait as long as Retry-After says, and slow down by the RateLimit header.",
    example: { detail: "This API key has no requests left. Try again in 2 s." },
  },
  BODIES_IN_FLIGHT: {
    status: 429,
    title: "Too many bytes at once",
    cause:
      "The bodies of your organization's requests that are on their way at this moment, or of all requests without a key from your address, have too many bytes together.",
    remedy: "Wait as long as Retry-After says, and send fewer requests at the same time.",
  },
  TOO_MANY_HELD: {
    status: 429,
    title: "Too many requests are held open",
    cause:
      "This API key, or all keys of the organization together, have as many reads that wait (`Prefer: wait`) and streams of events open as they may. A stream counts as ten.",
    remedy:
      "Close what is not needed, or ask without `Prefer: wait`; an operator can raise SLIPWAY_HELD_PER_KEY and SLIPWAY_HELD_PER_ORGANIZATION.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: "The idempotency key belongs to another request",
    cause:
      "This Idempotency-Key of yours came before with another method, path or body. Bodies are compared as JSON: the order of members and white space do not matter.",
    remedy: "Use a new key for each new request; repeat a request with all of it unchanged.",
  },
  IDEMPOTENCY_KEY_IN_PROGRESS: {
    status: 409,
    title: "The first request of this idempotency key is still running",
    cause: "Two requests with one Idempotency-Key arrived at the same time.",
    remedy: "Wait as long as Retry-After says and repeat it; the answer of the first will be replayed.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: "The resource has changed",
    cause:
      "The request said by `If-Match` which state it is meant for, and the resource is in another one. Nothing was done. A weak tag (`W/…`) never matches (RFC 9110, section 13.1.1).",
    remedy: "Read the resource, decide again, and send the request with the ETag that it has now.",
    example: {
      detail:
        "The resource is in another state than If-Match names; nothing was done. Read it, and send the request with its ETag.",
    },
  },
  OVERLOADED: {
    status: 503,
    title: "Too many requests at once",
    cause:
      "More requests wait for the database than this process can soon answer, or more bytes of bodies are on their way than it may keep, so that new ones are refused. Nothing was done.",
    remedy:
      "Try again after the time of Retry-After, and send fewer at once; an operator can add API processes.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: "The database does not answer",
    cause:
      "The service cannot reach its database at the moment. Usually nothing was changed; where the connection broke in the moment of saving, the change may stand.",
    remedy:
      "Try again after the time of Retry-After, with the same Idempotency-Key, so that nothing is done twice; /readyz tells when it is back.",
    example: { detail: "The database does not answer. Try again, with the same Idempotency-Key." },
  },
  INTERNAL: {
    status: 500,
    title: "Something went wrong on our side",
    cause: "A defect. The log holds the details under the requestId.",
    remedy: "Try again; if it stays, give the operator the requestId.",
    example: { detail: "Something went wrong on our side. The log has the details under this requestId." },
  },
});
