import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused, assertSameNotFound } from "../helpers/problems.ts";
import {
  CONFIG,
  connectAccount,
  createProject,
  integrateGit,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";

const PATH = "/v1/projects";
const DEMO = "https://git.sandbox.test/demo.git";
const NOBODY = "01h455vb4pex5vsknk084sn02q";

describe("projects", () => {
  let instance: Instance;
  let awsAccountId: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  const guiBody = (more: object = {}) => ({
    name: "Shop",
    repoUrl: DEMO,
    awsAccountId,
    codeSource: { provider: "provider_a" },
    configType: "gui",
    config: CONFIG,
    ...more,
  });
  const iacBody = (more: object = {}) => {
    const { config: _config, ...body } = guiBody();
    return { ...body, configType: "iac", configFilePath: "slipway.json", configFileBranch: "main", ...more };
  };
  /** A repository of the sandbox with these files on `main`. */
  const push = async (name: string, files: Record<string, string>): Promise<string> => {
    await createRepository({
      folder: path.join(instance.dataDir, "sandbox", "git"),
      name,
      branch: "main",
      files,
      at: new Date(0),
    });
    return `https://git.sandbox.test/${name}.git`;
  };

  it("are created from an inline configuration, with environments and services", async () => {
    const { admin } = instance;
    const created = await admin.post(PATH, guiBody({ repoUrl: "https://me:t0ken@GIT.sandbox.test/demo/" }));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id, organizationId, createdAt, updatedAt, ...rest } = created.body;
    assert.match(id, /^proj_/);
    assert.match(organizationId, /^org_/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      name: "Shop",
      status: "ACTIVE",
      // What could be a token in the address is not kept.
      repoUrl: "https://GIT.sandbox.test/demo/",
      awsAccountId,
      codeSource: { provider: "provider_a", host: null },
      configType: "gui",
      config: CONFIG,
      configFilePath: null,
      configFileBranch: null,
      access: "organization",
    });
    assert.equal(created.headers.get("location"), `${PATH}/${id}`);
    assert.deepEqual((await admin.get(`${PATH}/${id}`)).body, created.body);

    const environments = await admin.get(`${PATH}/${id}/environments`);
    assert.equal(environments.status, 200);
    assert.equal(environments.body.nextCursor, null);
    const [environment, ...others] = environments.body.environments;
    assert.equal(others.length, 0);
    assert.match(environment.id, /^env_/);
    assert.deepEqual(
      { ...environment, id: "", createdAt: "", updatedAt: "" },
      {
        id: "",
        projectId: id,
        configId: "production",
        name: "Production",
        region: "us-west-2",
        source: { branch: "main", trigger: "manual" },
        isTemplate: false,
        templateId: null,
        protection: { deployers: "developer", approval: null },
        createdAt: "",
        updatedAt: "",
      },
    );
    assert.deepEqual((await admin.get(`/v1/environments/${environment.id}`)).body, environment);

    const listed = await admin.get(`/v1/environments/${environment.id}/services`);
    const services = listed.body.services as { id: string; configId: string; settings: object }[];
    assert.deepEqual(services.map(({ configId }) => configId).sort(), ["jobs", "web"]);
    const web = services.find(({ configId }) => configId === "web");
    assert.ok(web);
    assert.deepEqual(web.settings, { dependsOn: [], outputDirectory: "public" });
    // Its distribution may have been made between the two answers.
    const { cdnDomainName: _host, ...found } = (await admin.get(`/v1/services/${web.id}`)).body;
    assert.deepEqual({ ...found, cdnDomainName: null }, { ...web, cdnDomainName: null });

    const audit = await admin.get(`/v1/audit-entries?resourceId=${id}`);
    assert.equal(audit.body.auditEntries[0].action, "project.created");
    assert.ok(!instance.logged().includes("t0ken"));
  });

  it("are created from a file of the repository, by the account's givenId", async () => {
    const created = await instance.admin.post(PATH, iacBody({ awsAccountId: "main" }));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal(created.body.awsAccountId, awsAccountId);
    assert.equal(created.body.configFilePath, "slipway.json");
    assert.equal(created.body.configFileBranch, "main");
    const { body } = await instance.admin.get(`${PATH}/${created.body.id}/environments`);
    assert.equal(body.environments.length, 1);
  });

  it("create a distribution for each service that serves HTTP, and remove it again", async () => {
    const { admin } = instance;
    const services = [
      { id: "web", type: "static", outputDirectory: "public" },
      { id: "api", type: "web", startCommand: "node .", port: 3000 },
      { id: "jobs", type: "worker", startCommand: "node jobs.js" },
      { id: "shop", type: "external", hostname: "shop.example.com" },
    ];
    const config = { environments: [{ ...CONFIG.environments[0], services }] };
    const project = await createProject(admin, "distributions", config);
    const has = (count: number) => async () =>
      (await stateOf(admin, project.awsAccountId)).distributions.length === count;
    await until(has(3), "three distributions are made");
    assert.equal((await admin.delete(`${PATH}/${project.projectId}`)).status, 202);
    await until(has(0), "they are removed");
  });

  it("have the variables of their configuration; a service's take precedence", async () => {
    const { admin } = instance;
    const [first] = CONFIG.environments;
    const web = {
      id: "web",
      type: "static",
      outputDirectory: "public",
      envVariables: { SHARED: "service", API: { fromService: { id: "api", value: "port" } } },
    };
    const api = { id: "api", type: "web", startCommand: "node .", port: 3000 };
    const envVariables = { SHARED: "environment", KEY: { fromParameterStore: "/shop/key" } };
    const { environmentId, services } = await createProject(admin, "variables", {
      envVariables: { SHARED: "project", EVERYWHERE: "project" },
      environments: [{ ...first, envVariables, services: [web, api] }],
    });
    const listed = await admin.get(`/v1/environments/${environmentId}/env-variables`);
    const shown = listed.body.envVariables.map((one: { name: string; source: string }) => [
      one.name,
      one.source,
    ]);
    assert.deepEqual(shown, [
      ["EVERYWHERE", "config"],
      ["KEY", "config"],
      ["SHARED", "config"],
    ]);
    const effective = await admin.get(`/v1/services/${services["web"]}/env-variables/effective`);
    assert.equal(effective.status, 200, JSON.stringify(effective.body));
    const valueOf = (name: string) =>
      effective.body.envVariables.find((one: { name: string }) => one.name === name);
    assert.equal(valueOf("SHARED").value, "service");
    assert.equal(valueOf("EVERYWHERE").value, "project");
    assert.equal(valueOf("API").value, "3000");
  });

  it("are deleted with everything", async () => {
    const { admin } = instance;
    const { projectId, environmentId, services } = await createProject(admin, "deleted");
    assert.ok((await admin.delete(`${PATH}/${projectId}`)).status < 300);
    await untilGone(admin, `${PATH}/${projectId}`);
    for (const gone of [
      `${PATH}/${projectId}`,
      `${PATH}/${projectId}/environments`,
      `/v1/environments/${environmentId}`,
      `/v1/environments/${environmentId}/services`,
      `/v1/services/${services["web"]}`,
    ]) {
      assertRefused(await admin.get(gone), 404, "NOT_FOUND");
    }
    assertRefused(await admin.delete(`${PATH}/${projectId}`), 404, "NOT_FOUND");
    const audit = await admin.get(`/v1/audit-entries?resourceId=${projectId}`);
    const actions = audit.body.auditEntries.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes("project.deleted"), actions.join());
  });

  it("cannot be deleted while a service has domain groups", async () => {
    const { admin } = instance;
    const { projectId, services } = await createProject(admin, "domains");
    const group = await admin.post(`/v1/services/${services["web"]}/domain-certificate-groups`, {
      domains: ["www.stays.example.com"],
    });
    assert.equal(group.status, 201, JSON.stringify(group.body));
    assertRefused(await admin.delete(`${PATH}/${projectId}`), 409, "PROJECT_IN_USE");
    assert.equal((await admin.get(`/v1/services/${services["web"]}`)).status, 200);
  });

  it("keep their cloud account from being deleted", async () => {
    const { awsAccountId: id } = await createProject(instance.admin, "account-in-use");
    assertRefused(await instance.admin.delete(`/v1/aws-accounts/${id}`), 409, "AWS_ACCOUNT_IN_USE");
  });

  it("are listed in pages", async () => {
    const { admin } = instance;
    for (const name of ["page-1", "page-2", "page-3"]) {
      assert.equal((await admin.post(PATH, guiBody({ name }))).status, 201);
    }
    const all = await admin.get(`${PATH}?limit=100`);
    const ids = all.body.projects.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await admin.get(`${PATH}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      assert.ok(page.body.projects.length <= 2);
      seen.push(...page.body.projects.map(({ id }: { id: string }) => id));
      cursor = page.body.nextCursor;
    }
    assert.deepEqual(seen, ids);
  });

  it("are created once for one idempotency key", async () => {
    const headers = { "idempotency-key": "project-once" };
    const first = await instance.admin.post(PATH, guiBody({ name: "Once" }), headers);
    const again = await instance.admin.post(PATH, guiBody({ name: "Once" }), headers);
    assert.equal(first.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });

  const S = "/config/environments/0/services";
  const invalid: Record<string, [body: () => unknown, faults: readonly string[]]> = {
    "that is empty": [
      () => ({}),
      [
        "/awsAccountId REQUIRED",
        "/codeSource REQUIRED",
        "/configType REQUIRED",
        "/name REQUIRED",
        "/repoUrl REQUIRED",
      ],
    ],
    "with faults of the form, the conditions and the configuration at once": [
      () => ({
        repoUrl: "http://git.sandbox.test/demo.git",
        awsAccountId: 5,
        codeSource: { provider: "provider_a", host: "github.com", more: 1 },
        configType: "gui",
        configFilePath: "slipway.json",
        configFileBranch: "main",
        config: {
          environments: [
            {
              id: "p",
              region: "mars",
              source: { branch: "main" },
              services: [{ id: "web", type: "static", dependsOn: ["x"] }],
            },
          ],
        },
      }),
      [
        "/awsAccountId WRONG_TYPE",
        "/codeSource/host UNKNOWN_FIELD",
        "/codeSource/more UNKNOWN_FIELD",
        "/config/environments/0/region WRONG_FORM",
        `${S}/0/dependsOn/0 UNKNOWN_SERVICE`,
        `${S}/0/outputDirectory REQUIRED`,
        "/configFileBranch UNKNOWN_FIELD",
        "/configFilePath UNKNOWN_FIELD",
        "/name REQUIRED",
        "/repoUrl WRONG_FORM",
      ],
    ],
    "of gui without config": [() => guiBody({ config: undefined }), ["/config REQUIRED"]],
    "of gui with a config that is not an object": [() => guiBody({ config: [] }), ["/config WRONG_TYPE"]],
    "of iac without a file": [
      () => iacBody({ configFilePath: undefined, configFileBranch: undefined }),
      ["/configFileBranch REQUIRED", "/configFilePath REQUIRED"],
    ],
    "of iac with config": [() => iacBody({ config: CONFIG }), ["/config UNKNOWN_FIELD"]],
    "of iac with a path that leaves the repository": [
      () => iacBody({ configFilePath: "../slipway.json" }),
      ["/configFilePath WRONG_FORM"],
    ],
    "of a self-hosted provider without its host": [
      () => guiBody({ codeSource: { provider: "provider_b_self_hosted" } }),
      ["/codeSource/host REQUIRED"],
    ],
    "with words that there are not": [
      () => guiBody({ codeSource: { provider: "github" }, configType: "yaml" }),
      ["/codeSource/provider NOT_ALLOWED", "/configType NOT_ALLOWED"],
    ],
    "with an unknown field": [() => guiBody({ colour: "red" }), ["/colour UNKNOWN_FIELD"]],
    "with a file for an address": [() => guiBody({ repoUrl: "/etc/passwd" }), ["/repoUrl WRONG_FORM"]],
  };
  for (const [name, [body, faults]] of Object.entries(invalid)) {
    it(`are refused for a body ${name}`, async () => {
      const answer = await instance.admin.post(PATH, body());
      assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), faults);
    });
  }

  it("need a connected account", async () => {
    const waiting = await instance.admin.post("/v1/aws-accounts", { givenId: "waiting" });
    assert.equal(waiting.status, 201);
    const answer = await instance.admin.post(PATH, guiBody({ awsAccountId: "waiting" }));
    assertRefused(answer, 422, "AWS_ACCOUNT_NOT_CONNECTED");
  });

  it("need a git integration for the provider and host", async () => {
    for (const codeSource of [
      { provider: "provider_b" },
      { provider: "provider_b_self_hosted", host: "git.example.com" },
    ]) {
      const answer = await instance.admin.post(PATH, guiBody({ codeSource }));
      assertRefused(answer, 422, "GIT_INTEGRATION_MISSING");
    }
  });

  it("need a repository, branches and a file that exist, and a file that is valid", async () => {
    const { admin } = instance;
    const nowhere = "https://git.sandbox.test/nowhere.git";
    assertRefused(await admin.post(PATH, guiBody({ repoUrl: nowhere })), 422, "REPOSITORY_NOT_FOUND");

    const [first] = CONFIG.environments;
    const config = { environments: [{ ...first, source: { branch: "develop" } }] };
    const branch = await admin.post(PATH, guiBody({ config }));
    assertRefused(branch, 422, "BRANCH_NOT_FOUND");
    assert.match(branch.body.detail, /"develop" \(environment production\)/);

    const fileBranch = await admin.post(PATH, iacBody({ configFileBranch: "dev" }));
    assertRefused(fileBranch, 422, "BRANCH_NOT_FOUND");
    assert.match(
      fileBranch.body.detail,
      /configFileBranch names\. It has "main"\. Push the branch, or name another\.$/,
    );
    const noFile = await admin.post(PATH, iacBody({ configFilePath: "none.json" }));
    assertRefused(noFile, 422, "CONFIG_FILE_NOT_FOUND");

    const repoUrl = await push("faulty", {
      "broken.json": "{",
      "twice.json": '{"environments": [], "environments": []}',
      "invalid.json": '{"enviroments": [], "__proto__": 1}',
    });
    const ask = async (configFilePath: string) =>
      await admin.post(PATH, iacBody({ repoUrl, configFilePath }));
    assert.deepEqual(assertRefused(await ask("broken.json"), 422, "CONFIG_INVALID"), []);
    assert.deepEqual(assertRefused(await ask("twice.json"), 422, "CONFIG_INVALID"), []);
    assert.deepEqual(assertRefused(await ask("invalid.json"), 422, "CONFIG_INVALID"), [
      "/__proto__ UNKNOWN_FIELD",
      "/enviroments UNKNOWN_FIELD",
      "/environments REQUIRED",
    ]);
  });

  it("need a key, and a developer's", async () => {
    const { admin, url } = instance;
    assertRefused(await createApiClient(url, "wrong").post(PATH, guiBody()), 401, "UNAUTHENTICATED");
    const viewer = await createUserClient(admin, "viewer");
    assertRefused(await viewer.post(PATH, guiBody()), 403, "ROLE_TOO_LOW");
    assertRefused(await viewer.delete(`${PATH}/proj_${NOBODY}`), 403, "ROLE_TOO_LOW");
    assert.equal((await viewer.get(PATH)).status, 200);
    const developer = await createUserClient(admin, "developer");
    assert.equal((await developer.post(PATH, guiBody())).status, 201);
  });

  it("of another organization do not exist for others", async () => {
    const { admin, other } = instance;
    const { projectId, environmentId, services } = await createProject(other, "foreign");
    const pairs: [missing: string, foreign: string][] = [
      [`${PATH}/proj_${NOBODY}`, `${PATH}/${projectId}`],
      [`${PATH}/proj_${NOBODY}/environments`, `${PATH}/${projectId}/environments`],
      [`/v1/environments/env_${NOBODY}`, `/v1/environments/${environmentId}`],
      [`/v1/environments/env_${NOBODY}/services`, `/v1/environments/${environmentId}/services`],
      [`/v1/services/svc_${NOBODY}`, `/v1/services/${services["web"]}`],
    ];
    for (const [missing, foreign] of pairs) {
      assertSameNotFound(await admin.get(missing), await admin.get(foreign));
    }
    assertSameNotFound(
      await admin.delete(`${PATH}/proj_${NOBODY}`),
      await admin.delete(`${PATH}/${projectId}`),
    );
    const listed = await admin.get(`${PATH}?limit=100`);
    assert.ok(!listed.body.projects.some(({ id }: { id: string }) => id === projectId));
    assert.equal((await other.get(`${PATH}/${projectId}`)).status, 200);
  });

  it("cannot be deployed to another organization's account", async () => {
    const foreign = await connectAccount(instance.other, "theirs");
    const missing = await instance.admin.post(PATH, guiBody({ awsAccountId: "aws_nobody" }));
    assertSameNotFound(missing, await instance.admin.post(PATH, guiBody({ awsAccountId: foreign })));
    assert.match(missing.body.detail, /Check the id in awsAccountId\.$/);
  });

  it("publish the schema of their configuration to everyone", async () => {
    const answer = await fetch(`${instance.url}/schema.json`);
    assert.equal(answer.status, 200);
    const schema = (await answer.json()) as { $id: string; title: string };
    assert.equal(schema.$id, `${instance.url}/schema.json`);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  });
});
