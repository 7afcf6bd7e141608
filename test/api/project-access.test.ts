import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createKeyClient, createScratchUser } from "../helpers/users.ts";

/** That each route is held to roles in projects and to protections is tested by `test/guards/authorization.test.ts`. */
describe("access to projects", () => {
  let instance: Instance;
  let admin: ApiClient;
  let shop: Project;
  let blog: Project;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
    shop = await createProject(admin, "shop");
    blog = await createProject(admin, "blog");
  });
  after(() => instance.dispose());

  const variables = ({ environmentId }: Project) => `/v1/environments/${environmentId}/env-variables`;
  const set = (client: ApiClient, project: Project) =>
    client.post(variables(project), { plainText: { GREETING: "hello" } });

  it("a member has the higher of both roles, only in this project, within five seconds", async () => {
    const { client, userId } = await createScratchUser(admin, "viewer");
    assertRefused(await set(client, shop), 403, "ROLE_TOO_LOW");
    const address = `/v1/projects/${shop.projectId}/members/${userId}`;
    const member = await admin.put(address, { role: "developer" });
    assert.deepEqual([member.body.userId, member.body.role], [userId, "developer"]);
    await until(async () => (await set(client, shop)).status === 200, "the role is in effect", 5_000);
    assertRefused(await set(client, blog), 403, "ROLE_TOO_LOW");
    const { body } = await admin.get(`/v1/projects/${shop.projectId}/members`);
    assert.deepEqual(
      body.projectMembers.map((one: { userId: string }) => one.userId),
      [userId],
    );
    assert.equal((await admin.delete(address)).status, 204);
    await until(async () => (await set(client, shop)).status === 403, "it is no longer in effect", 5_000);
  });

  it("a project of members is not there for others, and their roles in it are those of members", async () => {
    const [{ client: outsider }, { client: member, userId }] = [
      await createScratchUser(admin, "developer"),
      await createScratchUser(admin, "developer"),
    ];
    await admin.put(`/v1/projects/${blog.projectId}/members/${userId}`, { role: "viewer" });
    const closed = await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "members" });
    assert.equal(closed.body.access, "members");
    assertRefused(await outsider.get(`/v1/projects/${blog.projectId}`), 404, "NOT_FOUND");
    const listOf = async (client: ApiClient): Promise<readonly string[]> =>
      (await client.get("/v1/projects")).body.projects.map(({ id }: { id: string }) => id);
    assert.deepEqual(await listOf(outsider), [shop.projectId]);
    assert.deepEqual(await listOf(member), [shop.projectId, blog.projectId]);
    const projectsOfServices = async (client: ApiClient): Promise<ReadonlySet<string>> => {
      const { services } = (await client.get("/v1/services")).body;
      return new Set(services.map(({ projectId }: { projectId: string }) => projectId));
    };
    assert.deepEqual(await projectsOfServices(outsider), new Set([shop.projectId]));
    assert.deepEqual(await projectsOfServices(member), new Set([shop.projectId, blog.projectId]));
    assertRefused(await set(member, blog), 403, "ROLE_TOO_LOW");
    assert.equal((await set(admin, blog)).status, 200);
    await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "organization" });
  });

  it("a conflict names a group only to callers who see it", async () => {
    const [name, groupsOf] = [
      "www.hidden-project.com",
      (project: Project) => `/v1/services/${project.services["web"]}/domain-certificate-groups`,
    ];
    const hidden = await admin.post(groupsOf(blog), { domains: [name], useDefaultCdn: false });
    const own = await admin.post(groupsOf(shop), { domains: ["www.seen-project.com"], useDefaultCdn: false });
    await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "members" });
    const { client: outsider } = await createScratchUser(admin, "developer");
    const limited = await createKeyClient(admin, { projectIds: [shop.projectId] });
    const wanted = { domains: [name, "www.seen-project.com"], useDefaultCdn: false };
    for (const client of [outsider, limited])
      for (const refused of [
        await client.post(groupsOf(shop), wanted),
        await client.post(`/v1/domain-certificate-groups/${own.body.id}/domains`, { domains: [name] }),
      ]) {
        assertRefused(refused, 409, "DOMAIN_TAKEN");
        assert.ok(!refused.text.includes(hidden.body.id), refused.text);
      }
    const refused = await outsider.post(groupsOf(shop), wanted);
    assertRefused(refused, 409, "DOMAIN_TAKEN");
    assert.ok(refused.text.includes(own.body.id) && refused.text.includes(name), refused.text);
    assert.ok((await admin.post(groupsOf(shop), wanted)).text.includes(hidden.body.id));
    const service = `/v1/services/${shop.services["web"]}`;
    const imported = await outsider.post(`${service}/domains/import`, { domains: [name] });
    assert.equal(imported.body.lines[0].fate, "taken");
    for (const secret of [hidden.body.id, blog.projectId, blog.services["web"]])
      assert.ok(!imported.text.includes(String(secret)), imported.text);
    await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "organization" });
  });

  it("a stream of events continues with another role in a project, and ends with other projects to see", async () => {
    const { client, userId } = await createScratchUser(admin, "viewer");
    const stream = await fetch(`${instance.url}/v1/events`, {
      headers: { authorization: `Bearer ${client.key}`, accept: "text/event-stream" },
    });
    assert.equal(stream.status, 200);
    await admin.put(`/v1/projects/${shop.projectId}/members/${userId}`, { role: "developer" });
    await until(async () => (await set(client, shop)).status === 200, "the role is in effect", 5_000);
    await admin.patch(`/v1/projects/${blog.projectId}`, { name: "blog, still seen" });
    await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "members" });
    assert.match(await stream.text(), /blog, still seen[^]*\nevent: refused\n.*"PROJECTS_CHANGED"/);
    const again = await fetch(`${instance.url}/v1/events`, {
      headers: { authorization: `Bearer ${client.key}`, accept: "text/event-stream" },
    });
    await admin.put(`/v1/projects/${blog.projectId}/members/${userId}`, { role: "viewer" });
    assert.match(await again.text(), /\nevent: refused\n.*"PROJECTS_CHANGED"/, "also when there are more");
    await admin.put(`/v1/projects/${blog.projectId}/access`, { access: "organization" });
  });

  it("a deleted user is not a member", async () => {
    const { userId } = await createScratchUser(admin, "viewer");
    const address = `/v1/projects/${shop.projectId}/members/${userId}`;
    await admin.put(address, { role: "admin" });
    await admin.delete(`/v1/users/${userId}`);
    assertRefused(await admin.get(address), 404, "NOT_FOUND");
  });

  it("shows what the caller may do, and what it would take", async () => {
    const environment = `/v1/environments/${shop.environmentId}`;
    await admin.patch(environment, { protection: { deployers: "admin" } });
    const { client } = await createScratchUser(admin, "developer");
    const { permissions } = (await client.get("/v1/me")).body;
    assert.deepEqual(permissions.operations.createDeployment, {
      allowed: true,
      refusedBy: null,
      neededRole: null,
      neededScope: null,
    });
    assert.deepEqual(permissions.operations.createUser, {
      allowed: false,
      refusedBy: "role",
      neededRole: "admin",
      neededScope: null,
    });
    assert.ok(permissions.admins.some(({ name }: { name: string }) => name === "Admin"));
    const there = await client.get(`/v1/me/permissions?environmentId=${shop.environmentId}`);
    const { operations, projectId } = there.body;
    assert.equal(projectId, shop.projectId);
    const { allowed, refusedBy, neededRole } =
      operations.setEnvironmentVariables ?? operations.createDeployment;
    assert.deepEqual([allowed, refusedBy, neededRole], [false, "protection", "admin"]);
    assert.equal(operations.getEnvironment.allowed, true);
    const scoped = await createKeyClient(admin, { scopes: ["deploy"] });
    const { body: limited } = await scoped.get("/v1/me/permissions");
    assert.deepEqual(
      [limited.operations.createUser.refusedBy, limited.operations.createUser.neededScope],
      ["scope", "admin"],
    );
    await admin.patch(environment, { protection: { deployers: "developer" } });
  });

  it("a configuration brings no other branch to a protected environment, and does not remove it", async () => {
    const site = { id: "site", type: "static", outputDirectory: "public" };
    const page = { "public/index.html": "hello" };
    const on = (branch: string) => configOf([site], { source: { branch } });
    await push(instance, "guarded", withConfig(on("main"), page));
    await push(instance, "guarded", withConfig(on("dev"), page), "dev");
    await connectAccount(admin, "main");
    const projectId = await createIacProject(admin, "guarded");
    const [{ id }] = (await admin.get(`/v1/projects/${projectId}/environments`)).body.environments;
    await admin.patch(`/v1/environments/${id}`, { protection: { deployers: "admin" } });
    const { client } = await createScratchUser(admin, "developer");
    const body = { repoUrl: urlOf("guarded") };
    assertRefused(await client.post("/v1/deployments", body), 403, "ENVIRONMENT_PROTECTED");
    const taken = await ended(client, await deploy(client, "guarded", { branch: "dev" }), "ERROR");
    assert.deepEqual(
      taken.environments.map((one: { id: string; error: { code: string } }) => [one.id, one.error.code]),
      [[id, "ENVIRONMENT_PROTECTED"]],
    );
    assert.equal((await admin.get(`/v1/environments/${id}`)).body.source.branch, "main");
  });

  it("is recorded, with the values before and after", async () => {
    const { body } = await admin.get(`/v1/audit-entries?action=environment.protection-changed`);
    const [entry] = body.auditEntries;
    assert.equal(entry.resourceId, shop.environmentId);
    assert.deepEqual(entry.details, { before: { deployers: "developer" }, after: { deployers: "admin" } });
  });
});
