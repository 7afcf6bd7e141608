import { Type } from "typebox";
import {
  Body,
  CreatedAt,
  Id,
  Instant,
  Nullable,
  NullableInstant,
  ONE_LINE_TEXT,
  Text,
  viewAs,
} from "../../http/schemas.ts";
import { SCOPES } from "../../lib/actor.ts";
import { ScopeSchema } from "../api-keys/views.ts";
import type { WorkloadTrust } from "./workload-trust.ts";

const PROJECTS_MAX = 50;
const CONDITIONS_MAX = 20;

/** The fields of a trust that a request sets, besides its projects. */
const TRUST_FIELDS = {
  name: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 200,
    description: "Its purpose. Audit entries show it.",
    examples: ["deploy shop"],
  }),
  userId: Id("user", "The service account that the workloads act as."),
  issuer: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "The issuer of their tokens: the claim `iss`, an `https` URL.",
    examples: ["https://token.actions.githubusercontent.com"],
  }),
  audience: Type.String({
    ...ONE_LINE_TEXT,
    maxLength: 500,
    description:
      "The audience of their tokens: the claim `aud`. Use the address of this Slipway, so that tokens for other services are refused.",
    examples: ["https://slipway.acme.example"],
  }),
  conditions: Type.Unsafe<Record<string, string>>({
    type: "object",
    maxProperties: CONDITIONS_MAX,
    additionalProperties: { type: "string", minLength: 1, maxLength: 500 },
    description:
      "The required values of claims, each exact; a `*` at the end stands for any ending. GitHub, GitLab.com, Buildkite, Terraform Cloud and Google give tokens to every user, so a condition there must name the owner of the workload (`acme/*`).",
    examples: [{ repository: "acme/shop", ref: "refs/heads/main" }],
  }),
  scopes: Type.Array(ScopeSchema, {
    minItems: 1,
    maxItems: SCOPES.length,
    description: "The scopes of their tokens. The role of the service account also limits them.",
    examples: [["deploy"]],
  }),
};

const PROJECT_IDS = Type.Array(Id("proj", "A project of the organization."), {
  minItems: 1,
  maxItems: PROJECTS_MAX,
  description: "The projects that they are limited to; all by default.",
});

export const TrustBody = Body({ ...TRUST_FIELDS, projectIds: Type.Optional(PROJECT_IDS) });

export const WorkloadTrustSchema = Type.Object(
  {
    id: Id("trust", "Id of the trust."),
    ...TRUST_FIELDS,
    projectIds: Nullable(PROJECT_IDS),
    createdAt: CreatedAt(),
    lastUsedAt: NullableInstant("When a token was last exchanged; null if none was yet."),
  },
  {
    title: "WorkloadTrust",
    description:
      "A rule that lets external programs, such as CI jobs, act as a service account without a key.",
  },
);

export function viewTrust(trust: WorkloadTrust) {
  return viewAs(WorkloadTrustSchema, trust);
}

export const WorkloadTokenSchema = Type.Object(
  {
    token: Text("Send it as `Authorization: Bearer`. It is shown only once.", "slx_01kahxq2s5f3v9p6…"),
    expiresAt: Instant("When it expires: 15 minutes after the exchange.", "2026-11-20T09:45:12.000Z"),
  },
  { title: "WorkloadToken", description: "A short-lived token of Slipway for a workload." },
);
