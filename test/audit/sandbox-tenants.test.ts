/** What the admins of two organizations see and change of one sandbox, each by the API's address. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, untilGone } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

type State = { readonly accounts: readonly { readonly serviceId: string }[] };

describe("two organizations in one sandbox", () => {
  let instance: Instance;
  let mine: string;
  let theirs: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    mine = await connectAccount(instance.admin, "mine");
    theirs = await connectAccount(instance.other, "theirs");
    await instance.sandbox.plant("secret", theirs, "us-west-2", "planted", "their-canary");
  });
  after(() => instance.dispose());

  const connect = async (client: ApiClient, givenId: string): Promise<string> => {
    const { status, body } = await client.post("/v1/aws-accounts", { givenId });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };
  const idsOf = async (client: ApiClient) =>
    ((await client.get("/sandbox/state")).body as State).accounts.map(({ serviceId }) => serviceId);

  it("S7: only see the accounts, secrets and calls of their own connections", async () => {
    const state = await instance.admin.get("/sandbox/state");
    assert.ok(!state.text.includes("their-canary") && !state.text.includes(theirs), state.text);
    assert.deepEqual(await idsOf(instance.admin), [mine]);
    assert.deepEqual(await idsOf(instance.other), [theirs]);
    assert.match((await instance.other.get("/sandbox/state")).text, /their-canary/);
  });

  it("S7: cannot find, create or delete another's stack", async () => {
    const { admin, other } = instance;
    const missing = await admin.get("/sandbox/stacks/aws_missing");
    for (const answer of [
      await admin.get(`/sandbox/stacks/${theirs}`),
      await admin.delete(`/sandbox/stacks/${theirs}`),
      await admin.post("/sandbox/stacks", { ServiceId: await connect(other, "waiting") }),
    ]) {
      assertRefused(answer, 404, "NOT_FOUND");
    }
    assertRefused(missing, 404, "NOT_FOUND");
    assert.equal((await other.get(`/sandbox/stacks/${theirs}`)).body.status, "CREATE_COMPLETE");
    assert.equal((await other.get("/v1/aws-accounts/theirs")).body.status, "CONNECTED");
  });

  it("S7: keep the content of an account whose connection is deleted private", async () => {
    const { admin, other } = instance;
    const gone = await connectAccount(other, "gone");
    await instance.sandbox.plant("secret", gone, "us-west-2", "left", "left-canary");
    assert.ok((await other.delete(`/v1/aws-accounts/${gone}`)).status < 300);
    await untilGone(other, `/v1/aws-accounts/${gone}`);
    assert.ok((await idsOf(other)).includes(gone));
    assert.ok(!(await idsOf(admin)).includes(gone));
    assertRefused(await admin.delete(`/sandbox/stacks/${gone}`), 404, "NOT_FOUND");
    assert.equal((await other.delete(`/sandbox/stacks/${gone}`)).status, 204);
  });

  it("S7: have faults for their own accounts", async () => {
    const { admin, other } = instance;
    const fault = { operation: "identity.verify", kind: "denied" };
    assert.equal((await admin.put("/sandbox/faults", fault)).status, 204);
    const check = async (client: ApiClient, givenId: string) => {
      const { body } = await client.get(`/v1/aws-accounts/${givenId}`);
      assert.ok((await client.post(`/v1/aws-accounts/${givenId}/check`, {})).status < 300);
      return await until(async () => {
        const seen = (await client.get(`/v1/aws-accounts/${givenId}`)).body;
        return seen.lastCheckAt === body.lastCheckAt ? null : (seen.status as string);
      }, `${givenId} is checked`);
    };
    assert.equal(await check(other, "theirs"), "CONNECTED");
    assert.equal(await check(admin, "mine"), "DISCONNECTED");
    // Nor does another's clearing end them.
    assert.equal((await other.delete("/sandbox/faults")).status, 204);
    assert.equal(await check(admin, "mine"), "DISCONNECTED");
    assert.equal((await admin.delete("/sandbox/faults")).status, 204);
    assert.equal(await check(admin, "mine"), "CONNECTED");
  });

  it("S7: set, list and remove their own DNS records", async () => {
    const { admin, other } = instance;
    const record = { name: "www.tenant.example", type: "CNAME", values: ["target.example"] };
    assert.equal((await other.put("/sandbox/dns/records", record)).status, 204);
    const taken = await admin.put("/sandbox/dns/records", { ...record, values: ["evil.example"] });
    assertRefused(taken, 409, "RECORD_CONFLICT");
    const { name, type } = record;
    const removed = await admin.delete("/sandbox/dns/records", { name, type });
    assertRefused(removed, 409, "RECORD_CONFLICT");
    const listed = async (client: ApiClient) =>
      ((await client.get("/sandbox/dns/records")).body.records as { name: string }[]).some(
        (seen) => seen.name === record.name,
      );
    assert.deepEqual([await listed(other), await listed(admin)], [true, false]);
    assert.equal((await other.delete("/sandbox/dns/records", { name, type })).status, 204);
  });

  it("S7: cannot reach the endpoints between the sandbox and Slipway's processes", async () => {
    for (const [method, at] of [
      ["PUT", "/sandbox/tenancy"],
      ["POST", "/sandbox/tenancy"],
      ["GET", "/sandbox/other"],
    ] as const) {
      const answer = await fetch(`${instance.url}${at}`, {
        method,
        headers: {
          authorization: "Bearer test-admin-key-0123456789abcdef",
          "content-type": "application/json",
        },
        ...(method === "GET" ? {} : { body: JSON.stringify({ isShared: false }) }),
      });
      assert.equal(answer.status, 404, `${method} ${at}`);
      assert.equal(((await answer.json()) as { code: string }).code, "ROUTE_NOT_FOUND");
    }
  });

  it("S14: create stacks only for existing connections, with the endpoint and in the console without a key", async () => {
    const { admin } = instance;
    assertRefused(await admin.post("/sandbox/stacks", { ServiceId: "aws_made_up" }), 404, "NOT_FOUND");
    const form = await fetch(`${instance.url}/sandbox/console/stacks`, {
      method: "POST",
      body: new URLSearchParams({ ServiceId: "aws_made_up" }),
      redirect: "manual",
    });
    assert.equal(form.status, 404);
    assert.equal(instance.sandbox.stackStatus("aws_made_up"), null);
  });
});
