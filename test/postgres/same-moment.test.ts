import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";
const ROUNDS = 10;

/** On the embedded database, which has one connection, no two of them run at once. */
describe("concurrent changes", { skip: needsPostgres }, () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("A8: of those for the same state, one takes effect", async () => {
    const { admin } = instance;
    const { body } = await admin.get("/v1/me");
    const path = `/v1/users/${body.user.id}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const headers = { "if-match": (await admin.get(path)).headers.get("etag") ?? "" };
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) => admin.patch(path, { name: `${round}-${number}` }, headers)),
      );
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
      assert.equal(answers.filter((answer) => answer.status === 412).length, 7);
    }
  });

  it("S16: of two admins who delete each other's last key, one is refused", async () => {
    let { admin } = instance;
    const first = await admin.get("/v1/me");
    let own: string = first.body.apiKey.id;
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await admin.post("/v1/users", { email: `admin-${round}@example.com`, role: "admin" });
      const made = await admin.post("/v1/api-keys", { name: "other", userId: user.body.id });
      const other = createApiClient(instance.url, made.body.key);
      const [ofOwn, ofOther] = await Promise.all([
        other.delete(`/v1/api-keys/${own}`),
        admin.delete(`/v1/api-keys/${made.body.id}`),
      ]);
      assert.equal([ofOwn, ofOther].filter((answer) => answer.status === 204).length, 1);
      const late = ofOwn.status === 204 ? ofOther : ofOwn;
      // A request that comes after its own key was deleted is refused before it is looked at.
      if (late.status === 401) assertRefused(late, 401, "UNAUTHENTICATED");
      else assertRefused(late, 409, "LAST_ADMIN_KEY");
      if (ofOwn.status === 204) [admin, own] = [other, made.body.id];
      assert.equal((await admin.get("/v1/users")).status, 200);
    }
  });
});
