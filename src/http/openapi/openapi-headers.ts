/** The response headers, as components. */
export const HEADERS: Readonly<Record<string, object>> = {
  "X-Request-Id": header(
    "The id of this request in the log. Include it when you ask for help.",
    "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
    { format: "uuid" },
  ),
  "Retry-After": header(
    "Seconds to wait before a retry. Sent with 408, 429 and 503, and with 409 while another request runs or a resource is being deleted.",
    2,
    { type: "integer" },
  ),
  ETag: header(
    "Identifies this state of the resource. Send it as If-None-Match, or as If-Match with a change.",
    '"Yk3Zk4bFq0uXw2k5m7l8v9n0p1Q"',
  ),
  "Cache-Control": header("Revalidate before using a cached copy.", "private, no-cache", {
    const: "private, no-cache",
  }),
  "Preference-Applied": header("Present if `Prefer: wait` was applied.", "wait=30"),
  Location: header(
    "The address of the resource, or of its progress.",
    "/v1/domains/dom_01kahy1c7k2h6p9a3d8f5n4qtz",
    { format: "uri-reference" },
  ),
  "Idempotent-Replayed": header(
    "Present if this is the saved response to an earlier request with the same Idempotency-Key.",
    "true",
    { const: "true" },
  ),
  RateLimit: header(
    "The remaining requests of the key (IETF draft), if a limit is set.",
    '"default";r=599;t=1',
  ),
  "RateLimit-Policy": header("The limit of the key (IETF draft), if one is set.", '"default";q=600;w=60'),
  "WWW-Authenticate": header("How to authenticate (RFC 6750).", 'Bearer realm="slipway"'),
};

function header(description: string, example: unknown, schema: object = {}): object {
  return { description, schema: { type: "string", ...schema }, example };
}

type Reference = { readonly $ref: string };

export function referToHeaders(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
