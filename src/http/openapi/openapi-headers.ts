type Header = { readonly description: string; readonly schema: object; readonly example: unknown };

/** The response headers, as components. */
export const HEADERS: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "Names this request in the log; give it when you ask for help.",
    schema: { type: "string", format: "uuid" },
    example: "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
  },
  "Retry-After": {
    description:
      "Seconds after which to try again. With 408, 429, 503, and with 409 where a request still runs or something is being deleted.",
    schema: { type: "integer" },
    example: 2,
  },
  ETag: {
    description:
      "Names this state; send it as If-None-Match, or as If-Match with a change that is meant for it.",
    schema: { type: "string" },
    example: '"Yk3Zk4bFq0uXw2k5m7l8v9n0p1Q"',
  },
  "Cache-Control": {
    description: "Ask again before using a copy.",
    schema: { type: "string", const: "private, no-cache" },
    example: "private, no-cache",
  },
  "Preference-Applied": {
    description: "Present when `Prefer: wait` was honoured.",
    schema: { type: "string" },
    example: "wait=30",
  },
  Location: {
    description: "Where the resource, or the progress of its change, shows.",
    schema: { type: "string", format: "uri-reference" },
    example: "/v1/domains/dom_01kahy1c7k2h6p9a3d8f5n4qtz",
  },
  "Idempotent-Replayed": {
    description: "Present when this is the answer of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  RateLimit: {
    description: "What the key has left (IETF draft), where a limit is set.",
    schema: { type: "string" },
    example: '"default";r=599;t=1',
  },
  "RateLimit-Policy": {
    description: "The limit of the key (IETF draft), where one is set.",
    schema: { type: "string" },
    example: '"default";q=600;w=60',
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 6750).",
    schema: { type: "string" },
    example: 'Bearer realm="slipway"',
  },
};

type Reference = { readonly $ref: string };

export function referToHeaders(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
