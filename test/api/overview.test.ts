import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  attach,
  createGroup,
  createProject,
  DEMO_REPOSITORY,
  type Project,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import { ended, push } from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

describe("the overview", () => {
  let instance: Instance;
  let shop: Project;
  let deploymentId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    await push(instance, "demo", {}, "next");
    shop = await createProject(instance.admin, "shop", {
      environments: [
        {
          id: "production",
          name: "Production",
          region: "us-west-2",
          source: { branch: "main", trigger: "manual" },
          services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
        },
        {
          id: "staging",
          name: "Staging",
          region: "us-west-2",
          source: { branch: "next", trigger: "manual" },
          services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
        },
      ],
    });
  });
  after(() => instance.dispose());

  const read = async (path: string) => {
    const { status, body, text } = await instance.admin.get(`/v1/overview/${path}`);
    assert.equal(status, 200, text);
    return body;
  };
  const readProject = async () => {
    const { projects } = await read("projects");
    assert.equal(projects.length, 1);
    return projects[0];
  };

  it("shows a project before its first deployment", async () => {
    const row = await readProject();
    assert.deepEqual(await read(`projects/${shop.projectId}`), row, "the same row on its own");
    const { body: project } = await instance.admin.get(`/v1/projects/${shop.projectId}`);
    assert.deepEqual({ ...row, ...project }, row, "all that a project shows");
    assert.equal(row.awsAccount.id, shop.awsAccountId);
    assert.deepEqual(
      row.environments.map((one: Record<string, unknown>) => [
        one["name"],
        one["state"],
        one["urls"],
        one["lastDeployment"],
      ]),
      [
        ["Production", "NOT_LIVE", [], null],
        ["Staging", "NOT_LIVE", [], null],
      ],
    );
    assert.deepEqual((await instance.other.get("/v1/overview/projects")).body.projects, []);
  });

  it("lists the services of all environments of a project, page by page", async () => {
    const { admin, other } = instance;
    const { body } = await admin.get(`/v1/projects/${shop.projectId}/environments`);
    const ofEach = await Promise.all(
      body.environments.map(async ({ id }: { readonly id: string }) => {
        const { services } = (await admin.get(`/v1/environments/${id}/services`)).body;
        return services;
      }),
    );
    const all = ofEach.flat().toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.equal(all.length, 2);
    const path = `/v1/projects/${shop.projectId}/services`;
    assert.deepEqual((await admin.get(path)).body, { services: all, nextCursor: null });
    const first = await admin.get(`${path}?limit=1&order=desc`);
    assert.deepEqual(first.body.services, [all[1]]);
    const second = await admin.get(`${path}?limit=1&order=desc&cursor=${first.body.nextCursor}`);
    assert.deepEqual(second.body, { services: [all[0]], nextCursor: null });
    assert.equal((await other.get(path)).status, 404);
  });

  it("shows who deployed what where", async () => {
    const deployed = await instance.admin.post("/v1/deployments", {
      repoUrl: DEMO_REPOSITORY,
      branch: "main",
    });
    assert.equal(deployed.status, 201, deployed.text);
    deploymentId = deployed.body.id;
    const { body: me } = await instance.admin.get("/v1/me");
    const [early] = (await read("deployments")).deployments;
    assert.deepEqual(
      [early.projectName, early.startedBy, early.environments.map(({ name }: { name: string }) => name)],
      ["shop", me.user.id, ["Production"]],
    );
    const details = await ended(instance.admin, deploymentId);
    assert.equal(details.status, "SUCCESS", JSON.stringify(details));
    const [row] = (await read(`deployments?projectId=${shop.projectId}&status=SUCCESS`)).deployments;
    const { body: listed } = await instance.admin.get("/v1/deployments");
    assert.deepEqual({ ...row, ...listed.deployments[0] }, row, "all that a deployment shows");
    assert.deepEqual(
      [row.projectName, row.startedByName, row.environments],
      [
        "shop",
        me.user.name,
        [{ id: shop.environmentId, name: "Production", status: "SUCCESS", isLive: true }],
      ],
    );
    assert.deepEqual((await read("deployments?status=ERROR")).deployments, []);
  });

  it("shows where a project is live, and its last deployment", async () => {
    const [production, staging] = (await readProject()).environments;
    const { body: service } = await instance.admin.get(`/v1/services/${shop.services["web"]}`);
    assert.equal(production.state, "LIVE");
    assert.deepEqual(production.urls, [`https://${service.cdnDomainName}`]);
    const { id, status, commitMessage, endedAt } = production.lastDeployment;
    const { body: deployment } = await instance.admin.get(`/v1/deployments/${deploymentId}`);
    assert.deepEqual(
      [id, status, commitMessage, endedAt],
      [deploymentId, "SUCCESS", deployment.commitMessage, deployment.environments[0].endedAt],
    );
    assert.deepEqual([staging.state, staging.lastDeployment], ["NOT_LIVE", null]);
  });

  it("shows whose turn it is with a domain", async () => {
    const group = await createGroup(instance.admin, shop.services["web"], ["www.rows.example.com"]);
    const [{ id }] = group.createdDomains;
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const find = async () => (await read(`domains?name=www.rows.example.com`)).domains[0];
    const row = await until(async () => {
      const found = await find();
      return found.waitsFor === "CUSTOMER" && found;
    }, "the customer has to set a record");
    const { projectId, environmentId, services } = shop;
    assert.deepEqual(
      [
        row.id,
        row.projectId,
        row.projectName,
        row.environmentId,
        row.environmentName,
        row.serviceId,
        row.serviceName,
      ],
      [id, projectId, "shop", environmentId, "Production", services["web"], "Web"],
    );
    assert.ok(row.problem.length > 10, row.problem);
    assert.ok(Date.parse(row.nextCheckAt) > Date.now() - 60_000, row.nextCheckAt);
    assert.equal(row.certificateExpiresAt, null);
    assert.deepEqual((await readProject()).attention, [
      { code: "DOMAINS_AWAIT_RECORDS", environmentId, count: 1 },
    ]);
    await setDnsRecords(instance.admin, waiting);
    await setDnsRecords(instance.admin, await untilDomain(instance.admin, id, "ATTACHED"));
    const done = await until(async () => {
      const found = await find();
      return found.waitsFor === null && found;
    }, "no action is needed");
    assert.ok(Date.parse(done.certificateExpiresAt) > Date.now());
    assert.equal(done.problem, null);
    const [production] = (await readProject()).environments;
    assert.deepEqual(production.urls, ["https://www.rows.example.com"]);
  });

  it("shows what needs attention, the most urgent first", async () => {
    const { admin } = instance;
    await attach(admin, shop.services["web"], ["more.rows.example.com"]);
    const set = await admin.post(`/v1/services/${shop.services["web"]}/env-variables`, {
      plainText: { NEW: "1" },
    });
    assert.equal(set.status, 200, set.text);
    const stack = await admin.delete(`/sandbox/stacks/${shop.awsAccountId}`);
    assert.ok(stack.status < 300, stack.text);
    await admin.post(`/v1/aws-accounts/${shop.awsAccountId}/check`);
    await until(
      async () => (await readProject()).awsAccount.status === "DISCONNECTED",
      "the account is lost",
    );
    assert.deepEqual((await readProject()).attention, [
      { code: "ACCOUNT_NOT_CONNECTED", environmentId: null, count: 1 },
      { code: "REDEPLOY_PENDING", environmentId: shop.environmentId, count: 1 },
    ]);
  });
});
