import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { createIacProject, deploy, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createScratchUser, createUserClient } from "../helpers/users.ts";

type Shown = { readonly id: string; readonly status: string };

const SITE = { id: "site", type: "static", outputDirectory: "public" };
const place = (id: string) => ({ id, region: "us-west-2", source: { branch: "main" }, services: [SITE] });

describe("approvals of deployments", () => {
  let instance: Instance;
  let admin: ApiClient;
  /** A developer who starts deployments, and another developer who approves them. */
  let starter: ApiClient;
  let second: ApiClient;
  let secondId: string;
  let hoursLater = 0;
  before(async () => {
    const clock = { now: () => new Date(Date.now() + hoursLater * 3_600_000) };
    instance = await startInstance({ clock });
    ({ admin } = instance);
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
    starter = await createUserClient(admin, "developer");
    ({ client: second, userId: secondId } = await createScratchUser(admin, "developer"));
  });
  after(() => instance.dispose());

  /** Creates a project whose environments follow `main`; the environments in `asking` require an approval. */
  async function createAsking(
    name: string,
    environments: readonly string[],
    asking: readonly string[],
    approval: object = { approvers: "developer" },
  ): Promise<{ readonly projectId: string; readonly ids: Readonly<Record<string, string>> }> {
    const config = { environments: environments.map(place) };
    await push(instance, name, withConfig(config, { "public/index.html": "one" }));
    const projectId = await createIacProject(admin, name);
    const { body } = await admin.get(`/v1/projects/${projectId}/environments`);
    const ids: Record<string, string> = {};
    for (const { id, configId } of body.environments) ids[configId] = id;
    for (const configId of asking) {
      const changed = await admin.patch(`/v1/environments/${ids[configId]}`, { protection: { approval } });
      assert.equal(changed.status, 200, changed.text);
    }
    return { projectId, ids };
  }

  const read = async (id: string) => (await admin.get(`/v1/deployments/${id}`)).body;

  async function untilWaiting(id: string): Promise<void> {
    await until(
      async () => (await read(id)).status === "PENDING_APPROVAL",
      `the deployment ${id} waits for an approval`,
    );
  }

  async function startHeld(name: string, client = starter): Promise<string> {
    const id = await deploy(client, name);
    await untilWaiting(id);
    return id;
  }

  const approve = (client: ApiClient, id: string, body: object = {}) =>
    client.post(`/v1/deployments/${id}/approve`, body);
  const reject = (client: ApiClient, id: string, body: object = {}) =>
    client.post(`/v1/deployments/${id}/reject`, body);
  const statusesOf = (body: { environments: { configId: string; status: string }[] }) =>
    Object.fromEntries(body.environments.map(({ configId, status }) => [configId, status]));

  it("hold a deployment where it is asked for, until a second person approves it", async () => {
    const { ids, projectId } = await createAsking("held", ["production", "staging"], ["production"]);
    const id = await startHeld("held");
    const waiting = await read(id);
    assert.deepEqual(statusesOf(waiting), { production: "PENDING_APPROVAL", staging: "SUCCESS" });
    assert.equal(waiting.endedAt, null);
    const [asked] = waiting.approvals;
    assert.deepEqual(
      [asked.environmentId, asked.status, asked.approvers, asked.decidedBy, asked.decidedAt],
      [ids["production"], "WAITING", "developer", null, null],
    );
    assert.equal(Date.parse(asked.expiresAt) - Date.parse(asked.requestedAt) > 71 * 3_600_000, true);
    const found = async (query: string) =>
      (await admin.get(`/v1/deployments?projectId=${projectId}&${query}`)).body.deployments.map(
        (one: Shown) => one.id,
      );
    assert.deepEqual(await found("status=PENDING_APPROVAL"), [id]);
    assert.deepEqual(await found("status=PENDING"), []);
    assert.deepEqual(await found(`environmentId=${ids["production"]}`), [id]);
    const rows = await admin.get(`/v1/overview/deployments?projectId=${projectId}`);
    assert.deepEqual(rows.body.deployments[0].environments.map(({ status }: Shown) => status).toSorted(), [
      "PENDING_APPROVAL",
      "SUCCESS",
    ]);
    const attention = (await admin.get("/v1/overview/projects")).body.projects.find(
      (one: Shown) => one.id === projectId,
    ).attention;
    assert.deepEqual(attention, [{ code: "APPROVAL_AWAITED", environmentId: ids["production"], count: 1 }]);

    const approved = await approve(second, id, { comment: "Read." });
    assert.equal(approved.status, 200, approved.text);
    const [given] = approved.body.approvals;
    assert.deepEqual([given.status, given.decidedBy, given.comment], ["APPROVED", secondId, "Read."]);
    const done = await ended(admin, id);
    assert.deepEqual(statusesOf(done), { production: "SUCCESS", staging: "SUCCESS" });
    assertRefused(await approve(second, id), 409, "NO_APPROVAL_AWAITED");
  });

  it("are given by another person, with the role that the environment asks for", async () => {
    const { ids } = await createAsking("others", ["production"], ["production"], { approvers: "admin" });
    const id = await startHeld("others");
    assertRefused(await approve(starter, id), 403, "ROLE_TOO_LOW");
    assertRefused(await approve(second, id), 403, "ROLE_TOO_LOW");
    assertRefused(await reject(second, id), 403, "ROLE_TOO_LOW");
    const { body: program } = await admin.post("/v1/users", { kind: "service", name: "CI", role: "admin" });
    const { body: key } = await admin.post("/v1/api-keys", { name: "CI", userId: program.id });
    const ofProgram = createApiClient(instance.url, key.key);
    for (const body of [{}, { isBypass: true, comment: "An emergency." }])
      assertRefused(await approve(ofProgram, id, body), 403, "SECOND_PERSON_REQUIRED");
    assertRefused(await approve(admin, id, { environmentId: "env_0" }), 404, "NOT_FOUND");
    assert.equal((await approve(admin, id, { environmentId: ids["production"] })).status, 200);
    await ended(admin, id);
    // An approver cannot approve a deployment that they started.
    const own = await startHeld("others", admin);
    assertRefused(await approve(admin, own), 403, "SECOND_PERSON_REQUIRED");
    assertRefused(await reject(admin, own), 403, "SECOND_PERSON_REQUIRED");
    assert.equal((await admin.post(`/v1/deployments/${own}/cancel`)).status, 202);
    const { error, approvals } = await ended(admin, own, "CANCELLED");
    assert.deepEqual([error.code, approvals[0].status], ["CANCELLED", "CANCELLED"]);
    // A user who must not approve cannot change the project either, because it decides what runs there.
    const project = (await read(id)).projectId;
    const change = () => starter.patch(`/v1/projects/${project}`, { name: "renamed" });
    await until(async () => (await change()).status === 403, "the protection is in effect", 5_000);
    assertRefused(await change(), 403, "ENVIRONMENT_PROTECTED");
  });

  it("are bypassed by an admin in an emergency, who says why, and it is recorded", async () => {
    await createAsking("urgent", ["production"], ["production"]);
    const id = await startHeld("urgent", admin);
    assertRefused(await approve(admin, id, { isBypass: true }), 400, "INVALID_REQUEST");
    const bypass = { isBypass: true, comment: "The shop is down." };
    assertRefused(await approve(starter, id, bypass), 403, "ROLE_TOO_LOW");
    const { body } = await approve(admin, id, bypass);
    assert.deepEqual([body.approvals[0].isBypass, body.approvals[0].status], [true, "APPROVED"]);
    const first = await ended(admin, id);
    const entries = await admin.get(`/v1/audit-entries?action=deployment.approval-bypassed`);
    assert.deepEqual(
      entries.body.auditEntries.map((one: { resourceId: string; details: unknown }) => [
        one.resourceId,
        one.details,
      ]),
      [[id, { after: { environmentId: first.environments[0].id, comment: "The shop is down." } }]],
    );
    // A rollback is held like every other deployment.
    const back = (await starter.post(`/v1/deployments/${id}/rollback`)).body.deployment.id;
    await untilWaiting(back);
    await approve(second, back);
    await ended(admin, back);
  });

  it("end a deployment that is rejected, with what was said", async () => {
    await createAsking("refused", ["production", "staging"], ["production"]);
    const id = await startHeld("refused");
    assertRefused(await reject(starter, id), 403, "SECOND_PERSON_REQUIRED");
    const { body } = await reject(second, id, { comment: "Not on a Friday." });
    assert.equal(body.status, "CANCELLED");
    const { error, environments, approvals, endedAt } = await read(id);
    assert.deepEqual(error, { code: "APPROVAL_REJECTED", message: "It was rejected: Not on a Friday." });
    assert.deepEqual(statusesOf({ environments }), { production: "CANCELLED", staging: "SUCCESS" });
    assert.deepEqual([approvals[0].status, approvals[0].decidedBy], ["REJECTED", secondId]);
    assert.notEqual(endedAt, null);
    assertRefused(await approve(second, id), 409, "NO_APPROVAL_AWAITED");
  });

  it("are decided for each environment separately, and time out", async () => {
    const { ids } = await createAsking("late", ["eu", "us"], ["eu", "us"], {
      approvers: "developer",
      timeoutHours: 2,
    });
    const id = await startHeld("late");
    hoursLater = 3;
    try {
      // The decision in one lets Slipway look at the other.
      const { body } = await reject(second, id, { environmentId: ids["eu"] });
      assert.deepEqual(statusesOf(body), { eu: "CANCELLED", us: "PENDING_APPROVAL" });
      assert.equal(body.endedAt, null);
      const late = await ended(admin, id, "CANCELLED");
      assert.deepEqual(
        late.environments.map((one: { error: object }) => one.error),
        [
          { code: "APPROVAL_REJECTED", message: "It was rejected." },
          { code: "APPROVAL_TIMED_OUT", message: "It was not approved within 2 hours." },
        ],
      );
    } finally {
      hoursLater = 0;
    }
  });

  it("are for the newest deployment: older deployments that wait are superseded", async () => {
    await createAsking("newer", ["production"], ["production"]);
    const older = await startHeld("newer");
    const newer = await startHeld("newer");
    const { approvals } = await ended(admin, older, "SUPERSEDED");
    assert.equal(approvals[0].status, "SUPERSEDED");
    assertRefused(await approve(second, older), 409, "NO_APPROVAL_AWAITED");
    await approve(second, newer);
    await ended(admin, newer);
  });

  it("are still needed by what waits when the environment stops asking", async () => {
    const { ids } = await createAsking("lifted", ["production"], ["production"]);
    const waiting = await startHeld("lifted");
    const lifted = { protection: { approval: null } };
    const { body } = await admin.patch(`/v1/environments/${ids["production"]}`, lifted);
    assert.deepEqual(body.protection, { deployers: "developer", approval: null });
    assert.equal((await read(waiting)).status, "PENDING_APPROVAL");
    await ended(admin, await deploy(starter, "lifted"));
    await ended(admin, waiting, "SUPERSEDED");
  });

  it("keep a configuration from removing the environment", async () => {
    const { ids } = await createAsking("pushed", ["production"], ["production"]);
    await push(
      instance,
      "pushed",
      withConfig({ environments: [place("another")] }, { "public/index.html": "two" }),
    );
    const id = await deploy(starter, "pushed");
    const { environments } = await ended(admin, id, "ERROR");
    const kept = environments.find((one: Shown) => one.id === ids["production"]);
    assert.equal(kept.error.code, "ENVIRONMENT_PROTECTED");
  });

  it("do not keep a project from being deleted", async () => {
    const { projectId } = await createAsking("gone", ["production"], ["production"]);
    const id = await startHeld("gone");
    const deleted = await admin.delete(`/v1/projects/${projectId}`);
    assert.ok([202, 204].includes(deleted.status), deleted.text);
    assertRefused(await approve(second, id), 404, "NOT_FOUND");
  });

  it("say in the audit trail who decided what, and how the protection changed", async () => {
    const { body } = await admin.get("/v1/audit-entries?action=deployment.rejected");
    const [entry] = body.auditEntries;
    assert.deepEqual([entry.userId, entry.details.after.comment], [secondId, "Not on a Friday."]);
    // The admin created the key that decided, and so could be both persons.
    const { body: me } = await admin.get("/v1/me");
    assert.equal(entry.details.after.keyCreatedBy, me.user.id);
    const changes = await admin.get("/v1/audit-entries?action=environment.protection-changed&limit=1");
    assert.deepEqual(changes.body.auditEntries[0].details, {
      before: { approvers: null, approvalHours: null },
      after: { approvers: "developer", approvalHours: "72" },
    });
  });
});
