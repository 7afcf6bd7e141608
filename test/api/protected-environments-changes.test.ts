/** Which callers can change a project, and what is in a protected environment, besides deploying to it (audit T7). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiAnswer, ApiClient } from "../helpers/api-client.ts";
import { CONFIG, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const [PRODUCTION] = CONFIG.environments;
const APPROVAL = { approval: { approvers: "developer" } };

describe("a protected environment", () => {
  let instance: Instance;
  let admin: ApiClient;
  let developer: ApiClient;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
    developer = await createUserClient(admin, "developer");
  });
  after(() => instance.dispose());

  async function protect({ environmentId }: Project, protection: object): Promise<void> {
    const changed = await admin.patch(`/v1/environments/${environmentId}`, { protection });
    assert.equal(changed.status, 200, changed.text);
  }
  const changeTo = (client: ApiClient, { projectId }: Project, environments: readonly object[]) =>
    client.patch(`/v1/projects/${projectId}`, { config: { environments } });

  it("that asks for an approval is not removed, changed or given up by one developer, at once", async () => {
    const project = await createProject(admin, "approved");
    const address = `/v1/projects/${project.projectId}`;
    const elsewhere = { ...PRODUCTION, id: "elsewhere" };
    // What it may do is remembered for a while.
    assert.equal((await developer.post(`${address}/plan`, {})).status, 200);
    await protect(project, APPROVAL);
    const attempts: Readonly<Record<string, () => Promise<ApiAnswer>>> = {
      removal: () => changeTo(developer, project, [elsewhere]),
      "another branch": () => changeTo(developer, project, [{ ...PRODUCTION, source: { branch: "next" } }]),
      "another trigger": () =>
        changeTo(developer, project, [{ ...PRODUCTION, source: { branch: "main", trigger: "push" } }]),
      "fewer services": () =>
        changeTo(developer, project, [{ ...PRODUCTION, services: PRODUCTION?.services.slice(0, 1) }]),
      "another repository": () => developer.patch(address, { repoUrl: "https://git.sandbox.test/other.git" }),
      "a file": () =>
        developer.patch(address, { configType: "iac", configFilePath: "a.json", configFileBranch: "main" }),
      deletion: () => developer.delete(address),
      abandonment: () => developer.post(`${address}/abandon`),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      const answer = await attempt();
      assert.equal(answer.body.code, "ENVIRONMENT_PROTECTED", `${what}: ${answer.text}`);
      assert.equal(answer.body.neededRole, "admin", what);
    }
    const { body } = await admin.get(`${address}/environments`);
    assert.deepEqual(
      body.environments.map(({ id }: { id: string }) => id),
      [project.environmentId],
    );
    assert.equal((await changeTo(admin, project, [elsewhere])).status, 200);
  });

  it("of admins has its variables, their versions and its domains changed only by them", async () => {
    const project = await createProject(admin, "admins");
    const { environmentId, services } = project;
    const service = `/v1/services/${services["web"]}`;
    const variables = [`/v1/environments/${environmentId}/env-variables`, `${service}/env-variables`];
    for (const address of variables)
      for (const text of ["one", "two"]) await admin.post(address, { plainText: { GREETING: text } });
    const made = await admin.post(`${service}/domain-certificate-groups`, { domains: ["www.example.com"] });
    assert.equal(made.status, 201, made.text);
    const group = `/v1/domain-certificate-groups/${made.body.id}`;
    const [domain] = (await admin.get(`${group}/domains`)).body.domains;
    await protect(project, { deployers: "admin" });
    await until(
      async () => (await developer.post(`${service}/env-variables`, { plainText: {} })).status === 403,
      "the protection is in effect",
      5_000,
    );
    const attempts: ((client: ApiClient) => Promise<ApiAnswer>)[] = [
      (client) => client.patch(`/v1/domains/${domain.id}`, { redirectTo: null }),
      (client) => client.delete(`${group}/domains/${domain.id}`),
      (client) => client.post(`${group}/domains`, { domains: ["api.example.com"] }),
      (client) => client.post(`${service}/domains/import`, { domains: ["imported.example.com"] }),
      (client) => client.post(`${service}/domain-certificate-groups`, { domains: ["new.example.com"] }),
      (client) => client.post(`${group}/abandon`),
      (client) => client.post(`${group}/retry-attachment`),
      (client) => client.patch(group, { autoDns: true }),
      (client) => client.delete(group),
    ];
    for (const address of variables) {
      const [, older] = (await admin.get(`${address}/GREETING/history`)).body.versions;
      attempts.push(
        (client) => client.post(address, { plainText: { GREETING: "three" } }),
        (client) => client.put(address, { plainText: { GREETING: "three" } }),
        (client) => client.delete(`${address}?names=GREETING`),
        (client) => client.post(`${address}/GREETING/restore`, { version: older.id }),
        (client) => client.delete(`${address}/GREETING`),
      );
    }
    for (const attempt of attempts) assertRefused(await attempt(developer), 403, "ENVIRONMENT_PROTECTED");
    for (const address of variables) {
      const { body } = await admin.get(`${address}/GREETING`);
      assert.equal(body.value, "two", JSON.stringify(body));
    }
  });
});
