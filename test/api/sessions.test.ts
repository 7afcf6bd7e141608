import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ApiAnswer, type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

/** The whole cookie of an answer. */
const cookieOf = ({ headers }: ApiAnswer): string => headers.get("set-cookie") ?? "";
/** The page keys of sessions, by what a browser sends of their cookies. */
const pageKeys = new Map<string, string>();
/** What a browser sends of it. */
function sentOf(answer: ApiAnswer): string {
  const sent = cookieOf(answer).split(";", 1)[0] ?? "";
  pageKeys.set(sent, answer.body.pageKey as string);
  return sent;
}

/** Sends what a page in a browser with a cookie sends; the last page key with a cookie that is none of ours. */
async function send(
  url: string,
  cookie: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = SAME_ORIGIN,
  body?: object,
): Promise<{
  readonly status: number;
  readonly headers: Headers;
  readonly body: never;
  readonly text: string;
}> {
  const pageKey = pageKeys.get(cookie) ?? [...pageKeys.values()].at(-1) ?? "";
  const answer = await fetch(url + path, {
    method,
    headers: {
      cookie,
      "slipway-page-key": pageKey,
      ...headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: (text === "" ? null : JSON.parse(text)) as never,
  };
}

describe("a session", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const ask = (
    cookie: string,
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: object,
  ) => send(instance.url, cookie, method, path, headers, body);

  async function newUser(
    name: string,
    role: string,
  ): Promise<{ client: ApiClient; userId: string; keyId: string }> {
    const user = await instance.admin.post("/v1/users", { email: `${name}@example.com`, role });
    const key = await instance.admin.post("/v1/api-keys", { name, userId: user.body.id });
    return { client: createApiClient(instance.url, key.body.key), userId: user.body.id, keyId: key.body.id };
  }
  async function signIn(client: ApiClient): Promise<{ cookie: string; id: string }> {
    const answer = await client.post("/v1/sessions");
    assert.equal(answer.status, 201, answer.text);
    return { cookie: sentOf(answer), id: answer.body.id };
  }
  const isEnded = async (cookie: string): Promise<boolean> => {
    // Not /v1/me: it is refused as soon as its user is deleted, while the session is still cached.
    const answer = await ask(cookie, "GET", "/v1/users");
    if (answer.status === 200) return false;
    assertRefused(answer, 401, "SESSION_ENDED");
    return true;
  };

  it("is made of a key, and its cookie is out of reach of scripts and other sites", async () => {
    const made = await instance.admin.post("/v1/sessions");
    assert.match(
      cookieOf(made),
      /^slipway=sls_[0-9a-z]{26}[.][0-9A-Za-z]{33}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    );
    assert.ok(!made.text.includes("sls_"));
    const me = await ask(sentOf(made), "GET", "/v1/me");
    const { credential, apiKey, user } = me.body as {
      credential: unknown;
      apiKey: unknown;
      user: { role: string };
    };
    assert.deepEqual(credential, { kind: "session", id: made.body.id });
    assert.deepEqual([apiKey, user.role], [null, "admin"]);
  });

  it("is made once for an Idempotency-Key, with the same cookie", async () => {
    const once = { "idempotency-key": "sign-in-once" };
    const [first, again] = [
      await instance.admin.post("/v1/sessions", undefined, once),
      await instance.admin.post("/v1/sessions", undefined, once),
    ];
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(cookieOf(again), cookieOf(first));
  });

  it("makes no further session, and its token is not a key", async () => {
    const { cookie } = await signIn(instance.admin);
    assertRefused(await ask(cookie, "POST", "/v1/sessions"), 403, "SESSION_NEEDS_KEY");
    const asKey = createApiClient(instance.url, cookie.replace("slipway=", ""));
    assertRefused(await asKey.get("/v1/me"), 401, "UNAUTHENTICATED");
  });

  it("is used only with its page key, which no other port of the host is sent", async () => {
    const [own, other] = [await signIn(instance.admin), await signIn(instance.admin)];
    assert.match(pageKeys.get(own.cookie) ?? "", /^[0-9A-Za-z]{27}$/);
    const read = await instance.admin.get(`/v1/sessions/${own.id}`);
    assert.ok(!read.text.includes("pageKey"));
    for (const pageKey of [
      "",
      "x".repeat(27),
      pageKeys.get(other.cookie) ?? "",
      own.cookie,
      "y".repeat(600),
    ]) {
      const headers = { ...SAME_ORIGIN, "slipway-page-key": pageKey };
      assertRefused(await ask(own.cookie, "GET", "/v1/me", headers), 401, "SESSION_ENDED");
      const made = await ask(own.cookie, "POST", "/v1/api-keys", headers, { name: "stolen" });
      assertRefused(made, 401, "SESSION_ENDED");
    }
    assert.equal((await ask(own.cookie, "GET", "/v1/me")).status, 200);
  });

  it("writes only for Slipway's own pages", async () => {
    const { cookie } = await signIn(instance.admin);
    const write = (headers: Record<string, string>) =>
      ask(cookie, "POST", "/v1/aws-accounts", headers, {
        givenId: `a${Math.random().toString(36).slice(2)}`,
      });
    const own = instance.url;
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: own }])
      assert.equal((await write(headers)).status, 201, JSON.stringify(headers));
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: own },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: own.replace("http:", "https:") },
    ] as Record<string, string>[])
      assertRefused(await write(headers), 403, "CROSS_SITE_REFUSED");
  });

  it("does not read for pages of others", async () => {
    const { cookie } = await signIn(instance.admin);
    for (const headers of [{}, { "sec-fetch-site": "none" }, SAME_ORIGIN] as Record<string, string>[])
      assert.equal((await ask(cookie, "GET", "/v1/me", headers)).status, 200);
    for (const site of ["cross-site", "same-site"])
      assertRefused(
        await ask(cookie, "GET", "/v1/me", { "sec-fetch-site": site }),
        403,
        "CROSS_SITE_REFUSED",
      );
  });

  it("gives way to a key", async () => {
    const { client, keyId } = await newUser("both", "viewer");
    const { cookie } = await signIn(instance.admin);
    const me = await client.get("/v1/me", { cookie, "sec-fetch-site": "cross-site" });
    assert.equal(me.body.credential.id, keyId);
    const wrong = createApiClient(instance.url, "a-key-that-does-not-exist");
    assertRefused(await wrong.get("/v1/me", { cookie }), 401, "UNAUTHENTICATED");
  });

  it("is refused when mistyped, planted under another name, or of another kind", async () => {
    const { cookie } = await signIn(instance.admin);
    for (const other of [`${cookie}x`, "slipway=x", `slipway=${ADMIN_KEY}`])
      assertRefused(await ask(other, "GET", "/v1/me"), 401, "SESSION_ENDED");
    for (const other of [cookie.replace("slipway=", "__Host-slipway="), "slipway=", "other=1"])
      assertRefused(await ask(other, "GET", "/v1/me"), 401, "UNAUTHENTICATED");
  });

  it("is listed by its user, and by admins", async () => {
    const { client, userId } = await newUser("listed", "viewer");
    const [one, two] = [await signIn(client), await signIn(client)];
    const listed = await ask(one.cookie, "GET", "/v1/sessions");
    const { sessions } = listed.body as { sessions: { id: string; isCurrent: boolean; userAgent: string }[] };
    assert.deepEqual(
      sessions.map(({ id, isCurrent }) => [id, isCurrent]),
      [
        [one.id, true],
        [two.id, false],
      ],
    );
    assert.equal(sessions[0]?.userAgent, "node");
    const byAdmin = await instance.admin.get(`/v1/sessions?userId=${userId}`);
    assert.equal(byAdmin.body.sessions.length, 2);
    const { body: admin } = await instance.admin.get("/v1/me");
    const ofAdmin = await signIn(instance.admin);
    assert.deepEqual((await client.get(`/v1/sessions?userId=${admin.user.id}`)).body.sessions, []);
    assertRefused(await client.get(`/v1/sessions/${ofAdmin.id}`), 404, "NOT_FOUND");
    assertRefused(await client.delete(`/v1/sessions/${ofAdmin.id}`), 404, "NOT_FOUND");
    assert.equal((await ask(ofAdmin.cookie, "GET", "/v1/sessions/current")).status, 200);
    assertRefused(await instance.admin.get("/v1/sessions/current"), 404, "NOT_FOUND");
  });

  it("ends when it signs out, and its cookie goes", async () => {
    const { cookie } = await signIn(instance.admin);
    const out = await ask(cookie, "DELETE", "/v1/sessions/current");
    assert.equal(out.status, 204);
    assert.match(out.headers.get("set-cookie") ?? "", /^slipway=; Path=\/; Max-Age=0; /);
    await until(() => isEnded(cookie), "the session is refused", 5_000);
  });

  it("ends within five seconds when it is revoked, or its key or its user is deleted", async () => {
    const revoked = await newUser("revoked", "viewer");
    const keyless = await newUser("keyless", "viewer");
    const leaver = await newUser("leaver", "viewer");
    const all = [await signIn(revoked.client), await signIn(keyless.client), await signIn(leaver.client)];
    for (const { cookie } of all) assert.equal(await isEnded(cookie), false);
    const { admin } = instance;
    const out = await admin.delete(`/v1/sessions/${all[0]?.id}`);
    assert.deepEqual([out.status, out.headers.get("set-cookie")], [204, null]);
    assert.equal((await admin.delete(`/v1/api-keys/${keyless.keyId}`)).status, 204);
    assert.equal((await admin.delete(`/v1/users/${leaver.userId}`)).status, 204);
    for (const { cookie } of all) await until(() => isEnded(cookie), "the session is refused", 5_000);
  });

  it("has its user's present role", async () => {
    const { client, userId } = await newUser("demoted", "admin");
    const { cookie } = await signIn(client);
    assert.equal((await ask(cookie, "GET", "/v1/api-keys")).status, 200);
    await instance.admin.patch(`/v1/users/${userId}`, { role: "viewer" });
    await until(
      async () => (await ask(cookie, "GET", "/v1/api-keys")).status === 403,
      "it may no longer",
      5_000,
    );
  });

  it("that ends, ends its held requests and its streams", async () => {
    const { client } = await newUser("held", "viewer");
    const { cookie, id } = await signIn(client);
    const { headers } = await ask(cookie, "GET", "/v1/me");
    const held = ask(cookie, "GET", "/v1/me", {
      ...SAME_ORIGIN,
      prefer: "wait=60",
      "if-none-match": headers.get("etag") ?? "",
    });
    const stream = await fetch(`${instance.url}/v1/events`, {
      headers: {
        cookie,
        "slipway-page-key": pageKeys.get(cookie) ?? "",
        ...SAME_ORIGIN,
        accept: "text/event-stream",
      },
    });
    assert.equal(stream.status, 200);
    await instance.admin.delete(`/v1/sessions/${id}`);
    assertRefused(await held, 401, "SESSION_ENDED");
    assert.match(await stream.text(), /^event: refused\n.*"SESSION_ENDED"/m);
  });

  it("is shown in the audit trail of what it did", async () => {
    const { cookie, id } = await signIn(instance.admin);
    const made = await ask(cookie, "POST", "/v1/aws-accounts", SAME_ORIGIN, { givenId: "by-session" });
    const { id: accountId } = made.body as { id: string };
    const { body } = await instance.admin.get(`/v1/audit-entries?resourceId=${accountId}`);
    assert.equal(body.auditEntries[0].apiKeyId, id);
    const { body: ofSession } = await instance.admin.get(`/v1/audit-entries?resourceId=${id}`);
    assert.equal(ofSession.auditEntries[0].action, "session.created");
  });

  it("of others is listed only for an admin whose key is not limited", async () => {
    const { client, userId } = await newUser("watched", "viewer");
    await signIn(client);
    const { body: limited } = await instance.admin.post("/v1/api-keys", { name: "read", scopes: ["read"] });
    const asLimited = createApiClient(instance.url, limited.key);
    assert.deepEqual((await asLimited.get(`/v1/sessions?userId=${userId}`)).body.sessions, []);
    assert.equal((await instance.admin.get(`/v1/sessions?userId=${userId}`)).body.sessions.length, 1);
  });

  it("is neither ended nor displaced by a key that may do less", async () => {
    const { client, userId } = await newUser("limited", "developer");
    const full = await signIn(client);
    const key = await instance.admin.post("/v1/api-keys", { name: "read", userId, scopes: ["read"] });
    const reader = createApiClient(instance.url, key.body.key);
    const own = await signIn(reader);
    const second = await signIn(reader);
    for (const answer of [
      await reader.delete(`/v1/sessions/${full.id}`),
      await ask(own.cookie, "DELETE", `/v1/sessions/${full.id}`),
      await ask(own.cookie, "DELETE", `/v1/sessions/${second.id}`),
    ])
      assertRefused(answer, 403, "SCOPE_MISSING");
    assert.equal((await reader.delete(`/v1/sessions/${second.id}`)).status, 204);
    assert.equal((await ask(own.cookie, "DELETE", "/v1/sessions/current")).status, 204);
    for (let more = 0; more < 51; more += 1) await signIn(reader);
    const { body } = await client.get("/v1/sessions?limit=100");
    assert.equal(body.sessions.length, 51);
    assert.ok(body.sessions.some(({ id }: { id: string }) => id === full.id));
    assert.equal((await client.delete(`/v1/sessions/${body.sessions[1].id}`)).status, 204);
  });

  it("beyond the fiftieth of a key ends the oldest", async () => {
    const { client } = await newUser("many", "viewer");
    const first = await signIn(client);
    for (let more = 0; more < 50; more += 1) await signIn(client);
    const { body } = await client.get("/v1/sessions?limit=100");
    assert.equal(body.sessions.length, 50);
    assert.ok(!body.sessions.some(({ id }: { id: string }) => id === first.id));
  });
});
