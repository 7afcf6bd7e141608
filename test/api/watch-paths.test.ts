/** Which services a push builds, and the folder in which each is built and runs. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import {
  createIacProject,
  deliverPush,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { NOTHING_WATCHED } from "../../src/features/deployments/deployment.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const SITE = {
  id: "site",
  type: "static",
  basePath: "apps/site",
  buildCommand: "mkdir out && cp ../../shared/words.txt page.txt out/",
  outputDirectory: "out",
  watchPaths: ["apps/site/**", "shared/**"],
};
const API = {
  id: "api",
  type: "web",
  port: 3000,
  basePath: "apps/api",
  buildCommand: "pwd > built-in.txt",
  startCommand: "node server.js",
  watchPaths: ["apps/api/**"],
};
const SERVER = `const text = require("node:fs").readFileSync("text.txt", "utf8");
require("node:http").createServer((_, response) => response.end(JSON.stringify({
  text, at: process.cwd(), commit: process.env.SLIPWAY_GIT_COMMIT_SHA,
  built: require("node:fs").readFileSync("built-in.txt", "utf8").trim(),
}))).listen(process.env.PORT, "127.0.0.1");`;

type Run = {
  readonly status: string;
  readonly plan: { readonly kept: readonly { readonly service: string; readonly commitHash: string }[] };
};

describe("a push to a repository with several services", () => {
  let instance: Instance;
  let secret: string;
  let projectId: string;
  let services: Readonly<Record<string, string>>;
  let first: string;
  const files: Record<string, string> = {
    "apps/site/page.txt": "page 1",
    "apps/api/server.js": SERVER,
    "apps/api/text.txt": "text 1",
    "shared/words.txt": "words 1",
    "README.md": "1",
  };
  const config = (more: object = {}, source: object = {}) => ({
    environments: [
      {
        id: "production",
        region: "us-west-2",
        source: { branch: "main", trigger: "push", ...source },
        services: [SITE, { ...API, ...more }],
      },
    ],
  });
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    const made = await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    ({ secret } = (await instance.admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`)).body);
    first = await push(instance, "shop", withConfig(config(), files));
    projectId = await createIacProject(instance.admin, "shop");
    await ended(instance.admin, await deploy(instance.admin, "shop"));
    services = await listServices(instance.admin, projectId);
  });
  after(() => instance.dispose());

  const commit = async (changes: Record<string, string>, written: object = config()): Promise<string> => {
    Object.assign(files, changes);
    return await push(instance, "shop", withConfig(written, files));
  };
  /** @returns the built services, and the others with the commits that they run */
  const pushed = async (hash: string) => {
    const [id = ""] = await deliverPush(instance, secret, "shop", hash);
    return await shown(id);
  };
  const shown = async (id: string) => {
    const done = await ended(instance.admin, id);
    const [run] = done.environments as readonly Run[];
    return {
      said: done.statusReason as string | null,
      built: done.services.map(({ configId }: { configId: string }) => configId).toSorted(),
      kept: Object.fromEntries(run?.plan.kept.map(({ service, commitHash }) => [service, commitHash]) ?? []),
    };
  };
  /** What the git host shows of a commit. */
  const statusOf = async (hash: string) => {
    const { body } = await instance.admin.get("/sandbox/git/repositories/shop/reports");
    const found = body.statuses.find(({ commit }: { commit: string }) => commit === hash);
    return [found?.state, found?.description] as const;
  };
  const api = async () => JSON.parse((await getPage(instance, services["api"] ?? "")).body);
  const page = async (name: string) => (await getPage(instance, services["site"] ?? "", `/${name}`)).body;

  it("finds commands and files in the folder of each service", async () => {
    const { text, at, built, commit: runs } = await api();
    assert.deepEqual([text, runs], ["text 1", first]);
    assert.match(at, /\/apps\/api$/);
    assert.match(built, /\/apps\/api$/);
    assert.deepEqual([await page("page.txt"), await page("words.txt")], ["page 1", "words 1"]);
  });

  it("builds only services whose files it changes, and shows which commit the others run", async () => {
    const second = await commit({ "apps/api/text.txt": "text 2" });
    assert.deepEqual(await pushed(second), { built: ["api"], kept: { site: first }, said: null });
    assert.deepEqual([(await api()).text, await page("page.txt")], ["text 2", "page 1"]);

    const third = await commit({ "README.md": "2" });
    const kept = { site: first, api: second };
    assert.deepEqual(await pushed(third), { built: [], kept, said: NOTHING_WATCHED });
    const reported = async () => (await statusOf(third)).join() === `success,${NOTHING_WATCHED}`;
    await until(reported, "the git host shows why nothing was built");
    assert.equal((await api()).commit, second);
    const { environments } = (await instance.admin.get(`/v1/projects/${projectId}/environments`)).body;
    const drift = (await instance.admin.get(`/v1/environments/${environments[0].id}/drift`)).body;
    assert.deepEqual(
      [drift.state, drift.services.map((one: { liveCommit: string }) => one.liveCommit)],
      ["CURRENT", [first, second]],
    );

    // Compared with the commit that runs, not with the one before.
    const fourth = await commit({ "shared/words.txt": "words 2" });
    assert.deepEqual(await pushed(fourth), { built: ["site"], kept: { api: second }, said: null });
    assert.equal(await page("words.txt"), "words 2");
  });

  it("builds what was reconfigured, and a request builds all", async () => {
    const { admin } = instance;
    const all = { built: ["api", "site"], kept: {}, said: null };
    assert.deepEqual(await shown(await deploy(admin, "shop")), all);
    const live = await commit({ "README.md": "3" });
    await admin.post(`/v1/services/${services["api"]}/env-variables`, { plainText: { LEVEL: "info" } });
    assert.deepEqual((await pushed(live)).built, ["api"]);
    const changed = await commit({}, config({ healthCheckPath: "/?health" }));
    assert.deepEqual((await pushed(changed)).built, ["api"]);
    const withVariable = { ...config({ healthCheckPath: "/?health" }), envVariables: { GREETING: "hello" } };
    assert.deepEqual(await pushed(await commit({}, withVariable)), all);
  });

  it("leaves all as it is if it changes no file that the environment watches", async () => {
    const written = config({ watchPaths: undefined }, { filter: { watchPaths: ["apps/**"] } });
    await pushed(await commit({}, written));
    const { built } = await pushed(await commit({ "shared/words.txt": "words 3" }, written));
    assert.deepEqual(built, []);
    // Also what the push before left.
    const { built: all } = await pushed(await commit({ "apps/api/text.txt": "text 3" }, written));
    assert.deepEqual(all, ["api", "site"]);
    assert.equal(await page("words.txt"), "words 3");
  });

  it("builds all after a forced push, because what changed is not known", async () => {
    const gitdir = path.join(instance.sandbox.gitDir, "shop.git");
    const written = config({ watchPaths: undefined }, { filter: { watchPaths: ["apps/**"] } });
    writeFileSync(path.join(gitdir, "refs", "heads", "main"), `${first}\n`);
    const forced = await commitFiles({
      gitdir,
      branch: "main",
      files: withConfig(written, files),
      message: "Forced",
      at: new Date(),
    });
    assert.deepEqual(await pushed(forced), { built: ["api", "site"], kept: {}, said: null });
  });
});
