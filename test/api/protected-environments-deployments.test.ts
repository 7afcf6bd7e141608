/**
 * Which callers can change what runs in a protected environment, for every way a deployment gets there (audit T3, T4,
 * T7, T10).
 */
import assert from "node:assert/strict";
import { rename, symlink } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import {
  createIacProject,
  deliverPush,
  deploy,
  ended,
  push,
  urlOf,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser, createUserClient } from "../helpers/users.ts";

type Run = { readonly configId: string; readonly status: string; readonly error: { code: string } | null };

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const PAGE = { "public/index.html": "hello" };
const ONLY_ADMINS = { deployers: "admin" };
const SLOW = { ...SITE, buildCommand: "sleep 300" };

const place = (id: string, source: object = {}, services: readonly object[] = [SITE]) => ({
  id,
  region: "us-west-2",
  source: { branch: "main", ...source },
  services,
});

describe("a protected environment", () => {
  let instance: Instance;
  let admin: ApiClient;
  let developer: ApiClient;
  let secret: string;
  before(async () => {
    instance = await startInstance();
    ({ admin } = instance);
    const made = await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    ({ secret } = (await admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`)).body);
    await connectAccount(admin, "main");
    developer = await createUserClient(admin, "developer");
  });
  after(() => instance.dispose());

  const commit = (name: string, environments: readonly object[], branch?: string) =>
    push(instance, name, withConfig({ environments }, PAGE), branch);

  /** A project of these environments. @returns the ids of its environments */
  async function create(name: string, environments: readonly object[]) {
    await commit(name, environments);
    return await idsOf(await createIacProject(admin, name));
  }
  async function idsOf(projectId: string): Promise<Readonly<Record<string, string>>> {
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    return Object.fromEntries(
      body.environments.map((one: { configId: string; id: string }) => [one.configId, one.id]),
    );
  }
  async function protect(environmentId: string | undefined, protection: object): Promise<void> {
    const changed = await admin.patch(`/v1/environments/${environmentId}`, { protection });
    assert.equal(changed.status, 200, changed.text);
  }
  const read = async (id: string) => (await admin.get(`/v1/deployments/${id}`)).body;
  const cancel = (client: ApiClient, id: string) => client.post(`/v1/deployments/${id}/cancel`);
  const runsOf = ({ environments }: { readonly environments: readonly Run[] }) =>
    Object.fromEntries(environments.map(({ configId, status, error }) => [configId, error?.code ?? status]));
  const sourceOf = async (environmentId: string | undefined) =>
    (await admin.get(`/v1/environments/${environmentId}`)).body.source;
  const untilStatus = (id: string, status: string) =>
    until(async () => (await read(id)).status === status, `the deployment ${id} is ${status}`);

  const deliver = (name: string, commit: string) => deliverPush(instance, secret, name, commit);

  /** Has the git host fail to read a commit, so that a deployment's runs are not created. @returns what ends it */
  async function holdBack(name: string, hash: string): Promise<() => Promise<void>> {
    const objects = path.join(instance.dataDir, "sandbox", "git", `${name}.git`, "objects");
    const file = path.join(objects, hash.slice(0, 2), hash.slice(2));
    const away = `${file}.away`;
    // A folder in its place is an error of the host's disk, and no damaged object.
    await rename(file, away);
    await symlink(objects, file);
    // Replaces the link at once: a reader must not find the object missing.
    return () => rename(away, file);
  }

  it("is not deployed by pushes because a commit says so, and keeps its trigger", async () => {
    const staging = place("staging", { trigger: "push" });
    const ids = await create("triggered", [staging, place("production")]);
    await protect(ids["production"], ONLY_ADMINS);
    const hash = await commit("triggered", [staging, place("production", { trigger: "push" })]);
    const [pushed = ""] = await deliver("triggered", hash);
    assert.deepEqual(runsOf(await ended(admin, pushed)), { staging: "SUCCESS" });
    assert.equal((await sourceOf(ids["production"])).trigger, "manual");
    // An admin who deploys the commit does not turn on pushes unawares.
    assert.deepEqual(runsOf(await ended(admin, await deploy(admin, "triggered"))), {
      staging: "SUCCESS",
      production: "SUCCESS",
    });
    assert.equal((await sourceOf(ids["production"])).trigger, "manual");
    const again = await commit("triggered", [staging, place("production", { trigger: "push" })]);
    const [next = ""] = await deliver("triggered", again);
    assert.deepEqual(runsOf(await ended(admin, next)), { staging: "SUCCESS" });
  });

  it("is not turned to another branch by a push, nor removed", async () => {
    const ids = await create("moved", [place("production", { trigger: "push" })]);
    await protect(ids["production"], ONLY_ADMINS);
    for (const environments of [
      [place("production", { branch: "next", trigger: "push" })],
      [place("other", { trigger: "push" })],
    ]) {
      const [pushed = ""] = await deliver("moved", await commit("moved", environments));
      assert.equal(runsOf(await ended(admin, pushed, "ERROR"))["production"], "ENVIRONMENT_PROTECTED");
    }
    assert.deepEqual(await sourceOf(ids["production"]), { branch: "main", trigger: "push" });
  });

  it("gets the code of a push where an admin lets pushes deploy, and no other configuration", async () => {
    const trigger = { trigger: "push" };
    const ids = await create("pushed", [place("production", trigger)]);
    await protect(ids["production"], ONLY_ADMINS);
    await ended(admin, await deploy(admin, "pushed"));
    const [same = ""] = await deliver("pushed", await commit("pushed", [place("production", trigger)]));
    assert.deepEqual(runsOf(await ended(admin, same)), { production: "SUCCESS" });
    const changes = {
      command: place("production", trigger, [{ ...SITE, buildCommand: "env" }]),
      service: place("production", trigger, [SITE, { ...SITE, id: "second" }]),
      removal: place("production", trigger, [{ ...SITE, id: "second" }]),
      variable: { ...place("production", trigger), envVariables: { WHERE: "elsewhere" } },
      name: { ...place("production", trigger), name: "Renamed" },
    };
    for (const [what, environment] of Object.entries(changes)) {
      const [refused = ""] = await deliver("pushed", await commit("pushed", [environment]));
      const { environments } = await ended(admin, refused, "ERROR");
      assert.equal(environments[0].error.code, "ENVIRONMENT_PROTECTED", what);
    }
    const services = async () =>
      (await admin.get(`/v1/environments/${ids["production"]}/services`)).body.services;
    assert.deepEqual(
      (await services()).map((one: { configId: string; settings: { buildCommand?: string } }) => [
        one.configId,
        one.settings.buildCommand ?? null,
      ]),
      [["site", null]],
    );
    // A deployment by a caller who may deploy there brings the whole commit.
    await commit("pushed", [changes.command]);
    await ended(admin, await deploy(admin, "pushed"));
    assert.equal((await services())[0].settings.buildCommand, "env");
  });

  it("is not reached by a rollback to a deployment of an environment that it replaced", async () => {
    await create("replaced", [place("production"), place("other")]);
    const first = (await ended(developer, await deploy(developer, "replaced"))).id;
    await commit("replaced", [place("other")]);
    await ended(developer, await deploy(developer, "replaced"));
    await commit("replaced", [place("production"), place("other")]);
    const { projectId } = await ended(developer, await deploy(developer, "replaced"));
    await protect((await idsOf(projectId))["production"], ONLY_ADMINS);
    const rollBack = (client: ApiClient) => client.post(`/v1/deployments/${first}/rollback`);
    assertRefused(await rollBack(developer), 403, "ENVIRONMENT_PROTECTED");
    const { deployment } = (await rollBack(admin)).body;
    assert.deepEqual(runsOf(await ended(admin, deployment.id)), { production: "SUCCESS", other: "SUCCESS" });
  });

  it("is requested directly, or by the commit of an earlier deployment, by a user who may deploy there", async () => {
    const ids = await create("named", [place("staging"), place("production")]);
    const first = (await ended(developer, await deploy(developer, "named"))).id;
    await protect(ids["production"], ONLY_ADMINS);
    const ask = (environmentId: string | undefined, more: object = {}) =>
      developer.post("/v1/deployments", { repoUrl: urlOf("named"), filter: { environmentId }, ...more });
    await commit("named", [place("production", { branch: "dev" })], "dev");
    for (const more of [{}, { branch: "dev" }])
      assertRefused(await ask(ids["production"], more), 403, "ENVIRONMENT_PROTECTED");
    assertRefused(await developer.post(`/v1/deployments/${first}/redeploy`), 403, "ENVIRONMENT_PROTECTED");
    const other = await ask(ids["staging"]);
    assert.equal(other.status, 201, other.text);
    assert.deepEqual(runsOf(await ended(admin, other.body.id)), { staging: "SUCCESS" });
  });

  it("has its deployments cancelled by a user who may deploy there, also before their runs exist", async () => {
    const staging = place("staging", { trigger: "push" });
    const ids = await create("cancelled", [staging, place("production")]);
    await protect(ids["production"], ONLY_ADMINS);
    const hash = await commit("cancelled", [staging, place("production")]);
    const readable = await holdBack("cancelled", hash);
    const own = await deploy(admin, "cancelled");
    assertRefused(await cancel(developer, own), 403, "ENVIRONMENT_PROTECTED");
    // A push does not reach it, so its deployment is the developer's to cancel.
    const later = await commit("cancelled", [staging, place("production")]);
    const laterReadable = await holdBack("cancelled", later);
    const [pushed = ""] = await deliver("cancelled", later);
    assert.equal((await cancel(developer, pushed)).status, 202);
    await ended(admin, pushed, "CANCELLED");
    await laterReadable();
    await readable();
    assert.equal(runsOf(await ended(admin, own))["production"], "SUCCESS");
  });

  it("is not deployed by what was accepted before it was protected", async () => {
    const ids = await create("before", [place("production")]);
    const readable = await holdBack("before", await commit("before", [place("production")]));
    const accepted = await deploy(developer, "before");
    await protect(ids["production"], ONLY_ADMINS);
    await readable();
    assert.deepEqual(runsOf(await ended(admin, accepted, "ERROR")), { production: "ENVIRONMENT_PROTECTED" });
  });

  it("is not deployed by what waited for its turn when it was protected", async () => {
    for (const [name, protection] of [
      ["queued-admins", ONLY_ADMINS],
      ["queued-approval", { approval: { approvers: "developer" } }],
    ] as const) {
      const ids = await create(name, [place("production", {}, [SLOW])]);
      const running = await deploy(developer, name);
      await untilStatus(running, "BUILDING");
      await commit(name, [place("production")]);
      const waiting = await deploy(developer, name);
      await until(async () => (await read(waiting)).environments.length === 1, "it waits for its turn");
      await protect(ids["production"], protection);
      assert.equal((await cancel(admin, running)).status, 202);
      assert.deepEqual(
        runsOf(await ended(admin, waiting, "ERROR")),
        { production: "ENVIRONMENT_PROTECTED" },
        name,
      );
    }
  });

  it("requires the role of the approver at the approval and when it begins", async () => {
    const ids = await create("demoted", [place("production", {}, [SLOW])]);
    const running = await deploy(developer, "demoted");
    await untilStatus(running, "BUILDING");
    await protect(ids["production"], { approval: { approvers: "developer" } });
    await commit("demoted", [place("production")]);
    const held = await deploy(developer, "demoted");
    await untilStatus(held, "PENDING_APPROVAL");
    const approve = (client: ApiClient) => client.post(`/v1/deployments/${held}/approve`, {});
    const [early, late] = [
      await createScratchUser(admin, "developer"),
      await createScratchUser(admin, "developer"),
    ];
    // Its role is remembered for a while.
    await early.client.get("/v1/me");
    await admin.patch(`/v1/users/${early.userId}`, { role: "viewer" });
    assertRefused(await approve(early.client), 403, "ROLE_TOO_LOW");
    assert.equal((await approve(late.client)).status, 200);
    await admin.patch(`/v1/users/${late.userId}`, { role: "viewer" });
    assert.equal((await cancel(admin, running)).status, 202);
    assert.deepEqual(runsOf(await ended(admin, held, "ERROR")), { production: "ENVIRONMENT_PROTECTED" });
  });

  it("does not lose an admin's deployment to a deployment that is refused there", async () => {
    const ids = await create("refused", [place("production")]);
    await protect(ids["production"], ONLY_ADMINS);
    const readable = await holdBack("refused", await commit("refused", [place("production")]));
    const allowed = await deploy(admin, "refused");
    await commit("refused", [place("production", { branch: "dev" })], "dev");
    const attempt = await deploy(developer, "refused", { branch: "dev" });
    assert.deepEqual(runsOf(await ended(admin, attempt, "ERROR")), { production: "ENVIRONMENT_PROTECTED" });
    await readable();
    assert.deepEqual(runsOf(await ended(admin, allowed)), { production: "SUCCESS" });
  });

  it("is not deployed by a program whose role is too low, nor for a user who is deleted meanwhile", async () => {
    const ids = await create("programs", [place("production")]);
    await protect(ids["production"], ONLY_ADMINS);
    const { body: program } = await admin.post("/v1/users", {
      kind: "service",
      name: "CI",
      role: "developer",
    });
    const { body: key } = await admin.post("/v1/api-keys", { name: "CI", userId: program.id });
    const ofProgram = createApiClient(instance.url, key.key);
    const ask = (client: ApiClient) => client.post("/v1/deployments", { repoUrl: urlOf("programs") });
    assertRefused(await ask(ofProgram), 403, "ENVIRONMENT_PROTECTED");
    // A user who is deleted while the deployment waits does not deploy.
    const { client: leaving, userId } = await createScratchUser(admin, "admin");
    const readable = await holdBack("programs", await commit("programs", [place("production")]));
    const accepted = await ask(leaving);
    assert.equal(accepted.status, 201, accepted.text);
    assert.equal((await admin.delete(`/v1/users/${userId}`)).status, 204);
    await readable();
    assert.deepEqual(runsOf(await ended(admin, accepted.body.id, "ERROR")), {
      production: "ENVIRONMENT_PROTECTED",
    });
  });
});
