import type { TSchema } from "typebox";
import { type Components, exampleOf, type Schema, withDifferences } from "./openapi-components.ts";
import { referToHeaders } from "./openapi-headers.ts";
import { problemsOf, refusedEvent } from "./openapi-problems.ts";
import { operationIdOfEvent } from "./operation-id.ts";

/** What the schema of a route says for the reference. */
export type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: { readonly name: string; readonly description: string };
  readonly sdk?: string | null;
  readonly needsKey?: boolean;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly headers?: Schema;
  readonly body?: Schema;
  readonly csvExample?: string;
  readonly response?: Readonly<Record<string, Schema>>;
  readonly examples?: Readonly<Record<number, object>>;
  readonly events?: Schema;
  readonly lines?: Schema;
  readonly files?: readonly { readonly type: string; readonly example: string }[];
};

/** The answers without a body, the same for all routes. */
export const BODILESS_RESPONSES = {
  NoContent: {
    description: "Done. There is no body.",
    headers: referToHeaders("X-Request-Id", "RateLimit", "RateLimit-Policy", "Idempotent-Replayed"),
  },
  NotModified: {
    description: "Not modified since the ETag in If-None-Match.",
    headers: referToHeaders(
      "X-Request-Id",
      "RateLimit",
      "RateLimit-Policy",
      "ETag",
      "Cache-Control",
      "Preference-Applied",
    ),
  },
};

/**
 * One operation of the document. Its schemas become components on the way.
 * @param problem the schema of every failure
 */
export function describeOperation(
  method: string,
  schema: Described,
  problem: Schema,
  components: Components,
): object {
  const { operationId, summary, description, tag, sdk, needsKey = true, body } = schema;
  const isRead = method === "GET";
  return {
    operationId,
    ...(sdk === undefined ? {} : { "x-sdk": sdk }),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag.name],
    security: needsKey ? [{ apiKey: [] }] : [],
    parameters: [
      ...parametersIn("path", schema.params, components),
      ...parametersIn("query", schema.querystring, components),
      ...parametersIn("header", schema.headers, components),
      ...(isRead && needsKey ? [IF_NONE_MATCH] : []),
      ...(schema.events === undefined ? [] : [LAST_EVENT_ID]),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schema, components) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(schema.response ?? {}).map(([status, answer]) => [
          status,
          describeAnswer(Number(status), answer, { ...schema, isRead, needsKey, problem }, components),
        ]),
      ),
      ...(isRead && needsKey ? { 304: { $ref: "#/components/responses/NotModified" } } : {}),
      ...problemsOf(method, schema),
    },
  };
}

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of your copy. The response is 304 if the resource still has it.",
  schema: { type: "string" },
};

const LAST_EVENT_ID = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "With `Accept: text/event-stream`: the `id` of the last event received; the stream continues after it.",
  schema: { type: "string" },
};

function parametersIn(where: string, schema: Schema | undefined, components: Components): object[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples: _, ...rest } = property;
    const isRequired = where === "path" || required.includes(name);
    const says = property.here?.description ?? description;
    // Tools put every parameter with an example into a sample request. So optional parameters have their example in the
    // description instead.
    const isInSamples = isRequired || name === IN_ALL_SAMPLES;
    const example = exampleOf(property);
    const [such] = property.here?.examples ?? property.examples ?? [];
    return {
      name: where === "header" ? headerName(name) : name,
      in: where,
      required: isRequired,
      description: isInSamples || typeof such !== "string" ? says : `${says} Example: \`${such}\`.`,
      // The component has the description of a named schema.
      schema: components.place(property.title === undefined ? rest : property),
      ...(isInSamples && example !== undefined ? { example } : {}),
    };
  });
}

/** Optional, but every client should send it. */
const IN_ALL_SAMPLES = "idempotency-key";

