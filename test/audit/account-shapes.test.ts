/** A cloud account connection has the same form in every answer. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { createUserClient } from "../helpers/users.ts";

const PATH = "/v1/aws-accounts";

describe("A18: a connection that waits for its stack", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("A18: has the stack in POST, GET, PATCH, check and the list, only for admins", async () => {
    const { admin } = instance;
    const created = await admin.post(PATH, { givenId: "shape" });
    assert.equal(created.status, 201, created.text);
    assert.ok(created.body.cloudStack.consoleUrl.includes(created.body.id));
    const { id } = created.body;
    assert.deepEqual((await admin.get(`${PATH}/${id}`)).body, created.body);
    assert.deepEqual((await admin.get(PATH)).body.awsAccounts, [created.body]);
    const renamed = await admin.patch(`${PATH}/${id}`, { name: "Renamed" });
    assert.deepEqual(renamed.body, { ...created.body, name: "Renamed" });
    const checked = await admin.post(`${PATH}/${id}/check`);
    assert.deepEqual(checked.body, renamed.body);
    const viewer = await createUserClient(admin, "viewer");
    const { cloudStack: _stack, ...rest } = renamed.body;
    // The id of a connection that waits is a secret of admins (S3).
    const shown = { ...rest, id: "shape" };
    assert.deepEqual((await viewer.get(`${PATH}/${id}`)).body, shown);
    assert.deepEqual((await viewer.get(PATH)).body.awsAccounts, [shown]);
  });
});
