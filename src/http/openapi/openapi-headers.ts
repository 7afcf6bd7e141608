type Header = { readonly description: string; readonly schema: object; readonly example: unknown };

/** The response headers, as components. */
export const HEADERS: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "The id of this request in the log. Include it when you ask for help.",
    schema: { type: "string", format: "uuid" },
    example: "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
  },
  "Retry-After": {
    description:
      "Seconds to wait before a retry. With 408, 429 and 503, and with 409 while another request runs or something is being deleted.",
    schema: { type: "integer" },
    example: 2,
  },
  ETag: {
    description:
      "Identifies this state of the resource. Send it as If-None-Match, or as If-Match with a change.",
    schema: { type: "string" },
    example: '"Yk3Zk4bFq0uXw2k5m7l8v9n0p1Q"',
  },
  "Cache-Control": {
    description: "Revalidate before using a cached copy.",
    schema: { type: "string", const: "private, no-cache" },
    example: "private, no-cache",
  },
  "Preference-Applied": {
    description: "Present when `Prefer: wait` was honoured.",
    schema: { type: "string" },
    example: "wait=30",
  },
  Location: {
    description: "Address of the resource, or of its progress.",
    schema: { type: "string", format: "uri-reference" },
    example: "/v1/domains/dom_01kahy1c7k2h6p9a3d8f5n4qtz",
  },
  "Idempotent-Replayed": {
    description: "Present if this answer repeats that of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  RateLimit: {
    description: "The remaining requests of the key (IETF draft), if a limit is set.",
    schema: { type: "string" },
    example: '"default";r=599;t=1',
  },
  "RateLimit-Policy": {
    description: "The limit of the key (IETF draft), if one is set.",
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
