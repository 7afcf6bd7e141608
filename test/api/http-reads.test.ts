import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { CASES, type Resources } from "../guards/authorization-cases.ts";
import { seedResources } from "../guards/authorization-seed.ts";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { readOperations } from "../helpers/document/operations.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const WAIT = { prefer: "wait=30" };

/** Reads whose answer Slipway composes, or asks another system for, at each request. */
const NOT_WATCHED: readonly string[] = [
  "GET /v1/admin/health",
  "GET /v1/admin/own-server",
  "GET /v1/admin/sign-in-providers",
  "GET /v1/deployments/{deploymentId}/rollback-plan",
  "GET /v1/environments/{environmentId}/drift",
  "GET /v1/git-integrations/{gitIntegrationId}/detection",
  "GET /v1/git-integrations/{gitIntegrationId}/branches",
  "GET /v1/me/permissions",
  "GET /v1/overview/projects/{projectId}",
  "GET /v1/previews/entry",
  "GET /v1/projects/{projectId}/branches",
  "GET /v1/projects/{projectId}/commits",
  "GET /v1/search",
  "GET /v1/statistics",
  "GET /v1/services/{serviceId}/health",
  "GET /v1/services/{serviceId}/scaling",
  "GET /v1/services/{serviceId}/traffic",
];

