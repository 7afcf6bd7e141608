import type { DeclaredError } from "../../lib/errors.ts";
import type { Components, Schema } from "./openapi-components.ts";
import { referToHeaders } from "./openapi-headers.ts";
import type { ErrorCatalogue } from "../problems/error-catalogue.ts";
import { makeProblem, PROBLEM_CONTENT_TYPE } from "../problems/problem.ts";

/** The schema of every failure. */
export function problemSchema({ errors, faults, members }: ErrorCatalogue): Schema {
  return {
    title: "Problem",
    description: "A problem document (RFC 9457).",
    type: "object",
    required: ["type", "title", "status", "detail", "instance", "code", "requestId"],
    properties: {
      type: { type: "string", description: "Address of the page that explains the code." },
      title: { type: "string", description: "A short summary of the problem." },
      status: { type: "integer", description: "The HTTP status." },
      detail: { type: "string", description: "The fault of this request, and what to do." },
      instance: { type: "string", description: "The path of the request." },
      code: {
        title: "ErrorCode",
        description: "Why the request was refused, for programs. Each code has a page under /docs/errors.",
        type: "string",
        enum: [...errors.keys()],
      },
      requestId: {
        type: "string",
        description: "The id of the request, as in the X-Request-Id header and in the log.",
      },
      ...(members as Record<string, Schema>),
      errors: {
        type: "array",
        description: "Every fault of an invalid request.",
        items: faultSchema(faults),
      },
    },
  };
}

function faultSchema(faults: ErrorCatalogue["faults"]): Schema {
  return {
    title: "Fault",
    description: "One fault of a request.",
    type: "object",
    required: ["path", "code", "message"],
    properties: {
      path: {
        type: "string",
        description: "A JSON Pointer into the body, or `query/NAME` or `headers/NAME`.",
        examples: ["/givenId"],
      },
      code: {
        title: "FaultCode",
        description: "The kind of fault, for programs.",
        type: "string",
        enum: [...faults.keys()],
      },
      message: {
        type: "string",
        description: "The fault in a sentence, for people.",
        examples: ["is required"],
      },
    },
  };
}

/** The last event of a stream whose client has lost its access (`sendEvents`). */
export function refusedEvent(problem: Schema): Schema {
  return {
    title: "RefusedEvent",
    description: "The key may no longer read the stream. This is the last event.",
    type: "object",
    required: ["event", "data"],
    properties: {
      event: { type: "string", const: "refused", description: "The stream ends here." },
      data: problem,
    },
  };
}

/** The refusals that clients meet, by status, and their headers besides those of every answer. */
const REFUSALS: Readonly<
  Record<number, { readonly name: string; readonly says: string; readonly header?: string }>
> = {
  400: { name: "BadRequest", says: "The request is malformed or invalid." },
  401: {
    name: "Unauthorized",
    says: "The API key is missing, mistyped or revoked, or the session has ended.",
    header: "WWW-Authenticate",
  },
  403: { name: "Forbidden", says: "The caller is not allowed to do this." },
  404: { name: "NotFound", says: "There is no such resource, or it belongs to another organization." },
  409: {
    name: "Conflict",
    says: "The request conflicts with the current state.",
    header: "Retry-After",
  },
  412: {
    name: "PreconditionFailed",
    says: "The resource has changed since the state in `If-Match`. Nothing was done.",
  },
  413: { name: "ContentTooLarge", says: "The body is too large." },
  415: { name: "UnsupportedMediaType", says: "The body is not JSON." },
  422: {
    name: "UnprocessableContent",
    says: "Another system refuses the request, or the Idempotency-Key was used with another request.",
  },
  429: {
    name: "TooManyRequests",
    says: "The caller has sent too many requests.",
    header: "Retry-After",
  },
  500: { name: "InternalServerError", says: "Something went wrong on our side." },
  503: {
    name: "ServiceUnavailable",
    says: "The service, or a system that it needs, is temporarily unavailable. Repeat the request.",
    header: "Retry-After",
  },
};

/** `4XX` and `5XX` refer to it: any request can get statuses such as 408 and 431. */
const ANY = "Problem";
const ALWAYS = ["RateLimit", "RateLimit-Policy"];

/**
 * The named responses of the document's components. @param problem the schema of every failure
 * @throws Error for a status of which no declaration has an example, or several have
 */
export function problemResponses(
  problem: Schema,
  { errors }: ErrorCatalogue,
  components: Components,
): Record<string, object> {
  const schema = components.place(problem);
  const [mediaType = ""] = PROBLEM_CONTENT_TYPE.split(";", 1);
  const response = (
    says: string,
    headers: readonly string[],
    hasStatus: (status: number) => boolean,
  ): object => {
    const declared = [...errors.values()].filter(({ status }) => hasStatus(status));
    const codes = declared.map(({ code, page }) => `[${code}](${page})`).join(", ");
    return {
      description: `${says} Codes: ${codes}.`,
      headers: referToHeaders("X-Request-Id", ...headers),
      content: { [mediaType]: { schema, example: exampleProblem(says, declared) } },
    };
  };
  const named = Object.entries(REFUSALS).map(([status, { name, says, header }]) => {
    const limits = Number(status) < 500 && status !== "401" ? ALWAYS : [];
    const headers = header === undefined ? limits : [header, ...limits];
    return [name, response(says, headers, (one) => one === Number(status))] as const;
  });
  return {
    ...Object.fromEntries(named),
    [ANY]: response("Any other failure.", ["Retry-After", ...ALWAYS], (status) => !(status in REFUSALS)),
  };
}

function exampleProblem(response: string, declared: readonly DeclaredError[]): object {
  const examples = declared.flatMap((declaration) =>
    declaration.example === undefined ? [] : [{ declaration, ...declaration.example }],
  );
  const [example] = examples;
  if (example === undefined || examples.length > 1)
    throw new Error(`"${response}" needs one example; ${examples.length} codes have one.`);
  return makeProblem(example.declaration, {
    detail: example.detail,
    instance: "/v1/aws-accounts",
    requestId: "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
    faults: example.faults ?? [],
  });
}

/** The failures of an operation, as references to the named responses. */
export function problemsOf(
  method: string,
  schema: {
    readonly needsKey?: boolean;
    readonly params?: Schema;
    readonly headers?: Schema;
    readonly body?: Schema;
  },
): Record<string, object> {
  const { needsKey = true } = schema;
  const isWrite = method !== "GET";
  const statuses = needsKey
    ? [
        400,
        401,
        403,
        ...(schema.params?.required === undefined && !isWrite ? [] : [404]),
        ...(isWrite ? [409] : []),
        ...(schema.headers?.properties?.["if-match"] === undefined ? [] : [412]),
        ...(schema.body === undefined ? [] : [413, 415]),
        ...(isWrite ? [422] : []),
        429,
        500,
        503,
      ]
    : [];
  const refer = (name: string): object => ({ $ref: `#/components/responses/${name}` });
  return {
    ...Object.fromEntries(statuses.map((status) => [status, refer(REFUSALS[status]?.name ?? ANY)])),
    "4XX": refer(ANY),
    "5XX": refer(ANY),
  };
}
