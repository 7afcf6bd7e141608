/** What a repository has that git accepts, and what in it can never be deployed. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
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
import { HAS_GIT, openWorkingCopy } from "../helpers/customers/git-push.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";

const CONFIG = configOf([{ id: "site", type: "static", outputDirectory: "public" }]);

describe("a repository", { concurrency: false }, () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
  });
  after(() => instance.dispose());

  const gitDirOf = (name: string) => path.join(instance.dataDir, "sandbox", "git", `${name}.git`);
  const create = (name: string, more: object = {}) =>
    instance.admin.post("/v1/projects", {
      name,
      repoUrl: urlOf(name),
      awsAccountId: "main",
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
      ...more,
    });

  const bomb = "with a configuration that is a bomb is refused without inflating it";
  it(bomb, { skip: !HAS_GIT && "needs git" }, async (t) => {
    const folder = path.join(instance.dataDir, "bomb-copy");
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const copy = await openWorkingCopy(instance.dataDir, "bomb", folder);
    await copy.commit({ "slipway.json": Buffer.alloc(101 * 1024 ** 2) });
    await copy.push("HEAD:main");
    const refused = await create("bomb");
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.equal(refused.body.code, "REPOSITORY_TOO_LARGE");
    assert.match(JSON.stringify(refused.body), /needs 105906176 bytes. The limit is 104857600 bytes/);
  });

  // V6
  it("with names that git accepts is deployed as it is", { skip: !HAS_GIT && "needs git" }, async (t) => {
    const { admin, dataDir } = instance;
    const folder = path.join(dataDir, "odd-copy");
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const copy = await openWorkingCopy(dataDir, "odd", folder);
    const names = ["we\\ird.txt", "a:b.txt", "line\nbreak.txt", "\u0007bell.txt", "ü😀.txt", "-rf.txt"];
    const site = Object.fromEntries(names.map((name) => [`public/${name}`, name]));
    await copy.commit(withConfig(CONFIG, { ...site, "we\\ird": "x", "public/index.html": "odd" }));
    await copy.push("HEAD:main");
    const projectId = await createIacProject(admin, "odd");
    await ended(admin, await deploy(admin, "odd"));
    const { site: service = "" } = await listServices(admin, projectId);
    for (const name of names) {
      const page = await getPage(instance, service, `/${encodeURIComponent(name)}`);
      assert.deepEqual([page.status, page.body], [200, name], JSON.stringify(name));
    }
  });

  it("with a damaged object is refused at once, at the project and at a deployment", async () => {
    const { admin } = instance;
    const commit = await push(instance, "damaged", withConfig(CONFIG, { "public/index.html": "x" }));
    await createIacProject(admin, "damaged");
    const file = path.join(gitDirOf("damaged"), "objects", commit.slice(0, 2), commit.slice(2));
    rmSync(file, { force: true });
    writeFileSync(file, "no object");
    const failed = await ended(admin, await deploy(admin, "damaged"), "ERROR");
    assert.equal(failed.error.code, "CHECKOUT_REFUSED");
    assert.match(failed.error.message, new RegExp(`The object ${commit} is damaged`));
    const refused = await create("damaged-again", { repoUrl: urlOf("damaged") });
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.equal(refused.body.code, "CHECKOUT_REFUSED");
  });

  it("whose references lead in a circle, or have impossible names, has its other branches", async () => {
    const { admin } = instance;
    await push(instance, "circle", withConfig(CONFIG, { "public/index.html": "x" }));
    const heads = path.join(gitDirOf("circle"), "refs", "heads");
    writeFileSync(path.join(heads, "a"), "ref: refs/heads/b\n");
    writeFileSync(path.join(heads, "b"), "ref: refs/heads/a\n");
    writeFileSync(path.join(heads, "line\nbreak"), `${"1".repeat(40)}\n`);
    writeFileSync(path.join(heads, "outside"), "ref: ../../../../../../etc/passwd\n");
    mkdirSync(path.join(heads, "feature"));
    writeFileSync(path.join(heads, "feature", "rubbish"), "rubbish\n");
    await createIacProject(admin, "circle");
    await ended(admin, await deploy(admin, "circle"));
    const refused = await admin.post("/v1/deployments", { repoUrl: urlOf("circle"), branch: "a" });
    assert.equal(refused.body.code, "BRANCH_NOT_FOUND", JSON.stringify(refused.body));
  });

  // V19
  it("is named with its branches where a branch is missing, and with the place of a fault in its file", async () => {
    const { admin } = instance;
    const files = withConfig(CONFIG, { "public/index.html": "x" });
    await push(instance, "named", files);
    await push(instance, "named", files, "trunk");
    await createIacProject(admin, "named");
    const missing = await admin.post("/v1/deployments", { repoUrl: urlOf("named"), branch: "mian" });
    assert.equal(missing.body.code, "BRANCH_NOT_FOUND");
    assert.match(missing.body.detail, /has no branch "mian"\. It has "main", "trunk"\./);
    await push(instance, "named", { ...files, "slipway.json": '{\n  "environments": [],\n}\n' });
    const failed = await ended(admin, await deploy(admin, "named"), "ERROR");
    assert.equal(failed.error.code, "CONFIG_INVALID");
    assert.match(failed.error.message, /"}" is unexpected at line 3, column 1\./);
  });

  it("is known to a build and to a release by its commit and branch", async () => {
    const { admin } = instance;
    const buildCommand =
      'mkdir public && echo "$SLIPWAY_GIT_COMMIT_SHA $SLIPWAY_GIT_BRANCH $SLIPWAY_GIT_REPOSITORY $SLIPWAY_DEPLOYMENT_ID" > public/index.html';
    const config = configOf([{ id: "site", type: "static", outputDirectory: "public", buildCommand }]);
    const commit = await push(instance, "known", withConfig(config, { "a.txt": "a" }));
    const projectId = await createIacProject(admin, "known");
    const id = await deploy(admin, "known");
    await ended(admin, id);
    const { site = "" } = await listServices(admin, projectId);
    const page = await getPage(instance, site);
    assert.equal(page.body, `${commit} main https://git.sandbox.test/known ${id}\n`);
  });

  // V10
  it("serves files without an extension as they are, and the address of a page", async () => {
    const { admin } = instance;
    const site = {
      "public/index.html": "home",
      "public/about.html": "about",
      "public/LICENSE": "MIT",
      "public/v1.0.html": "a name with a dot",
      "public/.well-known/apple-app-site-association": "{}",
      "public/.well-known/token.html": "not this",
    };
    await push(instance, "pages", withConfig(CONFIG, site));
    const projectId = await createIacProject(admin, "pages");
    await ended(admin, await deploy(admin, "pages"));
    const { site: service = "" } = await listServices(admin, projectId);
    const at = async (page: string) => {
      const { status, body } = await getPage(instance, service, page);
      return status === 200 ? body : status;
    };
    assert.equal(await at("/about"), "about");
    assert.equal(await at("/LICENSE"), "MIT");
    assert.equal(await at("/.well-known/apple-app-site-association"), "{}");
    // As on AWS.
    assert.equal(await at("/.well-known/token"), 404);
    assert.equal(await at("/v1.0"), 404);
  });

  // V1
  it("is the same in any case of its letters, for deployments and for two projects of it", async () => {
    const { admin } = instance;
    await push(instance, "casey-shop", withConfig(CONFIG, { "public/index.html": "x" }));
    const projectId = await createIacProject(admin, "casey-shop");
    const inCapitals = "https://git.sandbox.test/Casey-Shop";
    for (const filter of [{}, { filter: { projectId } }]) {
      const deployed = await admin.post("/v1/deployments", { repoUrl: inCapitals, ...filter });
      assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
      await ended(admin, deployed.body.id);
    }
    const second = await create("casey-two", { repoUrl: inCapitals });
    assert.equal(second.status, 201, JSON.stringify(second.body));
    assert.equal((await admin.get(`/v1/projects/${second.body.id}`)).body.repoUrl, inCapitals);
    const ambiguous = await admin.post("/v1/deployments", { repoUrl: urlOf("casey-shop") });
    assert.equal(ambiguous.body.code, "SEVERAL_PROJECTS_MATCH");
    await push(instance, "other", withConfig(CONFIG, { "public/index.html": "x" }));
    const mistaken = await admin.post("/v1/deployments", { repoUrl: urlOf("other"), filter: { projectId } });
    assert.equal(mistaken.body.code, "PROJECT_NOT_FOUND");
    assert.match(mistaken.body.detail, /has the repository \S+casey-shop, and not \S+other\./);
  });
});
