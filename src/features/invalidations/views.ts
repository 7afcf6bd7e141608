import { Type } from "typebox";
import { CreatedAt, Id, NullableInstant, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { INVALIDATION_STATUSES, type Invalidation } from "./invalidation.ts";

export const StartedInvalidationSchema = Type.Object(
  {
    message: Text("What happens now.", "The invalidation has started. Read its status with its id."),
    invalidationId: Id("inv", "The invalidation."),
  },
  { title: "StartedInvalidation", description: "An invalidation that was requested." },
);

export const InvalidationSchema = Type.Object(
  {
    id: Id("inv", "The invalidation."),
    serviceId: Id("svc", "The service whose responses are removed from caches."),
    paths: Type.Array(Type.String(), {
      description: "Which responses: paths, URL-encoded. `*` at the end stands for any text.",
      examples: [["/index.html", "/images/*"]],
    }),
    status: Words(INVALIDATION_STATUSES, {
      title: "InvalidationStatus",
      description:
        "`PENDING`: it is being requested from the cloud. `IN_PROGRESS`: the cloud removes the responses from its caches. `COMPLETED`: no cache has them; where nothing caches, at once. `ERROR`: `error` says why.",
      examples: ["COMPLETED"],
    }),
    error: Nullable(
      Type.Object(
        {
          code: Text("The error, for programs.", "ACCESS_DENIED"),
          message: Text(
            "The error, and what to do.",
            "The role of the connected account does not allow cloudfront:CreateInvalidation. Update the connection's stack with the current template, and request it again.",
          ),
        },
        { title: "InvalidationError", description: "Why it failed; null if it did not." },
      ),
    ),
    createdAt: CreatedAt(),
    endedAt: NullableInstant("When it completed or failed; null before.", "2026-11-20T09:41:55.000Z"),
  },
  { title: "Invalidation", description: "The removal of a service's responses from caches." },
);

export function viewInvalidation(invalidation: Invalidation) {
  return viewAs(InvalidationSchema, invalidation);
}
