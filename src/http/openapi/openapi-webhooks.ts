/** The requests that the service makes to its users' endpoints, in the reference (OpenAPI 3.1, `webhooks`). */
import type { TSchema } from "typebox";
import type { Components } from "./openapi-components.ts";
import { operationIdOfEvent } from "./operation-id.ts";

export type DescribedWebhook = {
  readonly type: string;
  readonly description: string;
  /** What all events have. */
  readonly envelope: TSchema;
  /** What only this type has, in the member `data`. */
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
        "2XX": { description: "Accepted. Any other answer is a failure, and the event is sent again." },
      },
    },
  };
}
