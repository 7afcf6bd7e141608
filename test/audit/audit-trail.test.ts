/** S8 and S16: what audit entries record, the log of refused sign-ins, and that an organization keeps an admin. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createRecoveryKey } from "../../src/features/api-keys/commands.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { auditEntries } from "../../src/features/audit/store.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { readMetric } from "../helpers/processes/metrics.ts";
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, createProject } from "../helpers/customers/scenario.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { createScratchUser, createUserClient } from "../helpers/users.ts";

type Entry = {
  readonly action: string;
  readonly resourceId: string;
  readonly userId: string;
  readonly sourceAddress: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
};

describe("the audit trail", () => {
  let instance: Instance;
  before(async () => {
    // Tests speak to it as a proxy would.
    instance = await startInstance({ env: { SLIPWAY_TRUSTED_PROXIES: "127.0.0.1" } });
  });
  after(() => instance.dispose());

  const entriesOf = async (resourceId: string): Promise<readonly Entry[]> => {
    const query = new URLSearchParams({ resourceId, limit: "100" });
    const { status, body } = await instance.admin.get(`/v1/audit-entries?${query.toString()}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.auditEntries;
  };

  it("S8: records a change of role with before and after, and the changes of other fields", async () => {
    const { userId } = await createScratchUser(instance.admin, "viewer");
    const user = `/v1/users/${userId}`;
    assert.equal((await instance.admin.patch(user, { role: "admin" })).status, 200);
    assert.equal(
      (await instance.admin.patch(user, { name: "New", role: "admin", gitLogin: null })).status,
      200,
    );
    const [created, promoted, renamed] = await entriesOf(userId);
    assert.deepEqual(created?.details, { after: { role: "viewer", kind: "person" } });
    assert.deepEqual(promoted?.details, { before: { role: "viewer" }, after: { role: "admin" } });
    assert.ok(renamed?.details);
    const { before: was, after: is } = renamed.details as Readonly<Record<string, { name: string }>>;
    assert.deepEqual([Object.keys(was ?? {}), Object.keys(is ?? {}), is?.name], [["name"], ["name"], "New"]);
  });

  it("S8: records the names of variables that were set, in both kinds of writes, and no value", async () => {
    const { environmentId } = await createProject(instance.admin, "audited");
    const variables = `/v1/environments/${environmentId}/env-variables`;
    const value = "canary-value-of-a-variable";
    const plain = { plainText: { PLAIN: value, OTHER: value } };
    assert.equal((await instance.admin.post(variables, plain)).status, 200);
    assert.equal((await instance.admin.post(variables, plain, { "idempotency-key": "twice" })).status, 200);
    assert.equal(
      (await instance.admin.post(variables, { secretsManager: { SECRET: value }, plainText: { PLAIN: "b" } }))
        .status,
      202,
    );
    const entries = await entriesOf(environmentId);
    assert.deepEqual(
      entries.map(({ action, details }) => [action, details]),
      [
        ["env-variables.set", { names: ["PLAIN", "OTHER"] }],
        ["env-variables.set", { names: ["PLAIN", "OTHER"] }],
        ["env-variables.set", { names: ["PLAIN", "SECRET"] }],
      ],
    );
    assert.ok(!JSON.stringify(entries).includes("canary"));
  });

  it("S8: records changes of a connection's names and state, and every change of the sandbox", async () => {
    const { admin } = instance;
    const { body } = await admin.post("/v1/aws-accounts", { givenId: "before" });
    await admin.patch(`/v1/aws-accounts/${body.id}`, { givenId: "after" });
    const [, updated] = await entriesOf(body.id);
    assert.deepEqual(updated?.details, { before: { givenId: "before" }, after: { givenId: "after" } });
    const awsAccountId = await connectAccount(admin, "connecting");
    const connected = (await entriesOf(awsAccountId)).find(
      ({ action }) => action === "aws-account.connected",
    );
    assert.ok(connected?.details);
    assert.equal(connected.userId, "slipway");
    const { before: from, after: to } = connected.details as Readonly<Record<string, { status: string }>>;
    assert.deepEqual([from?.status, to?.status], ["AWAITING_CONNECTION", "CONNECTED"]);
    const record = { name: "audited.example.com", type: "TXT", values: ["canary-in-a-record"] };
    assert.equal((await admin.put("/sandbox/dns/records", record)).status, 204);
    assert.equal(
      (await admin.delete("/sandbox/dns/records", { name: record.name, type: "TXT" })).status,
      204,
    );
    assert.equal((await admin.get("/sandbox/dns/records")).status, 200);
    const entries = await entriesOf("/sandbox/dns/records");
    assert.deepEqual(
      entries.map(({ action, details }) => [action, details]),
      ["PUT", "DELETE"].map((method) => ["sandbox.change-requested", { after: { method } }]),
    );
  });

  it("S8: records where a request came from; behind a trusted proxy, the client's own address", async () => {
    const { admin } = instance;
    const made = await admin.post(
      "/v1/aws-accounts",
      { givenId: "from" },
      { "x-forwarded-for": "203.0.113.7" },
    );
    const [through] = await entriesOf(made.body.id);
    assert.equal(through?.sourceAddress, "203.0.113.7");
    const direct = await admin.post("/v1/aws-accounts", { givenId: "direct" });
    const [own] = await entriesOf(direct.body.id);
    assert.equal(own?.sourceAddress, "127.0.0.1");
  });

  it("S8: records what an operator does on the command line", async () => {
    const folder = await makeTempDir("operator");
    await copyPgliteTemplate(path.join(folder, "database"));
    const db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    try {
      const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Made", null));
      await db.transaction((tx) => createRecoveryKey(tx, organizationId));
      const page = { limit: 10, after: null, order: "asc" } as const;
      const entries = await auditEntries.list(db, organizationId, page, {});
      assert.deepEqual(
        entries.map(({ action, userId, sourceAddress }) => [action, userId, sourceAddress]),
        ["organization.created", "user.created", "api-key.created", "api-key.created"].map((action) => [
          action,
          "operator",
          null,
        ]),
      );
    } finally {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("S8: counts refused sign-ins and logs them at info, with address and reason, without the sent data", async () => {
    const counts = async () =>
      await Promise.all(
        ["missing", "malformed", "unknown"].map((reason) =>
          readMetric(instance.url, `slipway_sign_ins_refused_total{reason="${reason}"}`),
        ),
      );
    const before = await counts();
    const canary = "canary-of-a-key-0123456789abcdef";
    const from = { "x-forwarded-for": "198.51.100.9" };
    assertRefused(await createApiClient(instance.url, canary).get("/v1/me", from), 401, "UNAUTHENTICATED");
    assertRefused(
      await createApiClient(instance.url, `slw_${canary}`).get("/v1/me", from),
      401,
      "UNAUTHENTICATED",
    );
    assert.equal((await fetch(`${instance.url}/v1/me`)).status, 401);
    const after = await counts();
    assert.deepEqual(
      after.map((count, index) => count - (before[index] ?? 0)),
      [1, 1, 1],
    );
    const lines = instance
      .logged()
      .split("\n")
      .filter((line) => line.includes("without a valid API key"))
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.slice(-3).map(({ reason, sourceAddress, path: route }) => [reason, sourceAddress, route]),
      [
        ["unknown", "198.51.100.9", "/v1/me"],
        ["malformed", "198.51.100.9", "/v1/me"],
        ["missing", "127.0.0.1", "/v1/me"],
      ],
    );
    assert.ok(
      lines.every(({ level }) => level === "info" || level === 30),
      JSON.stringify(lines.at(-1)),
    );
    assert.ok(!instance.logged().includes(canary));
  });
});

describe("the last key of an admin", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("S16: cannot be deleted, nor its user or the user's role, until there is another", async () => {
    const { admin } = instance;
    const { body: me } = await admin.get("/v1/me");
    const key = `/v1/api-keys/${me.apiKey.id}`;
    // An admin without a key does not count.
    const { body: keyless } = await admin.post("/v1/users", { email: "keyless@example.com", role: "admin" });
    await createUserClient(admin, "developer");
    const refused = async () => [
      await admin.delete(key),
      await admin.delete(`/v1/users/${me.user.id}`),
      await admin.patch(`/v1/users/${me.user.id}`, { role: "developer" }),
    ];
    for (const answer of await refused()) assertRefused(answer, 409, "LAST_ADMIN_KEY");
    assert.equal((await admin.get("/v1/me")).body.user.role, "admin");
    const second = await admin.post("/v1/api-keys", { name: "second", userId: keyless.id });
    assert.equal((await admin.delete(key)).status, 204);
    const other = createApiClient(instance.url, second.body.key);
    assertRefused(await other.delete(`/v1/api-keys/${second.body.id}`), 409, "LAST_ADMIN_KEY");
    assertRefused(await other.delete(`/v1/users/${keyless.id}`), 409, "LAST_ADMIN_KEY");
  });
});
