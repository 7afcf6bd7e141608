import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

describe("cloud accounts", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("become CONNECTED once their stack is created", async () => {
    const created = await instance.admin.post("/v1/aws-accounts", { givenId: "main", name: "Main" });
    assert.equal(created.status, 201);
    assert.equal(created.body.status, "AWAITING_CONNECTION");
    assert.equal(created.body.cloudStack.template.parameters.ServiceId, created.body.id);
    assert.equal(created.headers.get("location"), `/v1/aws-accounts/${created.body.id}`);
    const stack = await instance.admin.post("/sandbox/stacks", { ServiceId: created.body.id });
    assert.equal(stack.status, 201);
    const connected = await until(async () => {
      const { body } = await instance.admin.get("/v1/aws-accounts/main");
      return body.status === "CONNECTED" && body;
    }, "the account connects");
    assert.match(connected.connectedAwsAccountId, /^\d{12}$/);
    assert.equal(connected.lastCheckError, null);
  });
});
