/** What is touched here of an OpenAPI 3.1 document. */
type Reference = { $ref: string };
type Header = { description?: string; schema: object };
type Parameter = { name: string; in: string; description?: string; schema?: object };
type Response = { description?: string; headers?: Record<string, Reference>; content?: object };
type Operation = {
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  responses: Record<string, Response | Reference>;
};
type Document = { paths?: Record<string, Record<string, Operation>>; components?: object };

const HEADERS: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "Names this request in the log; give it when you ask for help.",
    schema: { type: "string", format: "uuid" },
  },
  "Retry-After": {
    description: "Seconds after which to try again. With 408, 409 (a request still runs), 429 and 503.",
    schema: { type: "integer" },
  },
  ETag: {
    description: "Names this state; send it as If-None-Match.",
    schema: { type: "string", examples: ['"Yk3Zk4bFq0uXw2k5m7l8v9n0p1Q"'] },
  },
  "Cache-Control": {
    description: "Ask again before using a copy.",
    schema: { type: "string", const: "private, no-cache" },
  },
  "Preference-Applied": {
    description: "Present when `Prefer: wait` was honoured.",
    schema: { type: "string", examples: ["wait=30"] },
  },
  Location: {
    description: "Where the resource, or the progress of its change, shows.",
    schema: { type: "string", format: "uri-reference" },
  },
  "Idempotent-Replayed": {
    description: "Present when this is the answer of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  RateLimit: {
    description: "What the key has left (IETF draft), where a limit is set.",
    schema: { type: "string", examples: ['"default";r=599;t=1'] },
  },
  "RateLimit-Policy": {
    description: "The limit of the key (IETF draft), where one is set.",
    schema: { type: "string", examples: ['"default";q=600;w=60'] },
  },
};

const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag you have; 304 when it still is the state.",
  schema: { type: "string" },
};

/** The header parameters' names as people write them; the schemas have them as Node does. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "idempotency-key": "Idempotency-Key",
  prefer: "Prefer",
};

/** Adds to the generated document what holds for every operation alike: headers, 304, the shape of failures. */
export function completeDocument<T extends object>(document: T): T {
  const { paths = {}, components = {} } = document as Document;
  const tags = new Set<string>();
  for (const path of Object.values(paths)) {
    for (const [method, operation] of Object.entries(path)) {
      completeOperation(method, operation);
      for (const tag of operation.tags ?? []) tags.add(tag);
    }
  }
  return {
    ...document,
    // What people come for first.
    tags: [...tags].sort((a, b) => Number(a === "System") - Number(b === "System")).map((name) => ({ name })),
    components: {
      ...components,
      headers: HEADERS,
      responses: { Problem: PROBLEM_RESPONSE },
    },
  };
}

const PROBLEM_RESPONSE: Response = {
  description: "A problem document (RFC 9457).",
  headers: refer("X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"),
  content: {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      example: {
        type: "/docs/errors/INVALID_REQUEST",
        title: "The request is not valid",
        status: 400,
        detail: "/givenId: is required",
        instance: "/v1/aws-accounts",
        code: "INVALID_REQUEST",
        requestId: "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
        errors: [{ path: "/givenId", code: "REQUIRED", message: "is required" }],
      },
    },
  },
};

function completeOperation(method: string, operation: Operation): void {
  const { responses, parameters = [] } = operation;
  const needsKey = (operation.security ?? []).length > 0;
  const isRead = method === "get";
  const takesWait = parameters.some(({ name }) => name === "prefer");
  for (const [status, response] of Object.entries(responses)) {
    if (/^[45]XX$/.test(status)) responses[status] = { $ref: "#/components/responses/Problem" };
    else if (needsKey)
      Object.assign(response, { headers: successHeaders(isRead, takesWait, Number(status)) });
    else Object.assign(response, { headers: refer("X-Request-Id") });
  }
  for (const parameter of parameters) {
    if (parameter.in === "header") parameter.name = SPELLINGS[parameter.name] ?? parameter.name;
  }
  if (!isRead || !needsKey) return;
  responses["304"] = {
    description: "It is as you have it (If-None-Match).",
    headers: refer("X-Request-Id", "ETag", "Cache-Control", ...(takesWait ? ["Preference-Applied"] : [])),
  };
  operation.parameters = [...parameters, IF_NONE_MATCH];
}

function successHeaders(isRead: boolean, takesWait: boolean, status: number): Record<string, Reference> {
  return refer(
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    ...(isRead ? ["ETag", "Cache-Control"] : ["Idempotent-Replayed"]),
    ...(takesWait ? ["Preference-Applied"] : []),
    ...(status === 201 || status === 202 ? ["Location"] : []),
  );
}

function refer(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
