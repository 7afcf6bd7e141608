/** Reads of a repository before it is a project: branches and framework. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { commitFiles, createRepository } from "../../sandbox/src/git/git-repositories.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import { deploy, ended, getPage, listServices } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused, assertSameNotFound } from "../helpers/problems.ts";
import { createKeyClient, createUserClient } from "../helpers/users.ts";

const TOKEN = "ghp-very-secret-token-0123456789";

describe("repositories before they are projects", () => {
  let instance: Instance;
  let path: string;
  let developer: ApiClient;
  const urlOf = (name: string) => `https://git.sandbox.test/${name}`;
  const add = async (name: string, files: Readonly<Record<string, string>>) =>
    await createRepository({
      folder: instance.sandbox.gitDir,
      name,
      branch: "main",
      files,
      at: new Date(),
    });
  const ask = (client: ApiClient, what: string, query: Readonly<Record<string, string>>) =>
    client.get(`${path}/${what}?${String(new URLSearchParams(query))}`);

  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const made = await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: TOKEN });
    path = `/v1/git-integrations/${made.body.id}`;
    developer = await createUserClient(instance.admin, "developer");
  });
  after(() => instance.dispose());

  it("show their branches, main first, and find them by a part", async () => {
    const commit = await add("branches", {});
    const gitdir = `${instance.sandbox.gitDir}/branches.git`;
    for (const branch of ["a-feature", "release/2"])
      await commitFiles({ gitdir, branch, files: {}, message: branch, at: new Date() });
    const all = await ask(developer, "branches", { repoUrl: urlOf("branches") });
    assert.equal(all.status, 200, all.text);
    assert.deepEqual(
      [all.body.branches.map(({ name }: { name: string }) => name), all.body.hasMore],
      [["main", "a-feature", "release/2"], false],
    );
    assert.equal(all.body.branches[0].commitHash, commit);
    const found = await ask(developer, "branches", { repoUrl: `${urlOf("branches")}.git`, search: "REL" });
    assert.deepEqual(
      found.body.branches.map(({ name }: { name: string }) => name),
      ["release/2"],
    );
  });

  it("show their framework, and a configuration that a project is created with", async () => {
    const commit = await add("site", {
      "package.json": JSON.stringify({
        scripts: { build: "vite build" },
        devDependencies: { vite: "7.0.0" },
      }),
      "package-lock.json": "{}",
    });
    const { status, body, text } = await ask(developer, "detection", {
      repoUrl: urlOf("site"),
      branch: "main",
      region: "eu-central-1",
    });
    assert.equal(status, 200, text);
    assert.deepEqual(body, {
      commitHash: commit,
      framework: { id: "vite", name: "Vite" },
      service: {
        type: "static",
        buildCommand: "npm ci && npm run build",
        outputDirectory: "dist",
        startCommand: null,
        port: null,
      },
      reasons: ["package.json depends on vite."],
      hints: [],
      config: {
        environments: [
          {
            id: "production",
            name: "Production",
            region: "eu-central-1",
            source: { branch: "main", trigger: "manual" },
            services: [
              {
                id: "web",
                name: "Web",
                type: "static",
                buildCommand: "npm ci && npm run build",
                outputDirectory: "dist",
              },
            ],
          },
        ],
      },
      configFile: null,
      flightcontrolFile: null,
    });
    const awsAccountId = await connectAccount(instance.admin, "detected");
    const created = await developer.post("/v1/projects", {
      name: "Site",
      repoUrl: urlOf("site"),
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: body.config,
    });
    assert.equal(created.status, 201, created.text);
  });

  it("show what is missing, and a folder with a site", async () => {
    await add("go", { "go.mod": "module shop" });
    const go = await ask(developer, "detection", { repoUrl: urlOf("go"), branch: "main" });
    assert.deepEqual([go.body.framework.id, go.body.config], ["go", null]);
    assert.match(go.body.hints.join(" "), /Dockerfile/);
    await add("folder", { "docs/index.html": "", "README.md": "" });
    const folder = await ask(developer, "detection", { repoUrl: urlOf("folder"), branch: "main" });
    assert.deepEqual([folder.body.framework.id, folder.body.service.outputDirectory], ["static", "docs"]);
    await add("large", { "package.json": `{"name":"${"a".repeat(2 ** 20)}"}` });
    const large = await ask(developer, "detection", { repoUrl: urlOf("large"), branch: "main" });
    assert.match(large.body.hints.join(" "), /could not be read/);
  });

  it("show what becomes of their flightcontrol.json, whose proposal is deployed and serves", async () => {
    const steps = {
      basePath: "./web",
      installCommand: "echo install > installed",
      postBuildCommand: "ls index.html",
    };
    const services = [
      {
        id: "site",
        name: "Site",
        type: "static",
        ...steps,
        buildCommand: "cat installed > index.html; true",
        outputDirectory: ".",
      },
      {
        id: "api",
        name: "API",
        type: "fargate",
        cpu: 0.25,
        memory: 512,
        installCommand: "true",
        buildCommand: "true",
        startCommand: ["node", "server.cjs", "it's here"],
        envVariables: { MODE: 7 },
      },
      { id: "db", name: "Database", type: "rds" },
    ];
    const source = { branch: "main" };
    const file = { environments: [{ id: "live", name: "Live", region: "us-west-2", source, services }] };
    const server = `require("node:http").createServer((_, response) => response.end(process.argv[2] + process.env.MODE)).listen(process.env.PORT)`;
    await add("moving", { "flightcontrol.json": JSON.stringify(file), "web/a": "a", "server.cjs": server });
    const read = async (name: string) => {
      const { status, body, text } = await ask(developer, "detection", {
        repoUrl: urlOf(name),
        branch: "main",
      });
      assert.equal(status, 200, text);
      return body.flightcontrolFile;
    };
    const found = await read("moving");
    assert.deepEqual([found.path, found.problem, found.faults], ["flightcontrol.json", null, []]);
    assert.equal(found.imported.isBlocked, false);
    const sent = await developer.post("/v1/configurations/import", { flightcontrol: JSON.stringify(file) });
    assert.deepEqual([sent.status, sent.body], [200, found.imported]);
    await connectAccount(instance.admin, "moving");
    const made = await developer.post("/v1/projects", {
      name: "Moving",
      repoUrl: urlOf("moving"),
      awsAccountId: "moving",
      codeSource: { provider: "provider_a" },
      configType: "gui",
      config: found.imported.proposal,
    });
    assert.equal(made.status, 201, made.text);
    await ended(instance.admin, await deploy(instance.admin, "moving"));
    const { site = "", api = "" } = await listServices(instance.admin, made.body.id);
    assert.equal((await getPage(instance, site)).body.trim(), "install");
    assert.equal((await getPage(instance, api)).body, "it's here7");

    await add("both", { "flightcontrol.json": JSON.stringify(file), "slipway.json": JSON.stringify(file) });
    assert.equal(await read("both"), null, "a slipway.json is enough");
    await add("commented", { "flightcontrol.json": "{\n  // comment\n}" });
    const broken = await read("commented");
    assert.equal(broken.imported, null);
    assert.match(broken.problem, /"\/" is unexpected at line 2, column 3/);
    await add("twice", {
      "flightcontrol.json": JSON.stringify({ environments: [...file.environments, ...file.environments] }),
    });
    assert.equal((await read("twice")).faults[0].path, "/environments/1/id");
  });

  it("answer an import with each fault of the file, and without its secrets", async () => {
    const send = (flightcontrol: unknown) => developer.post("/v1/configurations/import", { flightcontrol });
    const wrong = await send(JSON.stringify({ environments: [{}] }));
    assertRefused(wrong, 422, "IMPORT_FILE_INVALID");
    assert.deepEqual(wrong.body.errors[0], {
      path: "/environments/0/id",
      code: "REQUIRED",
      message: "is required",
    });
    assertRefused(await send("not JSON"), 422, "IMPORT_FILE_INVALID");
    assertRefused(await send("x".repeat(600_000)), 400, "INVALID_REQUEST");
    const service = { id: "site", type: "static", envVariables: { API_KEY: "canary-81fe" } };
    const environment = { id: "a", region: "us-west-2", source: { branch: "main" }, services: [service] };
    const moved = await send(JSON.stringify({ environments: [environment] }));
    assert.deepEqual(moved.body.secrets, [{ environment: "a", service: "site", name: "API_KEY" }]);
    assert.ok(!moved.text.includes("canary-81fe"));
  });

  it("show their slipway.json, and what is wrong with it", async () => {
    const demo = await ask(developer, "detection", { repoUrl: urlOf("demo"), branch: "main" });
    const { config, ...valid } = demo.body.configFile;
    assert.deepEqual(valid, { path: "slipway.json", isValid: true, problem: null, faults: [] });
    assert.equal(config.environments[0].services[0].outputDirectory, "public");
    await add("wrong", { "slipway.json": '{"environments":[],"extra":1}' });
    const wrong = (await ask(developer, "detection", { repoUrl: urlOf("wrong"), branch: "main" })).body
      .configFile;
    assert.deepEqual(
      [wrong.isValid, wrong.faults.map(({ path: at }: { path: string }) => at).toSorted(), wrong.config],
      [false, ["/environments", "/extra"], { environments: [], extra: 1 }],
    );
    await add("broken", { "slipway.json": '{\n  "environments": [\n}' });
    const broken = (await ask(developer, "detection", { repoUrl: urlOf("broken"), branch: "main" })).body
      .configFile;
    assert.deepEqual([broken.isValid, broken.config], [false, null]);
    assert.match(broken.problem, /line 3, column 1/);
  });

  it("are refused if they, their branch or their host are not right", async () => {
    const branch = "main";
    assertRefused(await ask(developer, "branches", { repoUrl: urlOf("none") }), 422, "REPOSITORY_NOT_FOUND");
    assertRefused(
      await ask(developer, "detection", { repoUrl: urlOf("none"), branch }),
      422,
      "REPOSITORY_NOT_FOUND",
    );
    assertRefused(
      await ask(developer, "detection", { repoUrl: urlOf("demo"), branch: "none" }),
      422,
      "BRANCH_NOT_FOUND",
    );
    for (const repoUrl of ["https://169.254.169.254/latest/meta-data", "https://127.0.0.1:1/a/b"])
      assertRefused(await ask(developer, "detection", { repoUrl, branch }), 422, "REPOSITORY_NOT_FOUND");
    for (const repoUrl of ["file:///etc/passwd", "-x", "not an address"]) {
      const refused = await ask(developer, "branches", { repoUrl });
      assert.deepEqual(assertRefused(refused, 400, "INVALID_REQUEST"), ["query/repoUrl WRONG_FORM"], repoUrl);
    }
    assert.deepEqual(
      assertRefused(await developer.get(`${path}/detection`), 400, "INVALID_REQUEST").toSorted(),
      ["query/branch REQUIRED", "query/repoUrl REQUIRED"],
    );
  });

  it("need what creating a project needs", async () => {
    const query = { repoUrl: urlOf("demo"), branch: "main" };
    const viewer = await createUserClient(instance.admin, "viewer");
    const reader = await createKeyClient(instance.admin, { scopes: ["read"] });
    const { body } = await instance.admin.get("/v1/projects");
    const ofProject = await createKeyClient(instance.admin, { projectIds: [body.projects[0].id] });
    for (const [what, asked] of [
      ["branches", { repoUrl: query.repoUrl }],
      ["detection", query],
      ["repositories", {}],
    ] as const) {
      assertRefused(await ask(viewer, what, asked), 403, "ROLE_TOO_LOW");
      assertRefused(await ask(reader, what, asked), 403, "SCOPE_MISSING");
      assertRefused(await ask(ofProject, what, asked), 403, "KEY_OF_PROJECTS");
      for (const client of [developer, instance.admin])
        assert.equal((await ask(client, what, asked)).status, 200);
      const missing = `/v1/git-integrations/git_01h455vb4pex5vsknk084sn02q/${what}?${String(new URLSearchParams(asked))}`;
      assertSameNotFound(await instance.other.get(missing), await ask(instance.other, what, asked));
    }
    assert.ok(!instance.logged().includes(TOKEN));
  });
});
