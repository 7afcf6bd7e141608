import type { TSchema } from "typebox";
import { ERROR_CODES, FAULT_CODES, type ErrorCode, type Fault } from "../../lib/errors.ts";
import { ERROR_CATALOGUE } from "../problems/error-catalogue.ts";
import type { Components, Schema } from "./openapi-components.ts";
import { referToHeaders } from "./openapi-headers.ts";
import type { Described } from "./openapi-operation.ts";
import { makeProblem, PROBLEM_CONTENT_TYPE } from "../problems/problem.ts";

const FAULT: Schema = {
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
      description: "What is wrong, for programs.",
      type: "string",
      enum: FAULT_CODES,
    },
    message: {
      type: "string",
      description: "What is wrong, for people.",
      examples: ["is required"],
    },
  },
};

/** Schemas of the members that problem documents have with some codes, by name (RFC 9457, section 3.2). */
export type ProblemMembers = Readonly<Record<string, TSchema>>;

const PROBLEM = {
  title: "Problem",
  description: "A problem document (RFC 9457).",
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId"],
  properties: {
    type: { type: "string", description: "Address of the page that explains the code." },
    title: { type: "string", description: "What the code means, in a few words." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What is wrong with this request, and what to do." },
    instance: { type: "string", description: "The path that was asked for." },
    code: {
      title: "ErrorCode",
      description:
        "Why the request was refused. Programs decide by this; each has a page under /docs/errors.",
      type: "string",
      enum: ERROR_CODES,
    },
    requestId: { type: "string", description: "Also in the X-Request-Id header and in the log." },
    errors: { type: "array", description: "Every fault of an invalid request.", items: FAULT },
  },
} satisfies Schema;

/** The schema of every failure. @param members the additional members of features */
export function problemSchema(members: ProblemMembers): Schema {
  const { errors, ...common } = PROBLEM.properties;
  return { ...PROBLEM, properties: { ...common, ...(members as Record<string, Schema>), errors } };
}

/** The last event of a stream whose client has lost its access (`sendEvents`). */
export function refusedEvent(problem: Schema): Schema {
  return {
    title: "RefusedEvent",
    description: "The key may not read this any longer. It is the last event.",
    type: "object",
    required: ["event", "data"],
    properties: {
      event: { type: "string", const: "refused", description: "The stream ends here." },
      data: problem,
    },
  };
}

type Refusal = {
  readonly name: string;
  readonly says: string;
  readonly headers: readonly string[];
  /** The code, and its `detail`, in the example. */
  readonly example: readonly [code: ErrorCode, detail: string, faults?: readonly Fault[]];
};

/** The refusals that clients meet, by status. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    name: "BadRequest",
    says: "The request is malformed or invalid.",
    headers: [],
    example: [
      "INVALID_REQUEST",
      "/givenId: is required",
      [{ path: "/givenId", code: "REQUIRED", message: "is required" }],
    ],
  },
  401: {
    name: "Unauthorized",
    says: "The API key is missing, mistyped or revoked.",
    headers: ["WWW-Authenticate"],
    example: [
      "UNAUTHENTICATED",
      "Send a valid API key: Authorization: Bearer <API_KEY>. It is missing, mistyped or revoked.",
    ],
  },
  403: {
    name: "Forbidden",
    says: "The role of the API key's user is too low.",
    headers: [],
    example: ["ROLE_TOO_LOW", "This needs the role developer; the user of this API key is a viewer."],
  },
  404: {
    name: "NotFound",
    says: "There is no such resource, or it belongs to another organization.",
    headers: [],
    example: ["NOT_FOUND", "There is no such resource, or it is not yours. Check the id."],
  },
  409: {
    name: "Conflict",
    says: "The request conflicts with the present state.",
    headers: ["Retry-After"],
    example: ["GIVEN_ID_TAKEN", "Another connection has the givenId acme-production. Choose another."],
  },
  412: {
    name: "PreconditionFailed",
    says: "The resource is in another state than `If-Match` names; nothing was done.",
    headers: [],
    example: [
      "PRECONDITION_FAILED",
      "The resource is in another state than If-Match names; nothing was done. Read it, and send the request with its ETag.",
    ],
  },
  413: {
    name: "ContentTooLarge",
    says: "The body is too large.",
    headers: [],
    example: ["BODY_TOO_LARGE", "The body is larger than 1 MiB. Split the request."],
  },
  415: {
    name: "UnsupportedMediaType",
    says: "The body is not JSON.",
    headers: [],
    example: ["UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json."],
  },
  422: {
    name: "UnprocessableContent",
    says: "The outside world refuses what was asked, or the Idempotency-Key came with another request.",
    headers: [],
    example: [
      "AWS_ACCOUNT_NOT_CONNECTED",
      "The cloud account connection acme-production is not connected. Create its stack first.",
    ],
  },
  429: {
    name: "TooManyRequests",
    says: "The API key asks more often than it may.",
    headers: ["Retry-After"],
    example: ["RATE_LIMITED", "This API key has no requests left. Try again in 2 s."],
  },
  500: {
    name: "InternalServerError",
    says: "Something went wrong on our side.",
    headers: [],
    example: ["INTERNAL", "Something went wrong on our side. The log has the details under this requestId."],
  },
  503: {
    name: "ServiceUnavailable",
    says: "The service, or what it needs, does not answer for the moment. Repeat the request.",
    headers: ["Retry-After"],
    example: [
      "DATABASE_UNAVAILABLE",
      "The database does not answer. Try again, with the same Idempotency-Key.",
    ],
  },
};

/** `4XX` and `5XX` refer to it: any request can get statuses such as 408 and 431. */
const ANY = "Problem";
const ALWAYS = ["RateLimit", "RateLimit-Policy"];

/** The named responses of the document's components. @param problem the schema of every failure */
export function problemResponses(problem: Schema, components: Components): Record<string, object> {
  const schema = components.place(problem);
  const [mediaType = ""] = PROBLEM_CONTENT_TYPE.split(";", 1);
  const response = (description: string, headers: readonly string[], example: object): object => ({
    description,
    headers: referToHeaders("X-Request-Id", ...headers),
    content: { [mediaType]: { schema, example } },
  });
  const named = Object.entries(REFUSALS).map(([status, { name, says, headers, example }]) => {
    const limits = Number(status) < 500 && status !== "401" ? ALWAYS : [];
    const description = `${says} ${sayCodes((one) => one === Number(status))}`;
    return [name, response(description, [...headers, ...limits], exampleProblem(...example))] as const;
  });
  return {
    ...Object.fromEntries(named),
    [ANY]: response(
      `Any other failure. ${sayCodes((status) => !(status in REFUSALS))}`,
      ["Retry-After", ...ALWAYS],
      exampleProblem("REQUEST_TIMEOUT", "The request did not arrive in time."),
    ),
  };
}

function sayCodes(has: (status: number) => boolean): string {
  const codes = ERROR_CODES.filter((code) => has(ERROR_CATALOGUE[code].status));
  return `Codes: ${codes.map((code) => `[${code}](/docs/errors/${code})`).join(", ")}.`;
}

function exampleProblem(code: ErrorCode, detail: string, faults: readonly Fault[] = []): object {
  return makeProblem(code, {
    detail,
    instance: "/v1/aws-accounts",
    requestId: "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
    faults,
  });
}

/** The failures of an operation, as references to the named responses. */
export function problemsOf(method: string, schema: Described): Record<string, object> {
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
