import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";

/** The worker beside it has a few waiting too. */
const MOST_WAITING = 20;
/** What waits gives up after ten seconds, and on a busy machine others must come in its place. */
const PATIENCE_MS = 60_000;

describe("with more requests than connections can take", { skip: needsPostgres }, () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({
      env: { SLIPWAY_DATABASE_POOL: "2", SLIPWAY_MAX_WAITING: String(MOST_WAITING) },
    });
  });
  after(() => instance.dispose());

  const waiting = async (): Promise<number> => {
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(/^slipway_database_connections\{state="waiting"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };

  it("new ones are refused until there is room, and accepted ones are answered", async () => {
    const { admin } = instance;
    const blocker = new Client({ connectionString: instance.databaseUrl ?? "" });
    await blocker.connect();
    try {
      // Every write leaves an audit entry, and waits for this.
      await blocker.query("BEGIN; LOCK TABLE audit_entries IN EXCLUSIVE MODE");
      const writes: Promise<ApiAnswer>[] = [];
      const refused = await until(
        async () => {
          if ((await waiting()) < MOST_WAITING) {
            const email = `user-${writes.length}@example.com`;
            writes.push(admin.post("/v1/users", { email, role: "viewer" }));
            return null;
          }
          const read = await admin.get("/v1/projects");
          return read.body.code === "OVERLOADED" && read;
        },
        "a read is refused",
        PATIENCE_MS,
      );
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-3]$/);
      assert.equal((await admin.get("/healthz")).status, 200);
      const metrics = await (await fetch(`${instance.url}/metrics`)).text();
      assert.match(metrics, /^slipway_http_requests_shed_total [1-9]/m);

      await blocker.query("COMMIT");
      const answers = await Promise.all(writes);
      assert.ok(
        answers.some(({ status }) => status === 201),
        JSON.stringify(answers.map(({ status, body }) => [status, body.code])),
      );
      for (const { status, headers } of answers)
        assert.ok(status === 201 || (status === 503 && headers.has("retry-after")), String(status));
      await until(async () => (await admin.get("/v1/projects")).status === 200, "reads are answered again");
      assert.equal((await admin.get("/readyz")).status, 200);
    } finally {
      await blocker.end();
    }
  });
});
