import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";

/** On the embedded database, which has one connection, the second request would wait for the first. */
describe("an Idempotency-Key whose first request still runs", { skip: needsPostgres }, () => {
  let instance: Instance;
  let blocker: Client;
  before(async () => {
    instance = await startInstance();
    blocker = new Client({ connectionString: instance.databaseUrl ?? "" });
    await blocker.connect();
  });
  after(async () => {
    await blocker.end();
    await instance.dispose();
  });

  it("is refused with 409 and Retry-After, whatever the request, and replays once the first has ended", async () => {
    const send = async (givenId: string) =>
      await instance.admin.post("/v1/aws-accounts", { givenId }, { "idempotency-key": "running" });
    await blocker.query("BEGIN; LOCK TABLE aws_accounts IN SHARE MODE");
    const first = send("held-up");
    await until(async () => {
      const { rows } = await blocker.query(
        "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'aws_accounts'::regclass",
      );
      return rows.length > 0;
    }, "the first request waits");

    for (const givenId of ["held-up", "another"]) {
      const second = await send(givenId);
      assertRefused(second, 409, "IDEMPOTENCY_KEY_IN_PROGRESS");
      assert.equal(second.headers.get("retry-after"), "1");
    }
    await blocker.query("COMMIT");
    const { status, body } = await first;
    assert.equal(status, 201);
    const replayed = await send("held-up");
    assert.equal(replayed.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(replayed.body, body);
    assertRefused(await send("another"), 422, "IDEMPOTENCY_KEY_REUSED");
  });
});
