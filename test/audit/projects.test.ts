/** A project can change: its name, its configuration, where that is read, and where its repository is. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, createProjectIn, integrateGit, untilDomain } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const LANDING = { id: "landing", type: "external", hostname: "landing.example.com" };
const JOBS = { id: "jobs", type: "worker", startCommand: "node worker.js" };
const PATH = "/v1/projects";

type Planned = {
  configId: string;
  change: string;
  fields: string[];
  variables: object[];
  services: Planned[];
};

describe("a project", () => {
  let instance: Instance;
  let account: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    account = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    await push(instance, "first", withConfig(configOf([SITE]), { "public/index.html": "first" }));
    await push(instance, "second", withConfig(configOf([SITE]), { "public/index.html": "second" }));
  });
  after(() => instance.dispose());

  const create = (name: string, config: object) => createProjectIn(instance.admin, account, name, config);
  const patch = (id: string, body: object) => instance.admin.patch(`${PATH}/${id}`, body);
  const plan = async (id: string, body: object) => {
    const answer = await instance.admin.post(`${PATH}/${id}/plan`, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const get = async (path: string) => {
    const answer = await instance.admin.get(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const environmentsOf = async (id: string) => (await get(`${PATH}/${id}/environments`)).environments;
  const servicesOf = async (id: string, environment = 0) => {
    const { id: environmentId } = (await environmentsOf(id))[environment];
    const { services } = await get(`/v1/environments/${environmentId}/services`);
    return new Map<string, { id: string; name: string; settings: object; cdnDomainName: string | null }>(
      services.map((service: { configId: string }) => [service.configId, service]),
    );
  };
  /** A plan's environments and services, by change. */
  const told = (environments: readonly Planned[]) =>
    environments.flatMap((one) => [
      `${one.change} ${one.configId}`,
      ...one.services.map((service) => `${service.change} ${one.configId}/${service.configId}`),
    ]);
  it("A18: shows its configuration in the same form everywhere", async () => {
    const config = configOf([SITE], { envVariables: { A: "1" } });
    const created = await instance.admin.post(PATH, {
      name: "shape",
      repoUrl: urlOf("first"),
      awsAccountId: account,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config,
    });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.body.config, config);
    assert.deepEqual(await get(`${PATH}/${created.body.id}`), created.body);
    const { projects } = await get(`${PATH}?limit=100`);
    assert.deepEqual(
      projects.find(({ id }: { id: string }) => id === created.body.id),
      created.body,
    );
    const changed = await patch(created.body.id, { name: "shape 2" });
    const { updatedAt } = changed.body;
    assert.deepEqual(changed.body, { ...created.body, name: "shape 2", updatedAt });
    assert.deepEqual(await get(`${PATH}/${created.body.id}`), changed.body);
  });

  it("D2: is renamed, even during a deployment, and the change is audited", async () => {
    const id = await createIacProject(instance.admin, "first");
    const deployment = await deploy(instance.admin, "first", { filter: { projectId: id } });
    const changed = await patch(id, { name: "Renamed" });
    assert.deepEqual([changed.status, changed.body.name], [200, "Renamed"]);
    const { auditEntries } = await get(`/v1/audit-entries?resourceId=${id}`);
    const entry = auditEntries.find(({ action }: { action: string }) => action === "project.updated");
    assert.deepEqual(entry.details, { before: { name: "first" }, after: { name: "Renamed" } });
    await ended(instance.admin, deployment);
  });

  it("D2: takes another config: new parts are created, missing ones are removed from the cloud", async () => {
    const id = await create("changing", configOf([SITE, JOBS], { envVariables: { OLD: "1", SAME: "1" } }));
    const old = await servicesOf(id);
    const staging = { id: "staging", region: "eu-west-1", source: { branch: "main" }, services: [LANDING] };
    const config = {
      environments: [
        {
          id: "production",
          name: "Live",
          region: "us-west-2",
          source: { branch: "main" },
          envVariables: { NEW: "2", SAME: "1" },
          services: [{ ...SITE, name: "The site" }, LANDING],
        },
        staging,
      ],
    };
    const planned = await plan(id, { config });
    assert.deepEqual(told(planned.environments), [
      "CHANGED production",
      "CHANGED production/site",
      "CREATED production/landing",
      "REMOVED production/jobs",
      "CREATED staging",
      "CREATED staging/landing",
    ]);
    const [production] = planned.environments;
    assert.deepEqual(production.fields, ["name"]);
    assert.deepEqual(production.variables, [
      { name: "NEW", change: "CREATED" },
      { name: "OLD", change: "REMOVED" },
    ]);
    assert.deepEqual(production.services[0].fields, ["name"]);
    assert.deepEqual(
      [planned.isApplicable, planned.refusals, planned.fields, planned.appliesWith],
      [true, [], ["config"], "CHANGE"],
    );
    assert.deepEqual([...(await servicesOf(id)).keys()].sort(), ["jobs", "site"], "a plan changes nothing");

    const changed = await patch(id, { config });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body.config, config);
    const now = await servicesOf(id);
    assert.deepEqual([...now.keys()].sort(), ["landing", "site"]);
    assert.equal(now.get("site")?.id, old.get("site")?.id, "what stays keeps its id");
    assert.equal(now.get("site")?.name, "The site");
    assert.deepEqual(
      (await environmentsOf(id)).map(({ configId, name }: { configId: string; name: string }) => [
        configId,
        name,
      ]),
      [
        ["production", "Live"],
        ["staging", "staging"],
      ],
    );
    assertRefused(await instance.admin.get(`/v1/services/${old.get("jobs")?.id}`), 404, "NOT_FOUND");
    const landing = now.get("landing");
    await until(
      async () => (await get(`/v1/services/${landing?.id}`)).cdnDomainName,
      "the new service gets its distribution without a deployment",
    );
    assert.deepEqual(told((await plan(id, {})).environments), [
      "UNCHANGED production",
      "UNCHANGED production/site",
      "UNCHANGED production/landing",
      "UNCHANGED staging",
      "UNCHANGED staging/landing",
    ]);

    const distributions = async () =>
      (await get("/sandbox/state")).accounts.flatMap((one: { distributions: object[] }) => one.distributions)
        .length;
    const before = await distributions();
    assert.equal((await patch(id, { config: { environments: [staging] } })).status, 200);
    assert.deepEqual(
      (await environmentsOf(id)).map(({ configId }: { configId: string }) => configId),
      ["staging"],
    );
    await until(
      async () => (await distributions()) === before - 2,
      "both distributions are deleted from the cloud",
    );
  });

  it("D2: removes the releases of a removed service from the platform", async () => {
    await push(
      instance,
      "running",
      withConfig(configOf([SITE]), { "public/index.html": "x", "worker.js": "setInterval(() => 0, 1000)" }),
    );
    const created = await instance.admin.post(PATH, {
      name: "running",
      repoUrl: urlOf("running"),
      awsAccountId: account,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: configOf([SITE, JOBS]),
    });
    const { id } = created.body;
    await ended(instance.admin, await deploy(instance.admin, "running"));
    const jobs = (await servicesOf(id)).get("jobs");
    const released = async (): Promise<readonly string[]> =>
      (await get("/sandbox/state")).accounts.flatMap((one: { services: { serviceId: string }[] }) =>
        one.services.map(({ serviceId }) => serviceId),
      );
    assert.ok((await released()).includes(jobs?.id ?? ""));
    assert.equal((await patch(id, { config: configOf([SITE]) })).status, 200);
    await until(async () => !(await released()).includes(jobs?.id ?? ""), "the platform has nothing of it");
    await ended(instance.admin, await deploy(instance.admin, "running"));
  });

  it("D2: refuses what cannot change, with pointers; the plan says so in advance", async () => {
    const id = await create("fixed", configOf([SITE, LANDING]));
    const site = (await servicesOf(id)).get("site");
    const group = await instance.admin.post(`/v1/services/${site?.id}/domain-certificate-groups`, {
      domains: ["www.fixed.example.com"],
    });
    assert.equal(group.status, 201, group.text);
    const config = {
      environments: [
        {
          id: "production",
          region: "eu-west-1",
          source: { branch: "main" },
          services: [{ ...JOBS, id: "landing" }],
        },
      ],
    };
    const refused = await patch(id, { name: "never", config });
    assertRefused(refused, 409, "CONFIG_NOT_APPLICABLE");
    const places = [
      ["/config/environments/0/region", "CANNOT_CHANGE"],
      ["/config/environments/0/services/0/type", "CANNOT_CHANGE"],
      ["/config/environments/0/services", "HAS_DOMAINS"],
    ];
    type Refusal = { path: string; code: string; message: string };
    const pairs = (list: readonly Refusal[]) => list.map(({ path, code }) => [path, code]);
    assert.deepEqual(pairs(refused.body.errors), places);
    assert.match(refused.body.errors[2].message, /site.*www\.fixed\.example\.com/);
    const planned = await plan(id, { name: "never", config });
    assert.equal(planned.isApplicable, false);
    assert.deepEqual(pairs(planned.refusals), places);
    assert.equal((await get(`${PATH}/${id}`)).name, "fixed", "all or nothing");

    const gone = await patch(id, { config: { environments: [{ ...config.environments[0], id: "other" }] } });
    assertRefused(gone, 409, "CONFIG_NOT_APPLICABLE");
    assert.deepEqual(pairs(gone.body.errors), [["/config/environments", "HAS_DOMAINS"]]);
    await untilDomain(
      instance.admin,
      group.body.createdDomains[0].id,
      "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
    );
  });

  it("D2: reports all faults of a body at once", async () => {
    const id = await create("bodies", configOf([SITE]));
    const faults = async (body: object) => {
      const answer = await patch(id, body);
      assertRefused(answer, 400, "INVALID_REQUEST");
      assertRefused(await instance.admin.post(`${PATH}/${id}/plan`, body), 400, "INVALID_REQUEST");
      return answer.body.errors.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(await faults({ configFilePath: "a.json" }), ["/configFilePath"]);
    assert.deepEqual(
      await faults({ name: "", config: { environments: [{}] }, repoUrl: "ftp://x" }).then((all) =>
        all.slice(0, 2),
      ),
      ["/name", "/repoUrl"],
    );
    assert.deepEqual(await faults({ configType: "iac" }), ["/configFilePath", "/configFileBranch"]);
    assert.deepEqual(await faults({ awsAccountId: account, codeSource: {} }), [
      "/awsAccountId",
      "/codeSource",
    ]);
    assertRefused(await patch("proj_none", { name: "x" }), 404, "NOT_FOUND");
    assertRefused(await instance.other.patch(`${PATH}/${id}`, { name: "x" }), 404, "NOT_FOUND");
    const viewer = await createUserClient(instance.admin, "viewer");
    assertRefused(await viewer.patch(`${PATH}/${id}`, { name: "x" }), 403, "ROLE_TOO_LOW");
  });

  it("D2: moves to another repository of the provider that can be read and has its branches", async () => {
    await push(instance, "moving", withConfig(configOf([SITE]), { "public/index.html": "old" }));
    const id = await createIacProject(instance.admin, "moving");
    await ended(instance.admin, await deploy(instance.admin, "moving"));
    const missing = { repoUrl: urlOf("no-such-repository") };
    assertRefused(await patch(id, missing), 422, "REPOSITORY_NOT_FOUND");
    const planned = await plan(id, missing);
    assert.deepEqual(
      planned.refusals.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [["/repoUrl", "REPOSITORY_NOT_FOUND"]],
    );
    await push(instance, "empty", { "readme.md": "no configuration" });
    assertRefused(await patch(id, { repoUrl: urlOf("empty") }), 422, "CONFIG_FILE_NOT_FOUND");
    assert.equal((await get(`${PATH}/${id}`)).repoUrl, urlOf("moving"));

    await push(instance, "moved", withConfig(configOf([SITE]), { "public/index.html": "new" }));
    const moved = await patch(id, { repoUrl: urlOf("moved") });
    assert.deepEqual([moved.status, moved.body.repoUrl], [200, urlOf("moved")], moved.text);
    assertRefused(
      await instance.admin.post("/v1/deployments", { repoUrl: urlOf("moving") }),
      404,
      "PROJECT_NOT_FOUND",
    );
    await ended(instance.admin, await deploy(instance.admin, "moved"));
  });

  it("D2: serves, until its first deployment, the files of the new repository and folder", async () => {
    const id = await create("unreleased", configOf([SITE]));
    assert.equal((await patch(id, { repoUrl: urlOf("first") })).status, 200);
    const { site = "" } = await listServices(instance.admin, id);
    const shows = (text: string) =>
      until(async () => (await getPage(instance, site)).body === text, `the site shows ${text}`);
    await shows("first");
    assert.equal((await patch(id, { repoUrl: urlOf("second") })).status, 200);
    await shows("second");
    await push(instance, "third", { "public/index.html": "third", "other/index.html": "other" });
    const config = configOf([{ ...SITE, outputDirectory: "other" }]);
    assert.equal((await patch(id, { repoUrl: urlOf("third"), config })).status, 200);
    await shows("other");
    assert.equal((await patch(id, { config: configOf([SITE]) })).status, 200);
    await shows("third");
  });

  it("D2: reads its configuration from another file, which the next deployment applies", async () => {
    const other = configOf([SITE, LANDING]);
    await push(instance, "files", {
      ...withConfig(configOf([SITE]), { "public/index.html": "x" }),
      "deploy/other.json": JSON.stringify(other),
      "deploy/broken.json": JSON.stringify({ environments: [{}] }),
    });
    const id = await createIacProject(instance.admin, "files");
    await ended(instance.admin, await deploy(instance.admin, "files"));
    assertRefused(await patch(id, { configFileBranch: "none" }), 422, "BRANCH_NOT_FOUND");
    assertRefused(await patch(id, { configFilePath: "deploy/broken.json" }), 422, "CONFIG_INVALID");
    assert.ok(
      (await plan(id, { configFilePath: "deploy/broken.json" })).refusals.every(
        ({ path, message }: { path: string; message: string }) =>
          path === "/configFilePath" && message.startsWith("/environments/0/"),
      ),
    );
    const body = { configFilePath: "deploy/other.json" };
    const planned = await plan(id, body);
    assert.equal(planned.appliesWith, "DEPLOYMENT");
    assert.ok(told(planned.environments).includes("CREATED production/landing"));
    const changed = await patch(id, body);
    assert.deepEqual(
      [changed.status, changed.body.configFilePath, changed.body.config],
      [200, body.configFilePath, null],
    );
    assert.deepEqual([...(await servicesOf(id)).keys()], ["site"]);
    await ended(instance.admin, await deploy(instance.admin, "files"));
    assert.deepEqual([...(await servicesOf(id)).keys()].sort(), ["landing", "site"]);
  });

  it("D2: moves its configuration from the API into the repository, and back", async () => {
    await push(instance, "typed", withConfig(configOf([SITE, LANDING]), { "public/index.html": "x" }));
    const created = await instance.admin.post(PATH, {
      name: "typed",
      repoUrl: urlOf("typed"),
      awsAccountId: account,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: configOf([SITE]),
    });
    const { id } = created.body;
    const file = { configType: "iac", configFilePath: "slipway.json", configFileBranch: "main" };
    const toFile = await patch(id, file);
    assert.equal(toFile.status, 200, toFile.text);
    const { configType, configFilePath, configFileBranch, config } = toFile.body;
    assert.deepEqual({ configType, configFilePath, configFileBranch, config }, { ...file, config: null });
    await ended(instance.admin, await deploy(instance.admin, "typed"));
    assert.deepEqual([...(await servicesOf(id)).keys()].sort(), ["landing", "site"]);
    const back = await patch(id, { configType: "gui", config: configOf([SITE]) });
    assert.deepEqual([back.status, back.body.configFilePath], [200, null], back.text);
    assert.deepEqual([...(await servicesOf(id)).keys()], ["site"]);
  });

  it("D2: is not changed during a deployment, nor by a change that another one overtook", async () => {
    await push(
      instance,
      "busy",
      withConfig(configOf([{ ...SITE, buildCommand: "while [ ! -e go ]; do sleep 0.1; done" }]), {
        "public/index.html": "x",
      }),
    );
    const id = await createIacProject(instance.admin, "busy");
    const deployment = await deploy(instance.admin, "busy");
    const body = { configFilePath: "slipway.json", configFileBranch: "main", repoUrl: urlOf("first") };
    const refused = await patch(id, body);
    assertRefused(refused, 409, "DEPLOYMENT_UNDER_WAY");
    assert.ok(refused.body.detail.includes(deployment));
    const { refusals } = await plan(id, body);
    assert.deepEqual(
      refusals.map(({ code }: { code: string }) => code),
      ["DEPLOYMENT_UNDER_WAY"],
    );
    assert.equal((await patch(id, { name: "Busy" })).status, 200);
    assert.equal((await instance.admin.post(`/v1/deployments/${deployment}/cancel`)).status, 202);
    await ended(instance.admin, deployment, "CANCELLED");
    const answers = await Promise.all([1, 2, 3].map((n) => patch(id, { ...body, name: `Number ${n}` })));
    assert.ok(answers.some(({ status }) => status === 200));
    for (const answer of answers) {
      if (answer.status !== 200) assertRefused(answer, 409, "PROJECT_CHANGED_MEANWHILE");
    }
  });

  it("D2: does not remove a service that variables link to, and names them", async () => {
    const id = await create("linked", configOf([SITE, LANDING]));
    const services = await servicesOf(id);
    const [{ id: environmentId }] = await environmentsOf(id);
    const set = await instance.admin.post(`/v1/environments/${environmentId}/env-variables`, {
      fromService: { LANDING_URL: { id: services.get("landing")?.id, value: "url" } },
    });
    assert.equal(set.status, 200, set.text);
    const config = configOf([SITE]);
    const refused = await patch(id, { config });
    assert.deepEqual(assertRefused(refused, 409, "CONFIG_NOT_APPLICABLE"), [
      "/config/environments/0/services IS_LINKED",
    ]);
    assert.match(refused.body.errors[0].message, /service landing, .*\(LANDING_URL of the environment\)/);
    assert.equal((await plan(id, { config })).isApplicable, false);
    assert.ok((await servicesOf(id)).has("landing"));
    // An environment goes with its own variables.
    const other = { id: "other", region: "us-west-2", source: { branch: "main" }, services: [SITE] };
    const gone = await patch(id, { config: { environments: [other] } });
    assert.equal(gone.status, 200, gone.text);
  });
});
