import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type ApiAnswer, type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

describe("users and keys", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ env: { SLIPWAY_RATE_LIMIT_PER_MINUTE: "60" } });
  });
  after(() => instance.dispose());

  /** A user with a separate key, so that each test has its own rate limit. */
  const newClient = async (
    creator: ApiClient,
    email: string,
    role: string,
  ): Promise<{ client: ApiClient; userId: string; apiKeyId: string }> => {
    const user = await creator.post("/v1/users", { email, role });
    assert.equal(user.status, 201, JSON.stringify(user.body));
    const key = await creator.post("/v1/api-keys", { name: email, userId: user.body.id });
    assert.equal(key.status, 201, JSON.stringify(key.body));
    const client = createApiClient(instance.url, key.body.key);
    return { client, userId: user.body.id, apiKeyId: key.body.id };
  };

  it("a key that is revoked is refused within five seconds", async () => {
    const { client, apiKeyId } = await newClient(instance.admin, "revoked@example.com", "viewer");
    assert.equal((await client.get("/v1/users")).status, 200);
    assert.equal((await instance.admin.delete(`/v1/api-keys/${apiKeyId}`)).status, 204);
    const revokedAt = Date.now();
    await until(async () => (await client.get("/v1/users")).status === 401, "the key is refused", 5_000);
    assert.ok(Date.now() - revokedAt <= 5_000);
  });

  it("a key shows its user, role and organization", async () => {
    const { client, userId, apiKeyId } = await newClient(instance.admin, "me@example.com", "developer");
    const me = await client.get("/v1/me");
    assert.equal(me.status, 200, JSON.stringify(me.body));
    const { user, organization, apiKey, cloud } = me.body;
    assert.deepEqual([user.id, user.role], [userId, "developer"]);
    assert.match(organization.id, /^org_/);
    assert.deepEqual([apiKey.id, apiKey.name], [apiKeyId, "me@example.com"]);
    assert.equal(apiKey.prefix, client.key.slice(0, apiKey.prefix.length));
    assert.ok(apiKey.prefix.length < client.key.length / 2);
    assert.equal(cloud, "sandbox");
  });

  it("a user's keys are deleted with the user", async () => {
    const { client, userId } = await newClient(instance.admin, "leaver@example.com", "developer");
    assert.equal((await instance.admin.delete(`/v1/users/${userId}`)).status, 204);
    assertRefused(await client.get("/v1/users"), 401, "UNAUTHENTICATED");
  });

  it("a changed role takes effect within five seconds", async () => {
    const { client, userId } = await newClient(instance.admin, "promoted@example.com", "viewer");
    assertRefused(await client.post("/v1/aws-accounts", { givenId: "role" }), 403, "ROLE_TOO_LOW");
    await instance.admin.patch(`/v1/users/${userId}`, { role: "admin" });
    await until(
      async () => (await client.post("/v1/aws-accounts", { givenId: "role" })).status === 201,
      "the user may",
      5_000,
    );
  });

  it("a key is found where its Location says, without the key itself, until it is revoked", async () => {
    const { body, headers } = await instance.admin.post("/v1/api-keys", { name: "found" });
    const location = headers.get("location") ?? "";
    assert.equal(location, `/v1/api-keys/${body.id}`);
    const { key, ...shown } = body;
    const found = await instance.admin.get(location);
    assert.deepEqual([found.status, found.body], [200, shown]);
    assert.ok(!found.text.includes(key));
    assert.equal((await instance.admin.delete(location)).status, 204);
    assertRefused(await instance.admin.get(location), 404, "NOT_FOUND");
  });

  it("a key is shown once, and listed by its first characters", async () => {
    const created = await instance.admin.post("/v1/api-keys", { name: "shown" });
    assert.match(created.body.key, /^slw_[0-9A-Za-z]{33}$/);
    const list = await instance.admin.get("/v1/api-keys?limit=100");
    const listed = list.body.apiKeys.find(({ id }: { id: string }) => id === created.body.id);
    assert.equal(listed.prefix, created.body.key.slice(0, 12));
    assert.ok(!JSON.stringify(list.body).includes(created.body.key));
    assert.ok(!instance.logged().includes(created.body.key));
  });

  it("an organization keeps its last admin, even if two are removed at once", async () => {
    const { client, userId } = await newClient(instance.admin, "second-admin@example.com", "admin");
    const { body } = await instance.admin.get("/v1/users?limit=100");
    const admins = body.users.filter(({ role }: { role: string }) => role === "admin");
    // Leaves this pair only.
    for (const { id, email } of admins) {
      if (id !== userId && email !== "admin@localhost") await instance.admin.delete(`/v1/users/${id}`);
    }
    const first = admins.find(({ email }: { email: string }) => email === "admin@localhost");
    const answers = await Promise.all([
      client.patch(`/v1/users/${first.id}`, { role: "viewer" }),
      client.patch(`/v1/users/${userId}`, { role: "viewer" }),
    ]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const [ofFirst, ofItself] = answers;
    // A request that comes after its own user stopped being an admin has too low a role.
    if (ofFirst?.status === 403) assertRefused(ofFirst, 403, "ROLE_TOO_LOW");
    else assertRefused(ofFirst?.status === 200 ? ofItself : ofFirst, 409, "LAST_ADMIN");
    // The remaining admin restores the other one, for the tests that follow.
    if (answers[0]?.status === 200) await client.patch(`/v1/users/${first.id}`, { role: "admin" });
  });

  it("an address belongs to one user, in any spelling", async () => {
    const client = await newAdmin();
    const email = "Once@Example.com";
    assert.equal((await client.post("/v1/users", { email, role: "viewer" })).status, 201);
    const again = await client.post("/v1/users", { email: "once@example.com", role: "viewer" });
    assertRefused(again, 409, "EMAIL_TAKEN");
    assert.match(again.body.detail, /Change that user, or use another address\.$/);
  });

  it("a key over its limit gets Retry-After, and others are not delayed", async () => {
    const client = await newAdmin();
    const sinceMs = performance.now();
    const first = await client.get("/v1/users");
    assert.equal(first.headers.get("ratelimit-policy"), '"default";q=60;w=60');
    assert.match(first.headers.get("ratelimit") ?? "", /^"default";r=\d+;t=\d+$/);
    const refused: ApiAnswer[] = [];
    let allowed = 1;
    // On a slow machine, the next minute begins in between.
    while (refused.length === 0) {
      const answers = await Promise.all(Array.from({ length: 70 }, () => client.get("/v1/users")));
      refused.push(...answers.filter(({ status }) => status === 429));
      allowed += answers.filter(({ status }) => status === 200).length;
    }
    const seconds = Math.ceil((performance.now() - sinceMs) / 1_000);
    assert.ok(allowed <= 60 + seconds, `${allowed} were allowed in ${seconds} s`);
    for (const answer of refused) {
      assertRefused(answer, 429, "RATE_LIMITED");
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      assert.match(answer.headers.get("ratelimit") ?? "", /r=0/);
    }
    const other = await newAdmin();
    assert.equal((await other.get("/v1/users")).status, 200);
  });

  const newAdmin = async (): Promise<ApiClient> => {
    const email = `admin-${randomUUID()}@example.com`;
    return (await newClient(instance.admin, email, "admin")).client;
  };

  it("a key expires when it was said to", async () => {
    const past = await instance.admin.post("/v1/api-keys", {
      name: "old",
      expiresAt: "2020-01-01T00:00:00Z",
    });
    assert.deepEqual(assertRefused(past, 400, "INVALID_REQUEST"), ["/expiresAt TOO_SMALL"]);
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const key = await instance.admin.post("/v1/api-keys", { name: "short", expiresAt });
    assert.equal(key.body.expiresAt, expiresAt);
    const client = createApiClient(instance.url, key.body.key);
    assert.equal((await client.get("/v1/me")).body.apiKey.expiresAt, expiresAt);
    const refusal = await until(async () => {
      const answer = await client.get("/v1/me");
      return answer.status === 401 ? answer : null;
    }, "the key is refused");
    assertRefused(refusal, 401, "API_KEY_EXPIRED");
    assert.ok(Date.now() >= Date.parse(expiresAt));
  });

  it("a service account works by its keys, does not sign in, and is not the last admin", async () => {
    const { admin } = instance;
    const made = await admin.post("/v1/users", { kind: "service", name: "CI", role: "admin" });
    assert.equal(made.status, 201, made.text);
    const { id, kind, email, name } = made.body;
    assert.deepEqual([kind, email, name], ["service", null, "CI"]);
    const key = await admin.post("/v1/api-keys", { name: "ci", userId: id });
    const client = createApiClient(instance.url, key.body.key);
    assert.equal((await client.get("/v1/me")).body.user.id, id);
    assertRefused(await client.post("/v1/sessions"), 403, "SERVICE_ACCOUNT_SIGN_IN");
    const address = await admin.patch(`/v1/users/${id}`, { email: "ci@example.com" });
    assertRefused(address, 409, "EMAIL_OF_SERVICE");
    const renamed = await admin.patch(`/v1/users/${id}`, { name: "Builds" });
    assert.deepEqual([renamed.body.name, renamed.body.email], ["Builds", null]);
    const { body: me } = await admin.get("/v1/me");
    const people = await admin.get("/v1/users?kind=person&limit=100");
    const services = await admin.get("/v1/users?kind=service");
    assert.ok(people.body.users.some((user: { id: string }) => user.id === me.user.id));
    assert.deepEqual(
      services.body.users.map((user: { id: string }) => user.id),
      [id],
    );
    // Other tests have left admins that are people.
    for (const user of people.body.users as { id: string; role: string }[])
      if (user.role === "admin" && user.id !== me.user.id) await admin.delete(`/v1/users/${user.id}`);
    assertRefused(await client.patch(`/v1/users/${me.user.id}`, { role: "viewer" }), 409, "LAST_ADMIN");
    assert.equal((await admin.delete(`/v1/users/${id}`)).status, 204);
  });

  it("a service account needs a name and no address, a person an address", async () => {
    const post = (body: object) => instance.admin.post("/v1/users", { role: "viewer", ...body });
    assert.deepEqual(assertRefused(await post({ name: "x" }), 400, "INVALID_REQUEST"), ["/email REQUIRED"]);
    const service = { kind: "service", email: "x@example.com" };
    assert.deepEqual(assertRefused(await post(service), 400, "INVALID_REQUEST"), [
      "/email INVALID",
      "/name REQUIRED",
    ]);
  });

  it("says when keys and sessions were last used", async () => {
    const key = await instance.admin.post("/v1/api-keys", { name: "used" });
    assert.equal(key.body.lastUsedAt, null);
    const client = createApiClient(instance.url, key.body.key);
    const before = Date.now();
    await client.get("/v1/me");
    // The process writes the last minute when it stops.
    instance = await instance.restart();
    const { body } = await instance.admin.get(`/v1/api-keys/${key.body.id}`);
    assert.ok(Date.parse(body.lastUsedAt) >= before, body.lastUsedAt);
    assert.ok(Date.parse(body.lastUsedAt) <= Date.now());
  });

  it("says when a user was last seen, also when the key was deleted", async () => {
    const { client, userId, apiKeyId } = await newClient(instance.admin, "seen@example.com", "viewer");
    const shown = async () => (await instance.admin.get(`/v1/users/${userId}`)).body;
    assert.equal((await shown()).lastSeenAt, null);
    const before = Date.now();
    await client.get("/v1/me");
    await instance.admin.delete(`/v1/api-keys/${apiKeyId}`);
    instance = await instance.restart();
    const seen = await shown();
    assert.ok(Date.parse(seen.lastSeenAt) >= before, seen.lastSeenAt);
    assert.equal(seen.updatedAt, seen.createdAt);
    const { users } = (await instance.admin.get("/v1/users?limit=100")).body;
    const listed = users.find(({ id }: { id: string }) => id === userId);
    assert.equal(listed.lastSeenAt, seen.lastSeenAt);
  });

  it("sees the user of a session, also when the session has ended", async () => {
    const { client, userId } = await newClient(instance.admin, "session@example.com", "viewer");
    const begun = await fetch(`${instance.url}/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}` },
    });
    const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { id, pageKey } = (await begun.json()) as { id: string; pageKey: string };
    const before = Date.now();
    const headers = { cookie, "slipway-page-key": pageKey };
    assert.equal((await fetch(`${instance.url}/v1/me`, { headers })).status, 200);
    await instance.admin.delete(`/v1/sessions/${id}`);
    instance = await instance.restart();
    const { body } = await instance.admin.get(`/v1/users/${userId}`);
    assert.ok(Date.parse(body.lastSeenAt) >= before, body.lastSeenAt);
  });

  it("refuses no change because the user was seen meanwhile", async () => {
    const { client, userId } = await newClient(instance.admin, "meanwhile@example.com", "viewer");
    const path = `/v1/users/${userId}`;
    const etag = (await instance.admin.get(path)).headers.get("etag") ?? "";
    await client.get("/v1/me");
    instance = await instance.restart();
    const now = await instance.admin.get(path, { "if-none-match": etag });
    assert.equal(now.status, 200, "it shows another time");
    const changed = await instance.admin.patch(path, { name: "Seen" }, { "if-match": etag });
    assert.deepEqual([changed.status, changed.body.lastSeenAt], [200, now.body.lastSeenAt]);
    const stale = await instance.admin.patch(path, { name: "Again" }, { "if-match": etag });
    assertRefused(stale, 412, "PRECONDITION_FAILED");
  });

  it("says what lets a user in", async () => {
    const made = await instance.admin.post("/v1/users", { email: "in@example.com", role: "viewer" });
    assert.deepEqual(made.body.signInMethods, []);
    const path = `/v1/users/${made.body.id}`;
    const methods = async () => (await instance.admin.get(path)).body.signInMethods;
    const waiting = instance.admin.get(path, { prefer: "wait=30" });
    const key = await instance.admin.post("/v1/api-keys", { name: "in", userId: made.body.id });
    const byKey = [{ kind: "api-key", issuer: null, label: null }];
    assert.deepEqual((await waiting).body.signInMethods, byKey);
    await instance.admin.delete(`/v1/api-keys/${key.body.id}`);
    assert.deepEqual(await methods(), []);
    const expiresAt = new Date(Date.now() + 500).toISOString();
    await instance.admin.post("/v1/api-keys", { name: "short", userId: made.body.id, expiresAt });
    await until(async () => (await methods()).length === 0, "the key has expired");
  });
});