describe("a read", () => {
  let instance: Instance;
  let path: string;
  before(async () => {
    instance = await startInstance();
    const { body } = await instance.admin.post("/v1/aws-accounts", { givenId: "read" });
    path = `/v1/aws-accounts/${body.id}`;
  });
  after(() => instance.dispose());

  const rename = async (name: string): Promise<void> => {
    const answer = await instance.admin.patch(path, { name });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  const etagNow = async (): Promise<string> => (await instance.admin.get(path)).headers.get("etag") ?? "";

  it("carries an ETag that changes with the state and answers 304 to it", async () => {
    const etag = await etagNow();
    assert.match(etag, /^"[\w-]+"$/);
    const same = await instance.admin.get(path, { "if-none-match": etag });
    assert.deepEqual([same.status, same.body, same.headers.get("etag")], [304, undefined, etag]);
    for (const tags of [`W/${etag}`, `"other", ${etag}`, "*"])
      assert.equal((await instance.admin.get(path, { "if-none-match": tags })).status, 304, tags);
    await rename("changed");
    const changed = await instance.admin.get(path, { "if-none-match": etag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get("etag"), etag);
  });

  it("is compressed only for Slipway's own pages, and has the same ETag", async () => {
    const own = { "sec-fetch-site": "same-origin", "accept-encoding": "gzip" };
    const ask = async (headers: Record<string, string>, at = "/v1/me") => {
      const { headers: got, body } = await instance.admin.get(at, headers);
      return { encoding: got.get("content-encoding"), vary: got.get("vary"), etag: got.get("etag"), body };
    };
    const plain = await ask({ "accept-encoding": "identity" });
    assert.deepEqual([plain.encoding, plain.vary], [null, null]);
    // fetch has decoded it.
    assert.deepEqual(await ask(own), { ...plain, encoding: "gzip", vary: "accept-encoding" });
    for (const headers of [
      { ...own, "sec-fetch-site": "cross-site" },
      { ...own, "sec-fetch-site": "none" },
      { "accept-encoding": "gzip" },
      { ...own, "accept-encoding": "identity" },
    ])
      assert.equal((await ask(headers)).encoding, null, JSON.stringify(headers));
    assert.equal((await ask(own, path)).encoding, null, "it is small");
  });

  it("with Prefer: wait is answered as soon as the resource changes", async () => {
    for (const knowsState of [false, true]) {
      const headers = knowsState ? { "if-none-match": await etagNow() } : {};
      const startedAt = Date.now();
      const waiting = instance.admin.get(path, { prefer: "wait=30", ...headers });
      await untilWaiting();
      const name = `news ${startedAt}`;
      await rename(name);
      const answer = await waiting;
      assert.equal(answer.status, 200);
      assert.equal(answer.body.name, name);
      assert.equal(answer.headers.get("preference-applied"), "wait=30");
      assert.ok(Date.now() - startedAt < 4_500, "the change ended the wait, not the next look");
    }
  });

  it("with Prefer: wait by givenId sees changes too", async () => {
    const startedAt = Date.now();
    const waiting = instance.admin.get("/v1/aws-accounts/read", { prefer: "wait=30" });
    await untilWaiting();
    await rename(`by givenId ${startedAt}`);
    assert.equal((await waiting).body.name, `by givenId ${startedAt}`);
    assert.ok(Date.now() - startedAt < 4_500, "the change ended the wait, not the next look");
  });

  it("of each single resource waits with Prefer: wait", async () => {
    const own = await seedResources(instance.admin, "single");
    const single = (await readOperations(instance.url)).filter(
      ({ route, needsKey, isList }) =>
        route.startsWith("GET ") && needsKey && !isList && !NOT_WATCHED.includes(route),
    );
    assert.ok(single.length > 8, `only ${single.length} routes`);
    await Promise.all(
      single.map(async ({ route }) => {
        const answer = await instance.admin.get(pathOf(route, own), { prefer: "wait=1" });
        assert.equal(answer.status, 200, `${route}: ${JSON.stringify(answer.body)}`);
        assert.equal(answer.headers.get("preference-applied"), "wait=1", route);
      }),
    );
  });

  it("with Prefer: wait of a user, and of /v1/me, sees a change and a deletion at once", async () => {
    const client = await createUserClient(instance.admin, "developer");
    const { body: me } = await client.get("/v1/me");
    const user = `/v1/users/${me.user.id}`;
    const asks = [() => client.get("/v1/me", WAIT), () => client.get(user, WAIT)];
    const ofKey = () => instance.admin.get(`/v1/api-keys/${me.apiKey.id}`, WAIT);
    const changed = await answersAfter(asks, () => instance.admin.patch(user, { role: "viewer" }));
    assert.deepEqual(
      changed.map(({ body }) => (body.user ?? body).role),
      ["viewer", "viewer"],
    );
    const [self, ...others] = await answersAfter([...asks, ofKey], () => instance.admin.delete(user));
    assertGone(self, others);
  });

  it("with Prefer: wait of /v1/me, and of a key, ends when the key is revoked", async () => {
    const client = await createUserClient(instance.admin, "viewer");
    const { body: me } = await client.get("/v1/me");
    const key = `/v1/api-keys/${me.apiKey.id}`;
    const asks = [() => client.get("/v1/me", WAIT), () => instance.admin.get(key, WAIT)];
    const [self, ...others] = await answersAfter(asks, () => instance.admin.delete(key));
    assertGone(self, others);
  });

  it("with Prefer: wait of a git integration sees its deletion at once", async () => {
    const { body } = await instance.admin.post("/v1/git-integrations", {
      provider: "provider_b",
      token: "any",
    });
    const integration = `/v1/git-integrations/${body.id}`;
    const asks = [() => instance.admin.get(integration, WAIT)];
    for (const answer of await answersAfter(asks, () => instance.admin.delete(integration)))
      assertRefused(answer, 404, "NOT_FOUND");
  });

  it("with Prefer: wait of a project's parts sees the project's deletion at once", async () => {
    const { projectId, environmentId, services } = await createProject(instance.admin, "short-lived");
    const service = `/v1/services/${services["web"]}`;
    await until(async () => {
      const { body } = await instance.admin.get(service);
      return body.cdnDomainName !== null;
    }, "nothing of the service changes on its own any more");
    const project = `/v1/projects/${projectId}`;
    const environment = `/v1/environments/${environmentId}`;
    const paths = [project, environment, service, `${environment}/env-variables`, `${service}/env-variables`];
    const answers = await answersAfter(
      paths.map((one) => () => instance.admin.get(one, WAIT)),
      () => instance.admin.delete(project),
    );
    const [deleted, ...parts] = answers;
    // The project is deleted only when everything that it has in the cloud is deleted.
    if (deleted?.status === 200) assert.equal(deleted.body.status, "DELETING");
    else if (deleted !== undefined) assertRefused(deleted, 404, "NOT_FOUND");
    for (const answer of parts) assertRefused(answer, 404, "NOT_FOUND");
  });

  it("with Prefer: wait and an outdated ETag is answered at once", async () => {
    const startedAt = Date.now();
    const answer = await instance.admin.get(path, { prefer: "wait=30", "if-none-match": '"old"' });
    assert.equal(answer.status, 200);
    assert.ok(Date.now() - startedAt < 25_000, "without waiting for half a minute");
  });

  it("with Prefer: wait ends when the time has passed, with the present state", async () => {
    const startedAt = Date.now();
    const etag = await etagNow();
    const known = await instance.admin.get(path, { prefer: "wait=1", "if-none-match": etag });
    assert.equal(known.status, 304);
    const tookMs = Date.now() - startedAt;
    assert.ok(tookMs >= 950, `${tookMs} ms`);
    const unknown = await instance.admin.get(path, { prefer: "respond-async, wait=1" });
    assert.equal(unknown.status, 200);
  });

  it("with an invalid Prefer: wait, or if nothing can change, is answered at once", async () => {
    const startedAt = Date.now();
    for (const prefer of ["wait=0", "wait=x", "return=minimal", "waiting=20"])
      assert.equal((await instance.admin.get(path, { prefer })).headers.get("preference-applied"), null);
    const list = await instance.admin.get("/v1/users", { prefer: "wait=20" });
    assert.equal(list.headers.get("preference-applied"), null);
    assert.ok(Date.now() - startedAt < 15_000, "without waiting for 20 seconds");
  });

  it("with Prefer: wait is 404 at once if nothing exists, or when it is deleted", async () => {
    const missing = await instance.admin.get("/v1/aws-accounts/missing", { prefer: "wait=30" });
    assertRefused(missing, 404, "NOT_FOUND");
    const { body } = await instance.admin.post("/v1/aws-accounts", { givenId: "fleeting" });
    const waiting = instance.admin.get(`/v1/aws-accounts/${body.id}`, { prefer: "wait=30" });
    await untilWaiting();
    assert.equal((await instance.admin.delete(`/v1/aws-accounts/${body.id}`)).status, 204);
    assertRefused(await waiting, 404, "NOT_FOUND");
  });

  it("that waits ends when its client disconnects", async () => {
    const abandoned = request(`${instance.url}${path}`, {
      agent: false,
      headers: { authorization: `Bearer ${instance.admin.key}`, prefer: "wait=60" },
    });
    abandoned.on("error", () => undefined);
    abandoned.end();
    await untilWaiting();
    abandoned.destroy();
    await until(
      async () => (await countWaiting()) === 0,
      "no request waits any more, long before the minute has passed",
      30_000,
    );
  });

  it("accept a limit only as a JSON integer from 1 to 100", async () => {
    const ask = (limit: string) => instance.admin.get(`/v1/users?limit=${encodeURIComponent(limit)}`);
    for (const limit of ["1", "100"]) assert.equal((await ask(limit)).status, 200, limit);
    for (const limit of [
      "",
      "0",
      "101",
      "-1",
      "05",
      " 5",
      "5 ",
      "+5",
      "0x5",
      "5e0",
      "5.0",
      "5.",
      "\u0665",
      "true",
    ])
      assertRefused(await ask(limit), 400, "INVALID_REQUEST");
  });

  it("of a list visits every item once while others are added", async () => {
    for (let number = 0; number < 7; number += 1)
      await instance.admin.post("/v1/api-keys", { name: `page-${number}` });
    const { body: all } = await instance.admin.get("/v1/api-keys?limit=100");
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages += 1) {
      const next: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { status, body } = await instance.admin.get(`/v1/api-keys?limit=3${next}`);
      assert.equal(status, 200);
      assert.ok(body.apiKeys.length <= 3);
      seen.push(...body.apiKeys.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
      if (pages < 2) await instance.admin.post("/v1/api-keys", { name: `late-${pages}` });
      if (cursor === null) break;
    }
    assert.equal(new Set(seen).size, seen.length, "nothing comes twice");
    for (const { id } of all.apiKeys) assert.ok(seen.includes(id), "nothing is left out");
    assert.equal(seen.length, all.apiKeys.length + 2);
  });

  it("of a list continues if the cursor's item was deleted", async () => {
    const { body: first } = await instance.admin.get("/v1/api-keys?limit=2");
    const last = first.apiKeys.at(-1);
    assert.equal((await instance.admin.delete(`/v1/api-keys/${last.id}`)).status, 204);
    const { body: second } = await instance.admin.get(`/v1/api-keys?limit=2&cursor=${first.nextCursor}`);
    assert.ok(second.apiKeys.every(({ id }: { id: string }) => id > last.id));
  });

  it("with an invalid cursor is refused", async () => {
    const forged = [Buffer.from("a\nb").toString("base64url"), "%21%21", "YQ==", "x".repeat(201), ""];
    for (const cursor of forged) {
      const answer = await instance.admin.get(`/v1/api-keys?cursor=${cursor}`);
      assertRefused(answer, 400, cursor === "" || cursor.length > 400 ? "INVALID_REQUEST" : "INVALID_CURSOR");
    }
  });

  /** What reads are answered that wait while something changes, which they hear of before they look again. */
  const answersAfter = async <Answer>(
    asks: readonly (() => Promise<Answer>)[],
    change: () => Promise<{ readonly status: number }>,
  ): Promise<readonly Answer[]> => {
    const waiting = Promise.all(asks.map((ask) => ask()));
    await until(async () => (await countWaiting()) === asks.length, "all wait");
    const startedAt = Date.now();
    const { status } = await change();
    assert.ok(status < 300, `${status}`);
    const answers = await waiting;
    assert.ok(Date.now() - startedAt < 4_500, "the change ended the waits, not the next look");
    return answers;
  };

  const countWaiting = async (): Promise<number> => {
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(/^slipway_waiting_reads (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
  };
  const untilWaiting = async (): Promise<void> => {
    await until(async () => (await countWaiting()) > 0, "a read waits");
  };
});

/** The caller of `/v1/me` is no longer authenticated; the resources are not found. */
function assertGone(self: ApiAnswer | undefined, others: readonly ApiAnswer[]): void {
  assert.ok(self !== undefined);
  assertRefused(self, 401, "UNAUTHENTICATED");
  for (const answer of others) assertRefused(answer, 404, "NOT_FOUND");
}

/** The path of a route, with its query, for what an organization has. */
function pathOf(route: string, own: Resources): string {
  const query = new URLSearchParams(CASES[route]?.query?.(own)).toString();
  const path = route.replace("GET ", "").replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "");
  return query === "" ? path : `${path}?${query}`;
}
