import { Type } from "typebox";
import { CreatedAt, Id, Nullable, NullableInstant, Text, Words } from "../../http/schemas.ts";
import { SCOPES } from "../../lib/actor.ts";
import type { ApiKey } from "./api-key.ts";

export const ScopeSchema = Words(SCOPES, {
  title: "Scope",
  description:
    "The operations that a key may be used for, if its user may do them. `read`: read what viewers read; every scope includes it. `deploy`: deployments. `domains`: custom domains. `variables`: variables. `admin`: everything else, such as projects, cloud accounts, users, keys and webhooks.",
  examples: ["deploy"],
});

const API_KEY_FIELDS = {
  id: Id("key", "Id of the API key."),
  userId: Id("user", "The key's user."),
  createdBy: Nullable(Id("user", "The user who created it; null if the operator or an earlier release did.")),
  name: Text("Its purpose.", "deploy from CI"),
  prefix: Text("The first characters of the key, to recognize it.", "slw_4dPq7RkT"),
  scopes: Nullable(
    Type.Array(ScopeSchema, {
      description: "Its scopes; null for everything that its user may do.",
    }),
  ),
  projectIds: Nullable(
    Type.Array(Id("proj", "A project."), {
      description: "The projects that it is limited to; null for all.",
    }),
  ),
  expiresAt: NullableInstant("When it expires; null for never.", "2027-02-20T00:00:00.000Z"),
  lastUsedAt: NullableInstant("When it was last used, to about a minute; null if it was not used yet."),
  createdAt: CreatedAt(),
};

export const ApiKeySchema = Type.Object(API_KEY_FIELDS, {
  title: "ApiKey",
  description: "An API key, without the key itself.",
});

export const NewApiKeySchema = Type.Object(
  {
    ...API_KEY_FIELDS,
    key: Text("The key. It is shown only once.", "slw_4dPq7RkT…"),
  },
  { title: "NewApiKey", description: "A new API key, with the key itself." },
);

export function viewApiKey(apiKey: ApiKey) {
  const { scopes, projectIds, expiresAt, lastUsedAt, createdAt } = apiKey;
  return {
    ...apiKey,
    scopes: scopes === null ? null : [...scopes],
    projectIds: projectIds === null ? null : [...projectIds],
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
