import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DatabaseUnavailableError, readStatement, writeStatement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { until } from "../helpers/until.ts";

const connectionString = process.env["SLIPWAY_TEST_POSTGRES"] ?? "";
const needsPostgres = connectionString === "" && "part of npm run test:postgres";

const OWN_PID = readStatement<{ pid: number }>("own_pid", "SELECT pg_backend_pid() AS pid");
const IDLE_LIMIT = readStatement<{ limit: string }>(
  "idle_limit",
  "SELECT current_setting('idle_in_transaction_session_timeout') AS limit",
);
const SHORTEN_IDLE_LIMIT = writeStatement(
  "shorten_idle_limit",
  "SET LOCAL idle_in_transaction_session_timeout = '50ms'",
);
const TERMINATE = readStatement("terminate", "SELECT pg_terminate_backend($1)");

describe("a connection that the server ends", { skip: needsPostgres }, () => {
  it("in the middle of a transaction fails that transaction, not the process", async () => {
    const losses: unknown[] = [];
    const db = createPostgresDatabase({
      connectionString,
      poolSize: 3,
      onError: (error) => losses.push(error),
    });
    try {
      const lost = db.transaction(async (tx) => {
        const [own] = await tx.query(OWN_PID);
        await db.query(TERMINATE, [own?.pid ?? 0]);
        // Nothing is asked of the connection in the moment in which it ends.
        await until(() => losses.length > 0, "the loss is noticed");
        await tx.query(OWN_PID);
      });
      await assert.rejects(lost, DatabaseUnavailableError);
      const [next] = await db.transaction((tx) => tx.query(OWN_PID));
      assert.ok((next?.pid ?? 0) > 0);
    } finally {
      await db.close();
    }
  });

  it("ends the transaction of a process that stands still, before its jobs are given to others", async () => {
    const db = createPostgresDatabase({ connectionString, poolSize: 1, onError: () => undefined });
    try {
      assert.deepEqual(await db.query(IDLE_LIMIT), [{ limit: "8s" }]);
    } finally {
      await db.close();
    }
  });

  it("is reported as an unavailable database to a process that continues its transaction", async () => {
    const db = createPostgresDatabase({ connectionString, poolSize: 1, onError: () => undefined });
    try {
      const lost = db.transaction(async (tx) => {
        await tx.query(SHORTEN_IDLE_LIMIT);
        // Like SIGSTOP: when it continues, the next statement is sent before the end has been read.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        await tx.query(OWN_PID);
      });
      await assert.rejects(lost, DatabaseUnavailableError);
    } finally {
      await db.close();
    }
  });
});
