/** Which environments a deployment runs in, which commit it deploys, and what runs now. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createIacProject, deploy, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const OTHER = { ...SITE, id: "other" };
const NONE = { added: [], changed: [], removed: [] };

const environment = (id: string, branch: string, services: readonly object[] = [SITE]) => ({
  id,
  region: "us-west-2",
  source: { branch },
  services,
});
const files = (text: string, ...environments: readonly object[]) =>
  withConfig({ environments }, { "public/index.html": text });

describe("a deployment of one environment", () => {
  let instance: Instance;
  let projectId: string;
  let ids: Readonly<Record<string, string>>;
  const environments = [
    environment("production", "main"),
    environment("preview", "main"),
    environment("staging", "next"),
  ];
  const filterOf = (configId: string) => ({ filter: { projectId, environmentId: ids[configId] } });

  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    await push(instance, "shop", files("one", ...environments));
    await push(instance, "shop", files("one", ...environments), "next");
    projectId = await createIacProject(admin, "shop");
    for (const branch of ["main", "next"]) await ended(admin, await deploy(admin, "shop", { branch }));
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    ids = Object.fromEntries(
      body.environments.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
    );
  });
  after(() => instance.dispose());

  const runsOf = async (id: string) =>
    (await ended(instance.admin, id)).environments.map(({ configId }: { configId: string }) => configId);

  it("needs no branch, and leaves the others that follow the same one as they are", async () => {
    const { admin } = instance;
    assert.deepEqual(await runsOf(await deploy(admin, "shop", filterOf("staging"))), ["staging"]);
    assert.deepEqual(await runsOf(await deploy(admin, "shop", filterOf("production"))), ["production"]);
    const both = await deploy(admin, "shop", { branch: "main", filter: { projectId } });
    assert.deepEqual((await runsOf(both)).toSorted(), ["preview", "production"]);
  });

  it("removes no other environment that the configuration lacks", async () => {
    await push(instance, "shop", files("two", environments[0] ?? {}));
    const id = await deploy(instance.admin, "shop", filterOf("production"));
    assert.deepEqual(await runsOf(id), ["production"]);
  });

  it("fails without touching anything if the environment does not follow the branch", async () => {
    const id = await deploy(instance.admin, "shop", { branch: "next", ...filterOf("preview") });
    const { error, environments: runs } = await ended(instance.admin, id, "ERROR");
    assert.equal(error.code, "NO_ENVIRONMENT");
    assert.deepEqual(runs, []);
  });

  it("is refused for an environment of another project or organization", async () => {
    const body = { repoUrl: "https://git.sandbox.test/shop.git", ...filterOf("production") };
    assertRefused(await instance.other.post("/v1/deployments", body), 404, "NOT_FOUND");
    await push(instance, "blog", files("one", environment("production", "main")));
    const blog = await createIacProject(instance.admin, "blog");
    const crossed = { filter: { projectId: blog, environmentId: ids["production"] } };
    const answer = await instance.admin.post("/v1/deployments", {
      repoUrl: "https://git.sandbox.test/blog.git",
      ...crossed,
    });
    assertRefused(answer, 404, "NOT_FOUND");
  });
});

describe("a deployment that is done again, or rolled back to", () => {
  let instance: Instance;
  let projectId: string;
  let first: string;
  let firstCommit: string;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    firstCommit = await push(instance, "shop", files("one", environment("production", "main")));
    projectId = await createIacProject(instance.admin, "shop");
    first = await deploy(instance.admin, "shop");
    await ended(instance.admin, first);
  });
  after(() => instance.dispose());

  const planOf = async (id: string) => {
    const { status, body, text } = await instance.admin.get(`/v1/deployments/${id}/rollback-plan`);
    assert.equal(status, 200, text);
    return body;
  };
  const liveOf = async () => {
    const { body } = await instance.admin.get(`/v1/overview/deployments?projectId=${projectId}&order=asc`);
    return body.deployments.map((row: { environments: readonly { isLive: boolean }[] }) =>
      row.environments.some(({ isLive }) => isLive),
    );
  };

  it("deploys the same commit, not the branch's newest", async () => {
    const { admin } = instance;
    const site = { ...SITE, envVariables: { GREETING: "hidden value" } };
    const config = environment("production", "main", [site, OTHER]);
    const newest = await push(instance, "shop", files("two", config));
    const again = await admin.post(`/v1/deployments/${first}/redeploy`);
    assert.equal(again.status, 201, again.text);
    assert.equal(again.body.commitHash, firstCommit);
    assert.equal(again.body.trigger, "api");
    const { services } = await ended(admin, again.body.id);
    assert.notEqual(services[0].buildStartedAt, null, "it is built again");
    assert.deepEqual(await liveOf(), [false, true]);
    const last = await deploy(admin, "shop");
    assert.equal((await ended(admin, last)).commitHash, newest);
    assert.deepEqual(await liveOf(), [false, false, true]);
  });

  it("says what a rollback would add, change and remove, and no values", async () => {
    const plan = await planOf(first);
    const [production] = plan.environments;
    assert.equal(production.isLive, false);
    assert.deepEqual(production.changes.environments, [
      {
        configId: "production",
        difference: "CHANGED",
        fields: [],
        variables: NONE,
        services: [
          {
            configId: "site",
            name: "site",
            difference: "CHANGED",
            fields: [],
            variables: { ...NONE, removed: ["GREETING"] },
          },
          { configId: "other", name: "other", difference: "REMOVED", fields: [], variables: NONE },
        ],
      },
    ]);
    assert.ok(plan.notRestored.length > 0);
    assert.ok(!JSON.stringify(plan).includes("hidden value"));
  });

  it("keeps what is live live while a later one fails to build", async () => {
    const { admin } = instance;
    const broken = { ...SITE, outputDirectory: "missing" };
    await push(instance, "shop", files("three", environment("production", "main", [broken, OTHER])));
    const failed = await deploy(admin, "shop");
    await ended(admin, failed, "BUILD_ERROR");
    assert.deepEqual(await liveOf(), [false, false, true, false]);
    assertRefused(
      await admin.get(`/v1/deployments/${failed}/rollback-plan`),
      409,
      "DEPLOYMENT_NOT_RESTORABLE",
    );
    const again = await admin.post(`/v1/deployments/${failed}/redeploy`);
    assert.equal(again.status, 201, again.text);
    await ended(admin, again.body.id, "BUILD_ERROR");
  });

  it("says that its environment was removed, and not that it follows another branch", async () => {
    const { admin } = instance;
    const production = environment("production", "main");
    await push(instance, "shop", files("four", production, environment("staging", "main")));
    await ended(admin, await deploy(admin, "shop"));
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    const staging = body.environments.find(({ configId }: { configId: string }) => configId === "staging");
    const ofStaging = await deploy(admin, "shop", { filter: { environmentId: staging.id } });
    await ended(admin, ofStaging);
    await push(instance, "shop", files("five", production));
    await ended(admin, await deploy(admin, "shop"));
    const redeployed = await admin.post(`/v1/deployments/${ofStaging}/redeploy`);
    const rolledBack = await admin.post(`/v1/deployments/${ofStaging}/rollback`);
    for (const { id } of [redeployed.body, rolledBack.body.deployment]) {
      const { error, environments } = await ended(admin, id, "ERROR");
      assert.deepEqual([error.code, environments], ["ENVIRONMENT_REMOVED", []]);
    }
  });
});
