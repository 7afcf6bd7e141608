/** Previews of pull requests in the sandbox, as a team sees them. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { createIacProject, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const REPOSITORY = "/sandbox/git/repositories/shop";
const PATIENCE_MS = 60_000;

function config(more: object = {}, ofTemplate: object = {}): object {
  const region = "us-west-2";
  return {
    environments: [
      { id: "production", region, source: { branch: "main" }, services: [SITE] },
      {
        id: "preview",
        name: "Preview",
        region,
        source: { branch: "main", pr: true, previews: { max: 2 }, ...more },
        services: [SITE],
        ...ofTemplate,
      },
    ],
  };
}

type Shown = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly environmentId: string | null;
  readonly commitHash: string;
  readonly deployedCommitHash: string | null;
};

describe("previews of pull requests", () => {
  let instance: Instance;
  let projectId: string;
  let templateId: string;
  let bypass: string;
  let main: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    await connectAccount(admin, "main");
    const made = await admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    const { body } = await admin.post(`/v1/git-integrations/${made.body.id}/hook-secret`);
    main = await push(instance, "shop", withConfig(config(), { "public/index.html": "main" }));
    projectId = await createIacProject(admin, "shop");
    const hook = await admin.put(`${REPOSITORY}/hook`, { provider: "provider_a", secret: body.secret });
    assert.equal(hook.status, 204, hook.text);
    const { environments } = (await admin.get(`/v1/projects/${projectId}/environments`)).body;
    const template = environments.find((one: { configId: string }) => one.configId === "preview");
    assert.equal(template.isTemplate, true);
    templateId = template.id;
    bypass = (await admin.post(`/v1/environments/${templateId}/preview-bypass`)).body.secret;
  });
  after(() => instance.dispose());

  const commit = async (branch: string, text: string, written: object = config()) => {
    const gitdir = path.join(instance.sandbox.gitDir, "shop.git");
    const ref = path.join(gitdir, "refs", "heads", branch);
    const files = withConfig(written, { "public/index.html": text });
    // An existing branch never shows another commit in between, which Slipway might read.
    if (!existsSync(ref)) writeFileSync(ref, `${main}\n`);
    return await commitFiles({ gitdir, branch, files, message: text, at: new Date() });
  };
  const put = async (number: number, more: object) => {
    const answer = await instance.admin.put(`${REPOSITORY}/pull-requests/${number}`, {
      base: "main",
      state: "open",
      ...more,
    });
    assert.equal(answer.status, 200, answer.text);
  };
  const find = async (key: string): Promise<Shown | null> =>
    (await instance.admin.get(`/v1/previews?projectId=${projectId}`)).body.previews.find(
      (one: Shown) => one.key === key,
    ) ?? null;
  const untilState = (key: string, state: string): Promise<Shown> =>
    until(
      async () => {
        const preview = await find(key);
        return preview?.state === state ? preview : null;
      },
      `${key} is ${state}`,
      PATIENCE_MS,
    );
  /** Nothing of it answers any longer. What could still arrive late in the cloud is removed a minute later. */
  const untilRemoved = (key: string) =>
    until(
      async () => ["DELETING", undefined].includes((await find(key))?.state),
      `${key} is removed`,
      PATIENCE_MS,
    );
  const untilEvents = (id: string, ...types: readonly string[]) =>
    until(
      async () => {
        const { events } = (await instance.admin.get(`/v1/events?subjectId=${id}`)).body;
        return String(events.map(({ type }: { type: string }) => type)) === String(types);
      },
      `${types.join(", ")} of ${id}`,
      PATIENCE_MS,
    );
  const untilServed = async ({ environmentId }: Shown, text: string) => {
    const { services } = (await instance.admin.get(`/v1/environments/${environmentId}/services`)).body;
    const hostOf = async () =>
      (await instance.admin.get(`/v1/services/${services[0].id}`)).body.cdnDomainName as string | null;
    const host = await until(hostOf, "its address");
    await until(
      async () => {
        const headers = { "x-slipway-bypass": bypass };
        return (await getFromEdge(instance.sandbox, host, { headers })).body.includes(text);
      },
      `${host} shows ${text}`,
      PATIENCE_MS,
    );
  };

  it("have an address, follow their branch, and end with the merge", async () => {
    const first = await commit("cart", "first");
    await put(1, { head: "cart", title: "Add a cart", author: "ada" });
    const preview = await until(async () => {
      const one = await find("pr-1");
      return one?.environmentId === null ? null : one;
    }, "it has an environment");
    assert.equal(preview.commitHash, first);
    const { body } = await instance.admin.get(`/v1/environments/${preview.environmentId}/services`);
    await until(
      async () =>
        (await instance.admin.get(`/v1/environments/${preview.environmentId}/services`)).body.services
          .length === 1,
      "its service",
      PATIENCE_MS,
    );
    assert.ok(body.services);
    await untilServed(preview, "first");
    const environmentsOf = async (query: string) => {
      const listed = await instance.admin.get(`/v1/services?${query}`);
      return listed.body.services.map((one: { environmentId: string }) => one.environmentId);
    };
    assert.deepEqual(await environmentsOf("environmentType=preview&type=static"), [preview.environmentId]);
    assert.deepEqual(await environmentsOf("environmentType=preview&type=web"), []);
    const standard = await environmentsOf(`environmentType=standard&projectId=${projectId}`);
    assert.ok(standard.length === 1 && !standard.includes(preview.environmentId));
    assert.equal((await environmentsOf("")).length, 2);
    assert.equal((await environmentsOf("limit=1")).length, 1);
    await commit("cart", "second");
    await untilServed(preview, "second");
    await put(1, { head: "cart", state: "merged" });
    await untilRemoved("pr-1");
    assert.equal((await instance.admin.get(`/v1/environments/${preview.environmentId}`)).status, 404);
  });

  it("wait for a member's approval of each commit of another repository", async () => {
    const files = { "public/index.html": "from a fork" };
    const first = await push(instance, "stranger", withConfig(config(), files), "evil");
    await put(2, { head: "evil", headRepository: "stranger" });
    const waiting = await untilState("pr-2", "WAITING_FOR_APPROVAL");
    assert.equal(waiting.environmentId, null);
    const overview = await instance.admin.get(`/v1/overview/projects/${projectId}`);
    assert.deepEqual(
      overview.body.attention.find(({ code }: { code: string }) => code === "FORK_AWAITS_APPROVAL"),
      { code: "FORK_AWAITS_APPROVAL", environmentId: templateId, count: 1 },
    );
    const wrong = await instance.admin.post(`/v1/previews/${waiting.id}/approve`, { commitHash: main });
    assertRefused(wrong, 409, "PREVIEW_MOVED");
    const template = `/v1/environments/${templateId}`;
    const approval = { approvers: "admin" };
    assert.equal((await instance.admin.patch(template, { protection: { approval } })).status, 200);
    const developer = await createUserClient(instance.admin, "developer");
    const refused = await developer.post(`/v1/previews/${waiting.id}/approve`, {
      commitHash: waiting.commitHash,
    });
    assertRefused(refused, 403, "ROLE_TOO_LOW");
    const approved = await instance.admin.post(`/v1/previews/${waiting.id}/approve`, {
      commitHash: waiting.commitHash,
    });
    assert.equal(approved.status, 200, approved.text);
    assert.equal(approved.body.waitsFor, "slipway");
    assert.equal(waiting.commitHash, first);
    const active = await untilState("pr-2", "ACTIVE");
    await untilEvents(waiting.id, "preview.created", "preview.approval_requested", "preview.approved");
    await put(2, { head: "evil", headRepository: "stranger", state: "closed" });
    await untilRemoved("pr-2");
    assert.equal((await instance.admin.get(`/v1/environments/${active.environmentId}`)).status, 404);
  });

  it("are made for a key that a client names, and deleted", async () => {
    const branch = "by-hand";
    const hash = await commit(branch, "by hand");
    const address = `/v1/projects/${projectId}/previews/my-key`;
    const made = await instance.admin.put(address, { branch });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.commitHash, hash);
    const active = await untilState("my-key", "ACTIVE");
    assert.equal(active.environmentId === null, false);
    const deleted = await instance.admin.delete(`/v1/previews/${active.id}`);
    assert.equal(deleted.status, 202, deleted.text);
    await untilRemoved("my-key");
    assertRefused(await instance.admin.put(address, { branch: "nowhere" }), 422, "BRANCH_NOT_FOUND");
    const past = await instance.admin.put(address, { branch, expiresAt: "2026-01-01T00:00:00Z" });
    assertRefused(past, 400, "INVALID_REQUEST");
    assert.equal(past.body.errors[0].path, "/expiresAt", past.text);
    assert.ok(templateId);
  });

  it("are no more than the template allows, and the next begins when one ends", async () => {
    for (const number of [11, 12, 13]) {
      await commit(`many-${number}`, `many ${number}`);
      await put(number, { head: `many-${number}` });
    }
    const states = async () => {
      const all = await Promise.all(["pr-11", "pr-12", "pr-13"].map(find));
      return all.map((one) => one?.state ?? "none").toSorted();
    };
    await until(
      async () => String(await states()) === "ACTIVE,ACTIVE,WAITING_FOR_CAPACITY",
      "two are active",
      PATIENCE_MS,
    );
    const queued = await instance.admin.put(`/v1/projects/${projectId}/previews/queued`, {});
    assert.equal(queued.body.state, "WAITING_FOR_CAPACITY", queued.text);
    assert.equal((await instance.admin.delete(`/v1/previews/${queued.body.id}`)).status, 202);
    await untilEvents(queued.body.id, "preview.created", "preview.deleted");
    const keys = ["pr-11", "pr-12", "pr-13"];
    const active = (await Promise.all(keys.map(find))).find((one) => one?.state === "ACTIVE");
    await put(Number(active?.key.slice(3)), { head: `many-${active?.key.slice(3)}`, state: "closed" });
    await until(
      async () => String(await states()) === "ACTIVE,ACTIVE,DELETING",
      "the third begins",
      PATIENCE_MS,
    );
  });
});
