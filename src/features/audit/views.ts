import { Type } from "typebox";
import { Id, Instant, Nullable, Text } from "../../http/schemas.ts";
import type { AuditDetails, AuditEntry } from "./audit-entry.ts";

const WorkloadSchema = Type.Object(
  {
    trustId: Id("trust", "The trust that it used."),
    name: Text("The name of the trust.", "deploy shop"),
    subject: Text("Its subject at its platform (`sub`).", "repo:acme/shop:ref:refs/heads/main"),
    repository: Nullable(Text("Its repository, if its platform names it.", "acme/shop")),
    ref: Nullable(Text("Its branch or tag, if its platform names it.", "refs/heads/main")),
    runId: Nullable(Text("Its run or job, if its platform names it.", "6821944012")),
  },
  { title: "Workload", description: "A program that runs elsewhere, such as a CI job." },
);

function changedFields(description: string): object {
  return {
    type: "object",
    description,
    additionalProperties: { type: ["string", "null"] },
    examples: [{ role: "admin" }],
  };
}

export const AuditEntrySchema = Type.Object(
  {
    id: Id("audit", "Id of the entry."),
    at: Instant("When the change was made."),
    userId: Id(
      "user",
      "The user who made the change; or the git integration for a push, `operator` for the command line, and `slipway` for changes that Slipway detected.",
    ),
    apiKeyId: Id(
      "key",
      "The credential of the request: an API key, a session or a workload's token; without a request, the same value as `userId`.",
    ),
    action: Text("The action, such as `domain.deleted`.", "user.updated"),
    resourceId: Id("user", "The resource that was changed."),
    requestId: Text(
      "The id of the request, as in its `X-Request-Id` and in the log.",
      "5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b",
    ),
    sourceAddress: Nullable(
      Text(
        "The address that the request came from (behind trusted proxies, the client's own); null without a request.",
        "203.0.113.7",
      ),
    ),
    details: Type.Unsafe<AuditDetails | null>({
      type: ["object", "null"],
      title: "AuditDetails",
      description:
        "The change: `names` of set values, and fields with their values `before` and `after`; and the `workload`, if one made the change. Never contains a secret.",
      properties: {
        names: {
          type: "array",
          items: { type: "string" },
          description: "Names of the values that were set.",
          examples: [["DATABASE_URL"]],
        },
        before: changedFields("The changed fields, with their old values."),
        after: changedFields("The changed fields, or the fields of a new resource, with their new values."),
        workload: WorkloadSchema,
      },
      examples: [{ before: { role: "viewer" }, after: { role: "admin" } }],
    }),
  },
  { title: "AuditEntry", description: "One change that was made." },
);

export function viewAuditEntry(entry: AuditEntry) {
  return { ...entry, at: entry.at.toISOString() };
}
