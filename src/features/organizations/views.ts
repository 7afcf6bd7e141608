import { Type } from "typebox";
import { ROLES } from "../../lib/actor.ts";
import { CreatedAt, Id, Instant, Nullable, UpdatedAt, Words } from "../../http/schemas.ts";
import type { ApiKey, AuditDetails, AuditEntry, Caller, User } from "./organization.ts";

export const RoleSchema = Words(ROLES, {
  title: "Role",
  description:
    "`viewer` reads, `developer` also writes, `admin` also manages users, keys, cloud accounts and git integrations.",
  examples: ["developer"],
});

export const UserSchema = Type.Object(
  {
    id: Id("user", "Id of the user."),
    email: Type.String({ description: "Unique within the organization.", examples: ["ada@acme.example"] }),
    name: Type.String({ description: "Shown to people.", examples: ["Ada Lovelace"] }),
    role: RoleSchema,
    gitLogin: Nullable(
      Type.String({ description: "The user's login at the git provider.", examples: ["ada"] }),
    ),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "User", description: "A user of the organization." },
);

export function viewUser(user: User) {
  const { id, email, name, role, gitLogin } = user;
  return {
    id,
    email,
    name,
    role,
    gitLogin,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

const API_KEY_FIELDS = {
  id: Id("key", "Id of the API key."),
  userId: Id("user", "Whose key it is."),
  name: Type.String({ description: "What it is for.", examples: ["deploy from CI"] }),
  prefix: Type.String({
    description: "The first characters of the key, to recognize it by.",
    examples: ["slw_4dPq7RkT"],
  }),
  createdAt: CreatedAt(),
};

export const ApiKeySchema = Type.Object(API_KEY_FIELDS, {
  title: "ApiKey",
  description: "An API key, without the key itself.",
});

export const NewApiKeySchema = Type.Object(
  {
    ...API_KEY_FIELDS,
    key: Type.String({
      description: "The key. It is shown here once and cannot be read again.",
      examples: ["slw_4dPq7RkT…"],
    }),
  },
  { title: "NewApiKey", description: "An API key, and the key itself." },
);

export function viewApiKey({ id, userId, name, prefix, createdAt }: ApiKey) {
  return { id, userId, name, prefix, createdAt: createdAt.toISOString() };
}

export const CallerSchema = Type.Object(
  {
    organization: Type.Object(
      {
        id: Id("org", "Id of the organization."),
        name: Type.String({ description: "Shown to people.", examples: ["Acme"] }),
      },
      { title: "Organization", description: "All that its users share; nobody else sees any of it." },
    ),
    user: UserSchema,
    apiKey: ApiKeySchema,
    cloud: Words(["sandbox", "aws"], {
      title: "CloudName",
      description: "Where this installation of Slipway deploys to.",
      examples: ["aws"],
    }),
  },
  { title: "Caller", description: "Whose API key the request came with, and what it reaches." },
);

export function viewCaller({ organization, user, apiKey }: Caller, cloud: "sandbox" | "aws") {
  const { id, name } = organization;
  return { organization: { id, name }, user: viewUser(user), apiKey: viewApiKey(apiKey), cloud };
}

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
    at: Instant("When it was done."),
    userId: Id(
      "user",
      "Who did it. Also the git integration whose push it was, `operator` for the command line of the machine, and `slipway` for what Slipway found out by itself.",
    ),
    apiKeyId: Id("key", "The API key that it was done with; the same word as `userId` where there was none."),
    action: Type.String({
      description: "What was done, such as `domain.deleted`.",
      examples: ["user.updated"],
    }),
    resourceId: Id("user", "What it was done to."),
    requestId: Type.String({
      description: "The request that did it, as in its `X-Request-Id` and in the log.",
      examples: ["5f0a3f0e-7c1b-4c55-8a75-3a2e9f1f0d6b"],
    }),
    sourceAddress: Nullable(
      Type.String({
        description:
          "The address that the request came from, behind trusted proxies the client's own; null where there was none.",
        examples: ["203.0.113.7"],
      }),
    ),
    details: Type.Unsafe<AuditDetails | null>({
      type: ["object", "null"],
      title: "AuditDetails",
      description:
        "What was changed, never a secret: `names` of what was set, and fields with their values `before` and `after`.",
      properties: {
        names: {
          type: "array",
          items: { type: "string" },
          description: "Names of what was set.",
          examples: [["DATABASE_URL"]],
        },
        before: changedFields("The fields that changed, as they were."),
        after: changedFields("The same fields, or those of what was made, as they are."),
      },
      examples: [{ before: { role: "viewer" }, after: { role: "admin" } }],
    }),
  },
  { title: "AuditEntry", description: "One change that somebody made." },
);

export function viewAuditEntry(entry: AuditEntry) {
  return { ...entry, at: entry.at.toISOString() };
}
