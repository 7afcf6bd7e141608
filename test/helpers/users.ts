import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type ApiClient, createApiClient } from "./api-client.ts";

/** A new user of the admin's organization, as a client with a key of its own. */
export async function createUserClient(
  admin: ApiClient,
  role: "viewer" | "developer" | "admin",
): Promise<ApiClient> {
  const email = `${role}-${randomUUID()}@example.com`;
  const user = await admin.post("/v1/users", { email, role });
  assert.equal(user.status, 201, JSON.stringify(user.body));
  const key = await admin.post("/v1/api-keys", { name: role, userId: user.body.id });
  assert.equal(key.status, 201, JSON.stringify(key.body));
  return createApiClient(admin.baseUrl, key.body.key);
}
