import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { assertRefused } from "../helpers/problems.ts";
import { createKeyClient } from "../helpers/users.ts";
import { until } from "../helpers/until.ts";

const REPO_URL = "https://git.sandbox.test/demo.git";

/** That each route is held to scopes and projects is tested by `test/guards/authorization.test.ts`. */
describe("a key with limits", () => {
  let instance: Instance;
  let admin: ApiClient;
  let own: Project;
  let another: Project;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    ({ admin } = instance);
    own = await createProject(admin, "own");
    another = await createProject(admin, "another");
  });
  after(() => instance.dispose());

  it("shows its limits, and a key without has none", async () => {
    const limits = { scopes: ["deploy", "variables"], projectIds: [own.projectId] };
    const { body: key } = await admin.post("/v1/api-keys", { name: "ci", ...limits });
    assert.deepEqual({ scopes: key.scopes, projectIds: key.projectIds }, limits);
    const { body: shown } = await admin.get(`/v1/api-keys/${key.id}`);
    assert.deepEqual({ scopes: shown.scopes, projectIds: shown.projectIds }, limits);
    const { body: me } = await admin.get("/v1/me");
    assert.deepEqual([me.apiKey.scopes, me.apiKey.projectIds], [null, null]);
  });

  it("creates no key with more scopes than its own", async () => {
    const manager = await createKeyClient(admin, { scopes: ["admin", "deploy"] });
    for (const scopes of [undefined, ["variables"], ["admin", "domains"]])
      assertRefused(await manager.post("/v1/api-keys", { name: "more", scopes }), 403, "KEY_EXCEEDS_OWN");
    const made = await manager.post("/v1/api-keys", { name: "less", scopes: ["deploy", "read"] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  });

  it("creates nothing that outlives it", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const { body: short } = await admin.post("/v1/api-keys", { name: "short", expiresAt: inAnHour });
    const client = createApiClient(instance.url, short.key);
    const { body: user } = await admin.post("/v1/users", { kind: "service", name: "CI", role: "viewer" });
    const trust = {
      name: "ci",
      userId: user.id,
      issuer: "https://token.actions.githubusercontent.com",
      audience: "https://slipway.example",
      conditions: { repository: "acme/shop" },
      scopes: ["read"],
    };
    const later = new Date(Date.parse(inAnHour) + 1_000).toISOString();
    const signedIn = await client.post("/v1/sessions");
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const bySession = await fetch(`${instance.url}/v1/api-keys`, {
      method: "POST",
      headers: {
        cookie,
        "slipway-page-key": signedIn.body.pageKey,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "by its session" }),
    });
    assert.equal(bySession.status, 403);
    assert.equal(((await bySession.json()) as { code: string }).code, "KEY_EXCEEDS_OWN");
    for (const answer of [
      await client.post("/v1/api-keys", { name: "lasting" }),
      await client.post("/v1/api-keys", { name: "longer", expiresAt: later }),
      await client.post("/v1/workload-trusts", trust),
    ])
      assertRefused(answer, 403, "KEY_EXCEEDS_OWN");
    const same = await client.post("/v1/api-keys", { name: "same", expiresAt: inAnHour });
    assert.equal(same.status, 201, same.text);
    assert.equal((await admin.post("/v1/workload-trusts", trust)).status, 201);
  });

  it("finds in every list only its projects", async () => {
    for (const { projectId } of [own, another])
      await admin.post("/v1/deployments", { repoUrl: REPO_URL, filter: { projectId } });
    const client = await createKeyClient(admin, { projectIds: [own.projectId] });
    for (const path of ["projects", "deployments", "overview/projects", "overview/deployments"]) {
      const { body } = await client.get(`/v1/${path}`);
      const list = path.replace("overview/", "");
      const ids = body[list].map((one: { id: string; projectId?: string }) => one.projectId ?? one.id);
      assert.deepEqual(ids, [own.projectId], list);
    }
    await until(async () => (await client.get("/v1/events")).body.events.length > 0, "events are numbered");
    const { body: feed } = await client.get("/v1/events");
    const projects = new Set(feed.events.map((event: { projectId: string }) => event.projectId));
    assert.deepEqual([...projects], [own.projectId]);
  });

  it("deploys its project without naming it, although another has the same repository", async () => {
    const client = await createKeyClient(admin, { projectIds: [own.projectId], scopes: ["deploy"] });
    const made = await client.post("/v1/deployments", { repoUrl: REPO_URL });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.body.projectId, own.projectId);
  });

  it("is not the admin's key that an organization needs", async () => {
    const { other: alone } = instance;
    const { body: me } = await alone.get("/v1/me");
    await createKeyClient(alone, { scopes: ["deploy"] });
    assertRefused(await alone.delete(`/v1/api-keys/${me.apiKey.id}`), 409, "LAST_ADMIN_KEY");
  });
});