/** The header in its usual spelling; schemas have it in lower case, as Node does. */
function headerName(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

function requestBody(body: Schema, { operationId, csvExample }: Described, components: Components): object {
  const title = body.title ?? `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
  const description = body.description ?? `The request body of \`${operationId}\`.`;
  return {
    required: true,
    content: {
      "application/json": mediaType({ ...body, title, description }, {}, components),
      ...(csvExample === undefined
        ? {}
        : { "text/csv": { schema: { type: "string" }, example: csvExample } }),
    },
  };
}

function mediaType(schema: Schema, differences: object, components: Components): object {
  const example = withDifferences(exampleOf(schema), differences);
  return { schema: components.place(schema), ...(example === undefined ? {} : { example }) };
}

type Answered = Described & {
  readonly isRead: boolean;
  readonly needsKey: boolean;
  readonly problem: Schema;
};

function describeAnswer(status: number, schema: Schema, of: Answered, components: Components): object {
  if (schema.type === "null") return { $ref: "#/components/responses/NoContent" };
  const description = [PREFACES[status], schema.description].filter(Boolean).join(" ");
  const headers = of.needsKey ? successHeaders(status, of) : referToHeaders("X-Request-Id");
  const type = schema.contentMediaType ?? "application/json";
  const { contentMediaType: _, ...shown } = schema;
  const content = {
    [type]: mediaType(shown, { ...untouched(status, shown), ...of.examples?.[status] }, components),
    ...(of.events === undefined
      ? {}
      : { "text/event-stream": eventsType(of.events, of.problem, components) }),
    ...Object.fromEntries(
      (of.files ?? []).map(({ type: file, example }) => [file, { schema: { type: "string" }, example }]),
    ),
    ...(of.lines === undefined ? {} : { "application/x-ndjson": mediaType(of.lines, {}, components) }),
  };
  return { description, headers, content };
}

/** A resource that was just created has not been changed yet. */
function untouched(status: number, { properties }: Schema): object {
  const { createdAt, updatedAt } = properties ?? {};
  return status === 201 && createdAt && updatedAt ? { updatedAt: exampleOf(createdAt) } : {};
}

/** The schema describes one event: OpenAPI 3.1 cannot describe a sequence of them. */
function eventsType(events: Schema, problem: Schema, components: Components): object {
  return mediaType({ ...events, oneOf: [...(events.oneOf ?? []), refusedEvent(problem)] }, {}, components);
}

const PREFACES: Readonly<Record<number, string>> = {
  201: "Created.",
  202: "Accepted. The work continues in the background; see `Location`.",
};

function successHeaders(status: number, schema: Answered): object {
  return referToHeaders(
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    ...(schema.isRead ? ["ETag", "Cache-Control"] : ["Idempotent-Replayed"]),
    ...waitHeaders(schema),
    ...(status === 201 || status === 202 ? ["Location"] : []),
  );
}

function waitHeaders({ headers }: Described): string[] {
  return headers?.properties?.["prefer"] === undefined ? [] : ["Preference-Applied"];
}

export type DescribedWebhook = {
  readonly type: string;
  readonly description: string;
  /** The members that all events have. */
  readonly envelope: TSchema;
  /** The member `data` of this type. */
  readonly data: TSchema;
};

const SIGNATURE = {
  "webhook-id": "The event's id, the same for every attempt.",
  "webhook-timestamp": "When the attempt was made, in seconds since 1970.",
  "webhook-signature":
    "`v1,…`: one HMAC-SHA-256 for each valid secret, separated by spaces (Standard Webhooks).",
};

export function describeWebhook(
  { type, description, envelope, data }: DescribedWebhook,
  components: Components,
): object {
  const own = {
    type: "object",
    properties: {
      type: { type: "string", const: type },
      data: components.place(data),
    },
  };
  return {
    post: {
      operationId: operationIdOfEvent(type),
      summary: type,
      description,
      tags: ["Webhooks"],
      security: [],
      parameters: Object.entries(SIGNATURE).map(([name, meaning]) => ({
        name,
        in: "header",
        required: true,
        description: meaning,
        schema: { type: "string" },
      })),
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { allOf: [components.place(envelope), own] },
          },
        },
      },
      responses: {
        "2XX": { description: "Accepted. After any other response, the event is sent again." },
      },
    },
  };
}
