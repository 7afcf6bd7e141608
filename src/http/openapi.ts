import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import { Type } from "typebox";
import { ERROR_CODES } from "../errors.ts";
import { completeDocument } from "./openapi-headers.ts";

const DESCRIPTION = `Slipway deploys onto your customers' own cloud accounts: custom domains with their certificates,
environment variables and secrets, cloud account connections, projects and deployments.

Authenticate with \`Authorization: Bearer <API_KEY>\`. Every failure is a problem document (RFC 9457) with a
stable \`code\`; each code has a page under [/docs/errors](/docs/errors). Every write takes an
\`Idempotency-Key\`. Single resources carry an \`ETag\`, and those that change by themselves take
\`Prefer: wait=N\`, which holds the request until they do.`;

/** The OpenAPI 3.1 document, which Fastify fills from the schemas of the routes. */
export function describeApi(publicUrl: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Slipway",
        version: "1",
        description: DESCRIPTION,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description:
              "An API key, as `POST /v1/api-keys` makes them. Its user's role says what it may do.",
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json["$id"] === "string" ? json["$id"] : `def-${index}`,
    },
    transformObject: (document) =>
      "openapiObject" in document ? completeDocument(document.openapiObject) : document.swaggerObject,
  };
}

/** The shape of every failure; added to Fastify's schemas so that routes refer to it by name. */
export const PROBLEM_SCHEMA = {
  $id: "Problem",
  type: "object",
  description: "A problem document (RFC 9457).",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId"],
  properties: {
    type: { type: "string", description: "Address of the page that explains the code." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong with this request, and what to do." },
    instance: { type: "string" },
    code: { type: "string", enum: ERROR_CODES },
    requestId: { type: "string", description: "Also in the X-Request-Id header and in the log." },
    errors: {
      type: "array",
      description: "Every fault of an invalid request.",
      items: {
        type: "object",
        required: ["path", "code", "message"],
        properties: {
          path: { type: "string", description: "A JSON Pointer into the body, or `query/…`." },
          code: { type: "string" },
          message: { type: "string" },
        },
      },
    },
  },
};

const PROBLEM = Type.Ref("Problem#");

/** The failures of a route, for its response schemas. */
export const PROBLEMS = { "4xx": PROBLEM, "5xx": PROBLEM };
