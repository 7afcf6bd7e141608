import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type ApiClient, createApiClient } from "./api-client.ts";

type Role = "viewer" | "developer" | "admin";

/** A new user of the admin's organization, as a client with a separate key. */
export async function createUserClient(admin: ApiClient, role: Role): Promise<ApiClient> {
  return (await createScratchUser(admin, role)).client;
}

/** The same, with the ids by which it can be changed and removed again. */
export async function createScratchUser(
  admin: ApiClient,
  role: Role,
): Promise<{ readonly client: ApiClient; readonly userId: string; readonly keyId: string }> {
  const email = `${role}-${randomUUID()}@example.com`;
  const user = await admin.post("/v1/users", { email, role });
  assert.equal(user.status, 201, JSON.stringify(user.body));
  const key = await admin.post("/v1/api-keys", { name: role, userId: user.body.id });
  assert.equal(key.status, 201, JSON.stringify(key.body));
  const client = createApiClient(admin.baseUrl, key.body.key);
  return { client, userId: user.body.id, keyId: key.body.id };
}

/** The admin with another key, which is limited. */
export async function createKeyClient(
  admin: ApiClient,
  limits: { readonly scopes?: readonly string[]; readonly projectIds?: readonly string[] },
): Promise<ApiClient> {
  const key = await admin.post("/v1/api-keys", { name: "limited", ...limits });
  assert.equal(key.status, 201, JSON.stringify(key.body));
  return createApiClient(admin.baseUrl, key.body.key);
}
