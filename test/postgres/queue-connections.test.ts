import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PgBoss } from "pg-boss";
import type { Database } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createBoss } from "../../src/jobs/boss.ts";
import { createPostgresCopy } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
const ignoreLostConnection = (): void => undefined;

describe(
  "the queue's connections",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let copy: Awaited<ReturnType<typeof createPostgresCopy>>;
    let db: Database;
    let boss: PgBoss;
    before(async () => {
      copy = await createPostgresCopy(adminUrl ?? "");
      db = createPostgresDatabase({ connectionString: copy.url, poolSize: 1, onError: ignoreLostConnection });
      boss = createBoss({ db, connectionString: copy.url, supervise: true, onError: ignoreLostConnection });
      await boss.start();
    });
    after(async () => {
      await boss.stop({ graceful: false, close: true });
      await db.close();
      await copy.drop();
    });

    it("end an idle transaction before a silent worker counts as dead, like our own", async () => {
      const { rows } = await boss.getDb().executeSql("SHOW idle_in_transaction_session_timeout");
      assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: "8s" }]);
    });
  },
);
