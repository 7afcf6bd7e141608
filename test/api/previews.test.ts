/** Previews of pull requests in the sandbox, as a team sees them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { push, withConfig } from "../helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  SITE,
  startPreviewTeam,
  templateOf,
  untilServed,
} from "../helpers/customers/previews.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATIENCE_MS = 60_000;
const ENVIRONMENTS = [
  { id: "production", region: "us-west-2", source: { branch: "main" }, services: [SITE] },
  { ...templateOf("preview", { previews: { max: 2 } }), name: "Preview" },
];

describe("previews of pull requests", () => {
  let instance: Instance;
  let team: PreviewTeam;
  let templateId: string;
  let bypass: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    const { admin } = instance;
    await connectAccount(admin, "main");
    await integrateGit(admin);
    team = await startPreviewTeam(instance, "shop", ENVIRONMENTS);
    templateId = team.environments["preview"] ?? "";
    assert.equal((await admin.get(`/v1/environments/${templateId}`)).body.isTemplate, true);
    bypass = (await admin.post(`/v1/environments/${templateId}/preview-bypass`)).body.secret;
  });
  after(() => instance.dispose());

  /** Nothing of it answers any longer. What could still arrive late in the cloud is removed a minute later. */
  const untilRemoved = (key: string) => team.untilState(key, "DELETING", "gone");
  const untilEvents = (id: string, ...types: readonly string[]) =>
    until(
      async () => {
        const { events } = (await instance.admin.get(`/v1/events?subjectId=${id}`)).body;
        return String(events.map(({ type }: { type: string }) => type)) === String(types);
      },
      `${types.join(", ")} of ${id}`,
      PATIENCE_MS,
    );
  const untilShown = (preview: ShownPreview, text: string) =>
    untilServed(instance.sandbox, team, preview, text, { "x-slipway-bypass": bypass });

  it("have an address, follow their branch, and end with the merge", async () => {
    const first = await team.commit("cart", "first");
    await team.putPullRequest(1, "cart", { title: "Add a cart", author: "ada" });
    const preview = await until(async () => {
      const one = await team.find("pr-1");
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
    await untilShown(preview, "first");
    const environmentsOf = async (query: string) => {
      const listed = await instance.admin.get(`/v1/services?${query}`);
      return listed.body.services.map((one: { environmentId: string }) => one.environmentId);
    };
    assert.deepEqual(await environmentsOf("environmentType=preview&type=static"), [preview.environmentId]);
    assert.deepEqual(await environmentsOf("environmentType=preview&type=web"), []);
    const standard = await environmentsOf(`environmentType=standard&projectId=${team.projectId}`);
    assert.ok(standard.length === 1 && !standard.includes(preview.environmentId));
    assert.equal((await environmentsOf("")).length, 2);
    assert.equal((await environmentsOf("limit=1")).length, 1);
    await team.commit("cart", "second");
    await untilShown(preview, "second");
    await team.putPullRequest(1, "cart", { state: "merged" });
    await untilRemoved("pr-1");
    assert.equal((await instance.admin.get(`/v1/environments/${preview.environmentId}`)).status, 404);
  });

  it("wait for a member's approval of each commit of another repository", async () => {
    const files = { "public/index.html": "from a fork" };
    const first = await push(instance, "stranger", withConfig({ environments: ENVIRONMENTS }, files), "evil");
    await team.putPullRequest(2, "evil", { headRepository: "stranger" });
    const waiting = (await team.untilState("pr-2", "WAITING_FOR_APPROVAL")) ?? assert.fail();
    assert.equal(waiting.environmentId, null);
    const overview = await instance.admin.get(`/v1/overview/projects/${team.projectId}`);
    assert.deepEqual(
      overview.body.attention.find(({ code }: { code: string }) => code === "FORK_AWAITS_APPROVAL"),
      { code: "FORK_AWAITS_APPROVAL", environmentId: templateId, count: 1 },
    );
    const commitHash = await team.commit("elsewhere", "not this one");
    const wrong = await instance.admin.post(`/v1/previews/${waiting.id}/approve`, { commitHash });
    assertRefused(wrong, 409, "PREVIEW_MOVED");
    const template = `/v1/environments/${templateId}`;
    const approval = { approvers: "admin" };
    assert.equal((await instance.admin.patch(template, { protection: { approval } })).status, 200);
    assert.equal((await team.find("pr-2"))?.waitsFor, "admin");
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
    const active = (await team.untilState("pr-2", "ACTIVE")) ?? assert.fail();
    await untilEvents(waiting.id, "preview.created", "preview.approval_requested", "preview.approved");
    await team.putPullRequest(2, "evil", { headRepository: "stranger", state: "closed" });
    await untilRemoved("pr-2");
    assert.equal((await instance.admin.get(`/v1/environments/${active.environmentId}`)).status, 404);
  });

  it("are made for a key that a client names, and deleted", async () => {
    const branch = "by-hand";
    const hash = await team.commit(branch, "by hand");
    const address = `/v1/projects/${team.projectId}/previews/my-key`;
    const made = await instance.admin.put(address, { branch });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.commitHash, hash);
    const active = (await team.untilState("my-key", "ACTIVE")) ?? assert.fail();
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
      await team.commit(`many-${number}`, `many ${number}`);
      await team.putPullRequest(number, `many-${number}`);
    }
    const states = async () => {
      const all = await Promise.all(["pr-11", "pr-12", "pr-13"].map((key) => team.find(key)));
      return all.map((one) => one?.state ?? "none").toSorted();
    };
    await until(
      async () => String(await states()) === "ACTIVE,ACTIVE,WAITING_FOR_CAPACITY",
      "two are active",
      PATIENCE_MS,
    );
    const queued = await instance.admin.put(`/v1/projects/${team.projectId}/previews/queued`, {});
    assert.equal(queued.body.state, "WAITING_FOR_CAPACITY", queued.text);
    assert.equal((await instance.admin.delete(`/v1/previews/${queued.body.id}`)).status, 202);
    await untilEvents(queued.body.id, "preview.created", "preview.deleted");
    const keys = ["pr-11", "pr-12", "pr-13"];
    const active = (await Promise.all(keys.map((key) => team.find(key)))).find(
      (one) => one?.state === "ACTIVE",
    );
    await team.putPullRequest(Number(active?.key.slice(3)), `many-${active?.key.slice(3)}`, {
      state: "closed",
    });
    await until(
      async () => String(await states()) === "ACTIVE,ACTIVE,DELETING",
      "the third begins",
      PATIENCE_MS,
    );
  });
});
