/** The organization itself: its name, and for how long it keeps what. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { retentionOf } from "../../src/start/retention.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/organization";

describe("the organization", () => {
  let instance: Instance;
  let id: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true, env: { SLIPWAY_AUDIT_DAYS: "90" } });
    ({ id } = (await instance.admin.get("/v1/me")).body.organization);
  });
  after(() => instance.dispose());

  const entries = async (): Promise<readonly { details: unknown; resourceId: string }[]> =>
    (await instance.admin.get("/v1/audit-entries?action=organization.updated")).body.auditEntries;
  const events = async (): Promise<readonly { data: unknown; subject: unknown }[]> =>
    (await instance.admin.get("/v1/events?types=organization.updated")).body.events;

  it("is read by all of its users, with what is kept for how long", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    const { status, body, headers } = await viewer.get(PATH);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["id", "name", "createdAt", "retention"]);
    assert.equal(body.id, id);
    assert.deepEqual(body.retention, retentionOf({ auditKeptDays: 90 }));
    const etag = headers.get("etag") ?? "";
    assert.equal((await viewer.get(PATH, { "if-none-match": etag })).status, 304);
  });

  it("is renamed, which the audit and an event report", async () => {
    const { name: before } = (await instance.admin.get(PATH)).body;
    const answer = await instance.admin.patch(PATH, { name: "Acme" });
    assert.deepEqual([answer.status, answer.body.name], [200, "Acme"]);
    assert.equal((await instance.admin.get(PATH)).body.name, "Acme");
    assert.equal((await instance.admin.get("/v1/me")).body.organization.name, "Acme");
    const [entry] = await entries();
    assert.deepEqual(
      [entry?.resourceId, entry?.details],
      [id, { before: { name: before }, after: { name: "Acme" } }],
    );
    const [event] = await until(async () => {
      const told = await events();
      return told.length > 0 && told;
    }, "the event has its number");
    assert.deepEqual(event?.data, { name: "Acme" });
    assert.deepEqual(event?.subject, { type: "organization", id, url: `${instance.url}${PATH}` });
  });

  it("is not changed by the name that it has, nor by no name", async () => {
    const before = (await entries()).length;
    for (const body of [{ name: "Acme" }, {}]) {
      const answer = await instance.admin.patch(PATH, body);
      assert.deepEqual([answer.status, answer.body.name], [200, "Acme"]);
    }
    assert.equal((await entries()).length, before);
  });

  it("takes a name that people can read, and nothing else", async () => {
    for (const name of ["", " ", "\t\n", "x".repeat(201), null, 7])
      assertRefused(await instance.admin.patch(PATH, { name }), 400, "INVALID_REQUEST");
    const more = { name: "More", retention: { eventDays: 1 } };
    assertRefused(await instance.admin.patch(PATH, more), 400, "INVALID_REQUEST");
    assert.equal((await instance.admin.get(PATH)).body.name, "Acme");
  });

  it("is renamed only by admins", async () => {
    for (const role of ["viewer", "developer"] as const) {
      const client = await createUserClient(instance.admin, role);
      assertRefused(await client.patch(PATH, { name: "Taken" }), 403, "ROLE_TOO_LOW");
    }
    assert.equal((await instance.admin.get(PATH)).body.name, "Acme");
  });

  it("is another one for another organization's admin", async () => {
    const { body: before } = await instance.other.get(PATH);
    assert.notEqual(before.id, id);
    assert.equal((await instance.other.patch(PATH, { name: "Others" })).body.id, before.id);
    assert.equal((await instance.admin.get(PATH)).body.name, "Acme");
    assert.equal((await instance.other.get(PATH)).body.name, "Others");
    const { body } = await instance.admin.get(`/v1/audit-entries?resourceId=${before.id}`);
    assert.deepEqual(body.auditEntries, []);
  });

  it("keeps If-Match: who has read an older name changes nothing", async () => {
    const etag = (await instance.admin.get(PATH)).headers.get("etag") ?? "";
    const first = await instance.admin.patch(PATH, { name: "First" }, { "if-match": etag });
    assert.equal(first.status, 200);
    const second = await instance.admin.patch(PATH, { name: "Second" }, { "if-match": etag });
    assertRefused(second, 412, "PRECONDITION_FAILED");
    assert.equal((await instance.admin.get(PATH)).body.name, "First");
  });

  it("answers a client that waits as soon as it has another name", async () => {
    const etag = (await instance.admin.get(PATH)).headers.get("etag") ?? "";
    const waiting = instance.admin.get(PATH, { prefer: "wait=30", "if-none-match": etag });
    const me = instance.admin.get("/v1/me", { prefer: "wait=30" });
    await instance.admin.patch(PATH, { name: "News" });
    assert.equal((await waiting).body.name, "News");
    assert.equal((await me).body.organization.name, "News");
  });
});
