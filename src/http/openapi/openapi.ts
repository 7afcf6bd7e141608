/**
 * The OpenAPI 3.1 document, made from the schemas of the routes as they are registered. These schemas check requests
 * and serialize answers, so the document cannot differ from them. They also contain what only people and generated
 * clients need: names, descriptions, examples.
 */
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, RouteOptions } from "fastify";
import { createComponents } from "./openapi-components.ts";
import { HEADERS } from "./openapi-headers.ts";
import {
  BODILESS_RESPONSES,
  type Described,
  type DescribedWebhook,
  describeOperation,
  describeWebhook,
} from "./openapi-operation.ts";
import type { ErrorCatalogue } from "../problems/error-catalogue.ts";
import { problemResponses, problemSchema } from "./openapi-problems.ts";

/** A group of operations in the reference; a class in most generated clients. */
export type Tag = Described["tag"];

export type ApiDocument = {
  readonly openapi: string;
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
};

const DESCRIPTION = `Slipway deploys onto your customers' own cloud accounts: custom domains with their certificates,
environment variables and secrets, cloud account connections, projects and deployments.

**Authentication.** Send \`Authorization: Bearer <API_KEY>\` with each request. The role of the key's user
determines what the key may do.

**Errors** are problem documents (RFC 9457) with a stable \`code\`; each code has a page under
[/docs/errors](/docs/errors). An invalid request is answered with all of its faults at once.

**Idempotency.** Every write takes an \`Idempotency-Key\`. A request that is repeated with the same key takes effect only
once.

**Waiting.** Work in a cloud continues after the response (202). Single resources have an \`ETag\`. Resources that
change on their own accept \`Prefer: wait=N\`, which holds the request until they change.

**Concurrent changes.** A change with \`If-Match\` takes effect only if the resource still has that
\`ETag\`; otherwise it is refused with 412.

**Lists** are ordered by creation, newest first with \`order=desc\`. Lists of variables, which are identified by name,
are ordered by name. To get the next page, pass \`nextCursor\` as \`cursor\`, with the same \`order\` and filters;
a cursor of another list is refused.

**Clients.** \`@slipway/sdk\` is the client for TypeScript and JavaScript. For other
languages, generate a client from [/openapi.json](/openapi.json) with any generator for OpenAPI 3.1. Every schema and
operation has a name, and \`x-sdk\` is the method of the SDK.`;

/**
 * Collects every route that is registered from now on. The function that it returns describes the routes collected so
 * far.
 */
export function describeRoutes(
  app: FastifyInstance,
  publicUrl: string,
  catalogue: ErrorCatalogue,
  webhooks: readonly DescribedWebhook[],
): () => Promise<ApiDocument> {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema?.hide === true || route.method === "HEAD") return;
    routes.push(route);
  });
  return () => makeDocument(routes, publicUrl, catalogue, webhooks);
}

async function makeDocument(
  routes: readonly RouteOptions[],
  publicUrl: string,
  catalogue: ErrorCatalogue,
  webhooks: readonly DescribedWebhook[],
): Promise<ApiDocument> {
  const problem = problemSchema(catalogue);
  const components = createComponents();
  const tags = new Map<string, Tag>();
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, url, schema } of routes) {
    const described = schema as Described | undefined;
    if (described?.tag === undefined)
      throw new Error(`${String(method)} ${url} has no tag. Describe the route, or hide it.`);
    tags.set(described.tag.name, described.tag);
    const path = url.replaceAll(/:([A-Za-z]+)/g, "{$1}");
    for (const one of [method].flat())
      (paths[path] ??= {})[one.toLowerCase()] = describeOperation(one, described, problem, components);
    // In pieces: all at once would delay other requests.
    await setImmediate();
  }
  const problems = problemResponses(problem, catalogue, components);
  return {
    openapi: "3.1.0",
    info: {
      title: "Slipway",
      version: "1",
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: publicUrl }],
    // System operations last: readers come for the others.
    tags: [...tags.values()].sort((a, b) => Number(a.name === "System") - Number(b.name === "System")),
    paths,
    webhooks: Object.fromEntries(
      webhooks.map((one) => [one.type.replaceAll(/[._]/g, "-"), describeWebhook(one, components)]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key, created with `POST /v1/api-keys`. Its user's role determines what it may do.",
        },
      },
      headers: HEADERS,
      responses: { ...BODILESS_RESPONSES, ...problems },
      schemas: components.schemas(),
    },
  } as ApiDocument;
}

declare module "fastify" {
  interface FastifySchema {
    /** Left out of the reference. */
    hide?: boolean;
    /** Name of the operation in generated clients. */
    operationId?: string;
    summary?: string;
    description?: string;
    tag?: Tag;
    /** The method of the SDK, such as `domains.get`; null for what the SDK leaves out. */
    sdk?: string | null;
    /** False for the few operations without an API key. */
    needsKey?: boolean;
    /** By status: members whose example in this answer differs from the one in the schema. */
    examples?: Readonly<Record<number, object>>;
    /** The schema of one server-sent event, if the route answers `Accept: text/event-stream`. */
    events?: unknown;
  }
  interface FastifyInstance {
    /** Describes all routes that were registered so far. */
    describeApi: () => Promise<ApiDocument>;
  }
}
