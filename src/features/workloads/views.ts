import { Type } from "typebox";
import { CreatedAt, Id, Instant, Nullable, NullableInstant, Text, viewAs } from "../../http/schemas.ts";
import { ScopeSchema } from "../api-keys/views.ts";
import type { WorkloadTrust } from "./workload-trust.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

/** The fields that a request sets; their limits are the route's. */
export const EXAMPLE_CONDITIONS = { repository: "acme/shop", ref: "refs/heads/main" };

export const WorkloadTrustSchema = Type.Object(
  {
    id: Id("trust", "Id of the trust."),
    userId: Id("user", "The service account as which the workloads act."),
    name: Text("What it is for.", "deploy shop"),
    issuer: Text("Who signs the tokens of the workloads.", GITHUB),
    audience: Text("For whom they are signed.", "https://slipway.acme.example"),
    conditions: Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "The required values of claims; a `*` at the end stands for any ending.",
      examples: [EXAMPLE_CONDITIONS],
    }),
    scopes: Type.Array(ScopeSchema, {
      description: "What they may do, if the service account may do it.",
    }),
    projectIds: Nullable(
      Type.Array(Id("proj", "A project."), {
        description: "The projects that they are limited to; null for all.",
      }),
    ),
    createdAt: CreatedAt(),
    lastUsedAt: NullableInstant("When a token was last exchanged; null if none was yet."),
  },
  {
    title: "WorkloadTrust",
    description: "Which programs elsewhere, such as CI jobs, may act as a service account without a key.",
  },
);

export function viewTrust(trust: WorkloadTrust) {
  return viewAs(WorkloadTrustSchema, trust);
}

export const WorkloadTokenSchema = Type.Object(
  {
    token: Text("Send it as `Authorization: Bearer`. It is shown only once.", "slx_01kahxq2s5f3v9p6…"),
    expiresAt: Instant(
      "From when on it is refused: 15 minutes after the exchange.",
      "2026-11-20T09:45:12.000Z",
    ),
  },
  { title: "WorkloadToken", description: "A short-lived token of Slipway for a workload." },
);
