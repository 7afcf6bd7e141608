import { Type } from "typebox";
import { ROLES } from "../actor.ts";
import { Instant, Nullable, Words } from "../http/schemas.ts";
import type { ApiKey, AuditEntry, Caller, User } from "./organization.ts";

export const UserSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: Words(ROLES),
    gitLogin: Nullable(Type.String({ description: "The user's login at the git provider." })),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { description: "A user of the organization." },
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

export const ApiKeySchema = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "The first characters of the key, to recognize it by." }),
  createdAt: Instant(),
});

export const NewApiKeySchema = Type.Object({
  ...ApiKeySchema.properties,
  key: Type.String({ description: "The key. It is shown here once and cannot be read again." }),
});

export function viewApiKey({ id, userId, name, prefix, createdAt }: ApiKey) {
  return { id, userId, name, prefix, createdAt: createdAt.toISOString() };
}

export const CallerSchema = Type.Object(
  {
    organization: Type.Object({ id: Type.String(), name: Type.String() }),
    user: UserSchema,
    apiKey: ApiKeySchema,
    cloud: Words(["sandbox", "aws"], { description: "Where this installation of Slipway deploys to." }),
  },
  { description: "Whose API key the request came with, and what it reaches." },
);

export function viewCaller({ organization, user, apiKey }: Caller, cloud: "sandbox" | "aws") {
  const { id, name } = organization;
  return { organization: { id, name }, user: viewUser(user), apiKey: viewApiKey(apiKey), cloud };
}

export const AuditEntrySchema = Type.Object({
  id: Type.String(),
  at: Instant(),
  userId: Type.String(),
  apiKeyId: Type.String(),
  action: Type.String({ description: "What was done, such as `domain.deleted`." }),
  resourceId: Type.String(),
  requestId: Type.String(),
});

export function viewAuditEntry(entry: AuditEntry) {
  return { ...entry, at: entry.at.toISOString() };
}
