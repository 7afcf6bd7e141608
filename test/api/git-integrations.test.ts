import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused, assertSameNotFound } from "../helpers/problems.ts";
import { createProject, untilGone } from "../helpers/customers/scenario.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/git-integrations";
const TOKEN = "glpat-very-secret-token-0123456789";

describe("git integrations", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
  });
  after(() => instance.dispose());

  it("are created, read, listed and deleted, and never show their token", async () => {
    const { admin } = instance;
    const created = await admin.post(PATH, {
      provider: "provider_b_self_hosted",
      host: "GitLab.Example.com:443",
      token: TOKEN,
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id, createdAt, tokenSetAt, lastCheckAt, ...rest } = created.body;
    assert.match(id, /^git_/);
    assert.ok(Date.parse(createdAt) > 0);
    assert.equal(tokenSetAt, createdAt);
    assert.equal(lastCheckAt, createdAt, "the token was tried");
    assert.deepEqual(rest, {
      provider: "provider_b_self_hosted",
      host: "gitlab.example.com",
      tokenStatus: "WORKING",
      lastCheckError: null,
      reportError: null,
    });
    assert.equal(created.headers.get("location"), `${PATH}/${id}`);

    const read = await admin.get(`${PATH}/${id}`);
    assert.deepEqual([read.status, read.body], [200, created.body]);
    const list = await admin.get(PATH);
    assert.deepEqual(list.body, { gitIntegrations: [created.body], nextCursor: null });
    assert.ok(!instance.logged().includes(TOKEN));

    const audit = await admin.get(`/v1/audit-entries?resourceId=${id}`);
    assert.deepEqual(
      audit.body.auditEntries.map((entry: { action: string }) => entry.action),
      ["git-integration.created"],
    );
    assert.equal((await admin.delete(`${PATH}/${id}`)).status, 204);
    assertRefused(await admin.get(`${PATH}/${id}`), 404, "NOT_FOUND");
    assertRefused(await admin.delete(`${PATH}/${id}`), 404, "NOT_FOUND");
  });

  it("exist once for a provider and host, in any spelling of the host", async () => {
    const { admin } = instance;
    const body = { provider: "provider_b_self_hosted", host: "git.example.org", token: "a" };
    const first = await admin.post(PATH, body);
    assert.equal(first.status, 201);
    const again = await admin.post(PATH, { ...body, host: "GIT.example.org:443", token: "b" });
    assertRefused(again, 409, "GIT_INTEGRATION_EXISTS");
    assert.equal((await admin.post(PATH, { ...body, host: "git.example.org:8443" })).status, 201);
    assert.equal((await instance.other.post(PATH, body)).status, 201, "another organization has its own");
  });

  it("are created once by several concurrent requests", async () => {
    const body = { provider: "provider_b_self_hosted", host: "race.example.org", token: "a" };
    const answers = await Promise.all([1, 2, 3].map(() => instance.admin.post(PATH, body)));
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ["201", "409", "409"]);
  });

  it("are checked when an admin asks, and say apart that the host is away", async () => {
    const { admin, other, sandbox } = instance;
    const { body: made } = await admin.post(PATH, { provider: "provider_b", token: TOKEN });
    const path = `${PATH}/${made.id}`;
    const checked = await admin.post(`${path}/check`);
    assert.equal(checked.status, 200, checked.text);
    assert.ok(Date.parse(checked.body.lastCheckAt) > Date.parse(made.lastCheckAt));
    assert.deepEqual({ ...checked.body, lastCheckAt: made.lastCheckAt }, made);
    assert.deepEqual((await admin.get(path)).body, checked.body);

    await rename(sandbox.gitDir, `${sandbox.gitDir}-away`);
    const away = await admin.post(`${path}/check`);
    const listed = await admin.get(`${path}/repositories`);
    await rename(`${sandbox.gitDir}-away`, sandbox.gitDir);
    assert.equal(away.status, 200, away.text);
    assert.deepEqual(
      [away.body.tokenStatus, away.body.lastCheckError.code],
      ["WORKING", "GIT_HOST_UNAVAILABLE"],
    );
    assert.match(away.body.lastCheckError.action, /may still be valid/);
    assertRefused(listed, 503, "GIT_HOST_UNAVAILABLE");
    assert.ok(Number(listed.headers.get("retry-after")) > 0);

    assert.equal((await admin.post(`${path}/check`)).body.lastCheckError, null);
    const audit = await admin.get(`/v1/audit-entries?resourceId=${made.id}`);
    assert.deepEqual(
      audit.body.auditEntries.map((entry: { action: string }) => entry.action),
      ["git-integration.created", ...Array(3).fill("git-integration.check-requested")],
    );
    assert.ok(!instance.logged().includes(TOKEN));
    assertRefused(await other.post(`${path}/check`), 404, "NOT_FOUND");
    assert.equal((await admin.delete(path)).status, 204);
    assertRefused(await admin.post(`${path}/check`), 404, "NOT_FOUND");
  });

  it("list the repositories that the token reaches, page by page, with a limit that changes", async () => {
    const { admin, sandbox } = instance;
    const { body: made } = await admin.post(PATH, { provider: "provider_b", token: TOKEN });
    const path = `${PATH}/${made.id}/repositories`;
    const add = (name: string) =>
      createRepository({ folder: sandbox.gitDir, name, branch: "trunk", files: {}, at: new Date() });
    // More repositories than a git host lists on one page.
    const names = Array.from({ length: 103 }, (_, index) => `repo-${String(index).padStart(3, "0")}`);
    for (const name of names) await add(name);
    const first = await admin.get(`${path}?limit=2`);
    assert.equal(first.status, 200, first.text);
    const [demo, next] = first.body.repositories;
    assert.ok(Date.parse(demo.lastPushedAt) <= Date.parse(next.lastPushedAt));
    assert.deepEqual(first.body.repositories, [
      {
        url: "https://git.sandbox.test/demo",
        name: "demo",
        defaultBranch: "main",
        isPrivate: false,
        lastPushedAt: demo.lastPushedAt,
      },
      {
        url: "https://git.sandbox.test/repo-000",
        name: "repo-000",
        defaultBranch: "trunk",
        isPrivate: false,
        lastPushedAt: next.lastPushedAt,
      },
    ]);
    for (const order of ["asc", "desc"]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      for (const limit of [7, 100, 1, 100, 100]) {
        const next: string = cursor === null ? "" : `&cursor=${cursor}`;
        const { body } = await admin.get(`${path}?order=${order}&limit=${limit}${next}`);
        assert.ok(body.repositories.length <= limit);
        seen.push(...body.repositories.map(({ name }: { name: string }) => name));
        cursor = body.nextCursor;
        if (cursor === null) break;
      }
      assert.equal(cursor, null);
      const all = ["demo", ...names];
      assert.deepEqual(seen, order === "asc" ? all : all.toReversed());
    }
    const newest = await admin.get(`${path}?sort=pushed&order=desc&limit=1`);
    assert.equal(newest.body.repositories[0].name, names.at(-1));
    const found = await admin.get(`${path}?search=O-10&sort=pushed&order=desc`);
    assert.deepEqual(
      [found.body.repositories.map(({ name }: { name: string }) => name), found.body.nextCursor],
      [["repo-102", "repo-101", "repo-100"], null],
    );
    const cursor = newest.body.nextCursor;
    assertRefused(await admin.get(`${path}?sort=created&order=desc&cursor=${cursor}`), 400, "INVALID_CURSOR");
  });

  it("cannot be deleted while a project uses them", async () => {
    const { admin } = instance;
    const { projectId } = await createProject(admin, "in-use");
    const list = await admin.get(PATH);
    const used = list.body.gitIntegrations.find(
      (integration: { provider: string }) => integration.provider === "provider_a",
    );
    const refused = await admin.delete(`${PATH}/${used.id}`);
    assertRefused(refused, 409, "GIT_INTEGRATION_IN_USE");
    assert.ok(refused.body.detail.includes(projectId));
    assert.ok((await admin.delete(`/v1/projects/${projectId}`)).status < 300);
    await untilGone(admin, `/v1/projects/${projectId}`);
    assert.equal((await admin.delete(`${PATH}/${used.id}`)).status, 204);
  });

  const invalid: Record<string, [body: unknown, faults: readonly string[]]> = {
    "that is empty": [{}, ["/provider REQUIRED", "/token REQUIRED"]],
    "with everything wrong at once": [
      { provider: "provider_b", host: "gitlab.com", token: "", extra: 1 },
      ["/extra UNKNOWN_FIELD", "/host UNKNOWN_FIELD", "/token TOO_SMALL", "/token WRONG_FORM"],
    ],
    "of a provider that there is not": [{ provider: "github", token: "a" }, ["/provider NOT_ALLOWED"]],
    "self-hosted without a host": [{ provider: "provider_b_self_hosted", token: "a" }, ["/host REQUIRED"]],
    "self-hosted with an address for a host": [
      { provider: "provider_b_self_hosted", host: "https://git.example.com/", token: "a" },
      ["/host WRONG_FORM"],
    ],
    "with a token that holds a line break": [
      { provider: "provider_a", token: "a\nb" },
      ["/token WRONG_FORM"],
    ],
    "that is a list": [[], [" WRONG_TYPE"]],
  };
  for (const [name, [body, faults]] of Object.entries(invalid)) {
    it(`are refused for a body ${name}`, async () => {
      assert.deepEqual(assertRefused(await instance.admin.post(PATH, body), 400, "INVALID_REQUEST"), faults);
    });
  }

  it("are read by developers, and changed by admins", async () => {
    assertRefused(await createApiClient(instance.url, "wrong").get(PATH), 401, "UNAUTHENTICATED");
    const developer = await createUserClient(instance.admin, "developer");
    const body = { provider: "provider_a", token: "a" };
    assertRefused(await developer.post(PATH, body), 403, "ROLE_TOO_LOW");
    const { body: integration } = await instance.admin.post(PATH, body);
    assert.deepEqual((await developer.get(PATH)).body, (await instance.admin.get(PATH)).body);
    assert.deepEqual((await developer.get(`${PATH}/${integration.id}`)).body, integration);
    const viewer = await createUserClient(instance.admin, "viewer");
    for (const path of [PATH, `${PATH}/${integration.id}`, `${PATH}/${integration.id}/repositories`])
      assertRefused(await viewer.get(path), 403, "ROLE_TOO_LOW");
    assertRefused(await developer.delete(`${PATH}/git_1`), 403, "ROLE_TOO_LOW");
  });

  it("of another organization do not exist for others", async () => {
    const { other, admin } = instance;
    const foreign = await other.post(PATH, { provider: "provider_b", token: "a" });
    const path = `${PATH}/${foreign.body.id}`;
    const missing = `${PATH}/git_01h455vb4pex5vsknk084sn02q`;
    assertSameNotFound(await admin.get(missing), await admin.get(path));
    assertSameNotFound(await admin.delete(missing), await admin.delete(path));
    assert.equal((await other.get(path)).status, 200);
  });
});
