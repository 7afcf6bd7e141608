import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { connectAccount, createProject } from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("cloud accounts", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  const create = async (givenId: string, name?: string) => {
    const created = await instance.admin.post("/v1/aws-accounts", { givenId, name });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body;
  };
  const untilStatus = (id: string, status: string) =>
    until(async () => {
      const { body } = await instance.admin.get(`/v1/aws-accounts/${id}`);
      return body.status === status && body;
    }, `the account ${id} becomes ${status}`);

  it("become CONNECTED once their stack is created", async () => {
    const created = await instance.admin.post("/v1/aws-accounts", { givenId: "main", name: "Main" });
    assert.equal(created.status, 201);
    assert.equal(created.body.status, "AWAITING_CONNECTION");
    assert.equal(created.body.cloudStack.template.parameters.ServiceId, created.body.id);
    assert.equal(created.headers.get("location"), `/v1/aws-accounts/${created.body.id}`);
    const read = await instance.admin.get("/v1/aws-accounts/main");
    assert.deepEqual(read.body.cloudStack, created.body.cloudStack);
    const stack = await instance.admin.post("/sandbox/stacks", { ServiceId: created.body.id });
    assert.equal(stack.status, 201);
    const connected = await untilStatus("main", "CONNECTED");
    assert.match(connected.connectedAwsAccountId, /^\d{12}$/);
    assert.equal(connected.lastCheckError, null);
    assert.equal(connected.cloudStack, undefined);
  });

  it("are named by their givenId by default, and both can be changed", async () => {
    const { id, name } = await create("to-rename");
    assert.equal(name, "to-rename");
    const renamed = await instance.admin.patch("/v1/aws-accounts/to-rename", {
      givenId: "renamed",
      name: "New name",
    });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    assert.deepEqual([renamed.body.id, renamed.body.givenId, renamed.body.name], [id, "renamed", "New name"]);
    assert.equal((await instance.admin.get("/v1/aws-accounts/renamed")).body.id, id);
    assertRefused(await instance.admin.get("/v1/aws-accounts/to-rename"), 404, "NOT_FOUND");
  });

  it("cannot share a givenId, when they are created or when they are renamed", async () => {
    await create("taken");
    assertRefused(await instance.admin.post("/v1/aws-accounts", { givenId: "taken" }), 409, "GIVEN_ID_TAKEN");
    const { id } = await create("other-id");
    const renamed = await instance.admin.patch(`/v1/aws-accounts/${id}`, { givenId: "taken" });
    assertRefused(renamed, 409, "GIVEN_ID_TAKEN");
    assert.match(renamed.body.detail, /Choose another, or use that connection\.$/);
    assert.equal((await instance.admin.get(`/v1/aws-accounts/${id}`)).body.givenId, "other-id");
  });

  it("with one givenId are created once, even by many concurrent requests", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => instance.admin.post("/v1/aws-accounts", { givenId: "raced" })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it("are not connected by a report, only by a role that works", async () => {
    const { id } = await create("forged");
    const report = await fetch(`${instance.url}/cloud-callbacks/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        accountId: "123456789012",
        roleArn: "arn:aws:iam::123456789012:role/somebody-elses",
      }),
    });
    assert.equal(report.status, 204);
    const refused = await until(async () => {
      const { body } = await instance.admin.get(`/v1/aws-accounts/${id}`);
      return body.lastCheckError !== null && body;
    }, "the report is checked");
    assert.equal(refused.status, "AWAITING_CONNECTION");
    assert.equal(refused.lastCheckError.code, "ACCESS_DENIED");
    assert.equal(refused.connectedAwsAccountId, null);
    // The forged report does not block the real one.
    await instance.admin.post("/sandbox/stacks", { ServiceId: id });
    await untilStatus(id, "CONNECTED");
  });

  it("do not change when a client reports for a working connection", async () => {
    const id = await connectAccount(instance.admin, "steady");
    const before = (await instance.admin.get(`/v1/aws-accounts/${id}`)).body;
    const report = await fetch(`${instance.url}/cloud-callbacks/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accountId: "123456789012", roleArn: "arn:aws:iam::123456789012:role/other" }),
    });
    const unknown = await fetch(`${instance.url}/cloud-callbacks/aws_aaaaaaaaaaaaaaaaaaaaaaaaaa`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accountId: "123456789012", roleArn: "arn:aws:iam::123456789012:role/other" }),
    });
    // The answers do not reveal whether the connection exists.
    assert.equal(report.status, unknown.status);
    assert.equal(await report.text(), await unknown.text());
    await instance.admin.post(`/v1/aws-accounts/${id}/check`);
    const after = await until(async () => {
      const { body } = await instance.admin.get(`/v1/aws-accounts/${id}`);
      return body.lastCheckAt !== before.lastCheckAt && body;
    }, "the account is checked again");
    assert.deepEqual({ ...after, lastCheckAt: null }, { ...before, lastCheckAt: null });
  });

  it("become DISCONNECTED when their role is deleted, and CONNECTED when it exists again", async () => {
    const id = await connectAccount(instance.admin, "comes-and-goes");
    assert.equal((await instance.admin.delete(`/sandbox/stacks/${id}`)).status, 204);
    await instance.admin.post(`/v1/aws-accounts/${id}/check`);
    const gone = await untilStatus(id, "DISCONNECTED");
    assert.equal(gone.lastCheckError.code, "ACCESS_DENIED");
    assert.equal(gone.cloudStack.template.parameters.ServiceId, id);
    await instance.admin.post("/sandbox/stacks", { ServiceId: id });
    assert.equal((await untilStatus(id, "CONNECTED")).lastCheckError, null);
  });

  it("are deleted, but not while a project is deployed to them", async () => {
    const { awsAccountId } = await createProject(instance.admin, "in-use");
    assertRefused(await instance.admin.delete(`/v1/aws-accounts/${awsAccountId}`), 409, "AWS_ACCOUNT_IN_USE");
    const { id } = await create("to-delete");
    assert.equal((await instance.admin.delete(`/v1/aws-accounts/${id}`)).status, 204);
    assertRefused(await instance.admin.get(`/v1/aws-accounts/${id}`), 404, "NOT_FOUND");
  });
});
