/** The driver on servers that stand still, take no writes any more, or wait for a standby that is not there. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import {
  type Database,
  DatabaseUnavailableError,
  readStatement,
  writeStatement,
} from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createApiClient } from "../helpers/api-client.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { startProcess } from "../helpers/processes/service-process.ts";
import { type StallingProxy, startStallingProxy } from "../helpers/processes/stalling-proxy.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const needsPostgres = (process.env["SLIPWAY_TEST_POSTGRES"] ?? "") === "" && "part of npm run test:postgres";
const ADMIN_KEY = "failover-admin-key-0123456789abcdef";

const OWN_PID = readStatement<{ pid: number }>("own_pid", "SELECT pg_backend_pid() AS pid");
const PORT = readStatement<{ port: number }>("own_port", "SELECT inet_server_port() AS port");
const INSERT = writeStatement("insert", "INSERT INTO written VALUES ($1)");
const COUNT = readStatement<{ count: number }>(
  "count",
  "SELECT count(*)::int AS count FROM written WHERE n = $1",
);
const TABLE = "CREATE TABLE IF NOT EXISTS written (n int)";

const portOf = ({ url }: PostgresCluster): string => new URL(url).port;
const hasReason = (reason: string) => (error: unknown) =>
  error instanceof DatabaseUnavailableError && error.reason === reason;
const open = (connectionString: string, poolSize = 1): Database =>
  createPostgresDatabase({ connectionString, poolSize, onError: () => undefined });

// Both wait for limits to run out.
describe("the driver and a server that says nothing", { skip: needsPostgres, concurrency: 2 }, () => {
  let cluster: PostgresCluster;
  let lonely: PostgresCluster;

  before(async () => {
    cluster = await startPostgresCluster();
    lonely = await startPostgresCluster();
    await execute(lonely.url, TABLE);
  });
  after(() => {
    cluster.dispose();
    lonely.dispose();
  });

  describe("a connection whose other end stands still", { concurrency: 1 }, () => {
    let proxy: StallingProxy;
    let db: Database;

    before(async () => {
      proxy = await startStallingProxy(Number(portOf(cluster)));
      db = open(`postgresql://postgres@127.0.0.1:${proxy.port}/postgres`);
      await db.execute(TABLE);
    });
    after(async () => {
      await db.close();
      proxy.close();
    });

    it("in the middle of a commit leaves the outcome unknown, and is replaced", async () => {
      await assert.rejects(
        db.transaction(async (tx) => {
          await tx.query(INSERT, [1]);
          proxy.stall();
        }),
        hasReason("outcome unknown"),
      );
      await db.transaction((tx) => tx.query(INSERT, [2]));
      assert.deepEqual(await db.query(COUNT, [2]), [{ count: 1 }]);
    });

    it("before anything was sent is found at the begin of a transaction, and nothing was done", async () => {
      proxy.stall();
      await assert.rejects(
        db.transaction((tx) => tx.query(INSERT, [3])),
        hasReason("no answer"),
      );
      assert.deepEqual(await db.query(COUNT, [3]), [{ count: 0 }]);
    });

    it("is found by a listener, which says that it missed messages and hears the next ones", async () => {
      const heard: string[] = [];
      let reconnects = 0;
      const listener = await db.listen(
        "half_open",
        (payload) => heard.push(payload),
        () => {
          reconnects += 1;
        },
      );
      const say = (text: string) => async (): Promise<boolean> => {
        db.notify("half_open", text);
        return heard.includes(text);
      };
      await until(say("first"), "it listens");
      proxy.stall();
      await until(() => reconnects === 1, "it listens again");
      await until(say("second"), "it hears again");
      await listener.close();
    });
  });

  describe("a server that waits for a standby which is not there", { concurrency: 1 }, () => {
    it("does not confirm a commit whose wait was cancelled", async () => {
      const db = open(lonely.url, 2);
      await untilCommitsWait(lonely);
      try {
        for (const write of [
          () => db.transaction((tx) => tx.query(INSERT, [1])),
          () => db.query(INSERT, [1]),
        ]) {
          const writing = assert.rejects(write(), hasReason("outcome unknown"));
          await until(
            async () => (await execute(lonely.url, CANCEL_WAITS)).length === 1,
            "its wait is cancelled",
          );
          await writing;
        }
      } finally {
        await setGlobally(lonely, "synchronous_standby_names", "");
        await db.close();
      }
    });

    it("answers that the outcome is unknown, and the Idempotency-Key shows it afterwards", async () => {
      const dataDir = await makeTempDir("failover");
      const service = await startProcess({
        SLIPWAY_DATA_DIR: dataDir,
        DATABASE_URL: lonely.url,
        SLIPWAY_API_KEY: ADMIN_KEY,
      });
      const api = createApiClient(service.url, ADMIN_KEY);
      const create = () =>
        api.post("/v1/aws-accounts", { givenId: "once" }, { "idempotency-key": "failover-key-0001" });
      try {
        await untilCommitsWait(lonely);
        const unknown = await create();
        assert.equal(unknown.status, 503);
        assert.equal(unknown.body.code, "OUTCOME_UNKNOWN");
        assert.match(unknown.headers.get("retry-after") ?? "", /^\d+$/);
        // The first still waits, with the key.
        assert.equal((await create()).body.code, "IDEMPOTENCY_KEY_IN_PROGRESS");
        await setGlobally(lonely, "synchronous_standby_names", "");
        const known = await until(async () => {
          const answer = await create();
          return answer.status === 201 && answer;
        }, "it is known");
        assert.equal(known.headers.get("idempotent-replayed"), "true");
        const { body } = await api.get("/v1/aws-accounts");
        assert.equal(body.awsAccounts.length, 1);
      } finally {
        await setGlobally(lonely, "synchronous_standby_names", "");
        service.process.kill("SIGKILL");
        await service.ended;
      }
    });
  });
});

describe("several servers in one address", { skip: needsPostgres }, () => {
  let primary: PostgresCluster;
  let standby: PostgresCluster;

  before(async () => {
    primary = await startPostgresCluster({ shared_buffers: "16MB" });
    await execute(primary.url, TABLE);
    const copy = path.join(primary.folder, "copy");
    primary.run("pg_basebackup", ["-d", primary.url, "-D", copy, "-R", "-X", "stream"]);
    standby = await startPostgresCluster({ shared_buffers: "16MB" }, copy);
  });
  after(() => {
    standby.dispose();
    primary.dispose();
  });

  it("are used where they take writes, whichever is named first", async () => {
    for (const hosts of [
      [standby, primary],
      [primary, standby],
    ]) {
      const db = open(urlOf(hosts.map(portOf)), 4);
      try {
        const [seen] = await db.transaction((tx) => tx.query(PORT));
        assert.equal(String(seen?.port), portOf(primary));
      } finally {
        await db.close();
      }
    }
  });

  it("that are all standbys are not used", async () => {
    const db = open(standby.url);
    try {
      await assert.rejects(db.query(OWN_PID), hasReason("no answer"));
    } finally {
      await db.close();
    }
    const any = open(`${standby.url}?target_session_attrs=any`);
    try {
      assert.equal((await any.query(OWN_PID)).length, 1);
    } finally {
      await any.close();
    }
  });

  it("are left for the promoted standby, though the former primary takes writes too", async () => {
    const db = open(urlOf([portOf(primary), portOf(standby)]), 4);
    const portNow = async (): Promise<string> => String((await db.query(PORT))[0]?.port);
    try {
      assert.equal(await portNow(), portOf(primary));
      // The former primary keeps taking writes, as a primary does that lost its cluster.
      standby.run("pg_ctl", ["-D", standby.dataFolder, "-w", "promote"]);
      await until(async () => (await answered(portNow())) === portOf(standby), "the promoted one is used");
      await db.transaction((tx) => tx.query(INSERT, [9]));
      const back = open(urlOf([portOf(primary), portOf(standby)]), 2);
      try {
        await until(
          async () => (await answered(back.query(COUNT, [9])))?.[0]?.count === 1,
          "the successor is preferred",
        );
      } finally {
        await back.close();
      }
    } finally {
      await db.close();
    }
  });

  it("that take no writes for a while are used again afterwards, over another connection", async () => {
    const db = open(standby.url);
    try {
      const [first] = await db.query(OWN_PID);
      await setGlobally(standby, "default_transaction_read_only", "on");
      await assert.rejects(
        until(() => db.transaction((tx) => tx.query(INSERT, [4])).then(() => false), "a write is refused"),
        hasReason("no answer"),
      );
      await setGlobally(standby, "default_transaction_read_only", "off");
      const again = await until(
        () => answered(db.transaction((tx) => tx.query(OWN_PID))),
        "it is used again",
      );
      assert.notEqual(again[0]?.pid, first?.pid);
    } finally {
      await db.close();
    }
  });
});

/** Null if the connection was left while the statement was under way: a request is then answered 503. */
async function answered<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return null;
    throw error;
  }
}

function urlOf(ports: readonly string[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `postgresql://postgres@${hosts}/postgres?target_session_attrs=read-write`;
}

async function setGlobally({ url }: PostgresCluster, name: string, value: string): Promise<void> {
  await execute(url, `ALTER SYSTEM SET ${name} = '${value}'`);
  await execute(url, "SELECT pg_reload_conf()");
}

const CANCEL_WAITS = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** The server's processes read a changed setting some time after the reload, so commits are tried until one waits. */
async function untilCommitsWait(server: PostgresCluster): Promise<void> {
  await setGlobally(server, "synchronous_standby_names", "nobody");
  await until(async () => {
    let hasEnded = false;
    let hasWaited = false;
    const commit = "SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'tried', '')";
    const trying = execute(server.url, commit).finally(() => (hasEnded = true));
    // Others wait too, and one cancelled before it waits would wait for ever: only its own wait counts, until it ended.
    await until(async () => {
      const cancelled = await execute(server.url, `${CANCEL_WAITS} AND query LIKE '%tried%'`);
      hasWaited ||= cancelled.length === 1;
      return hasEnded;
    }, "the tried commit ends");
    await trying;
    return hasWaited;
  }, "commits wait for a standby");
}

async function execute(connectionString: string, text: string): Promise<readonly unknown[]> {
  const client = new Client({
    connectionString,
    options: "-c default_transaction_read_only=off -c synchronous_commit=local",
  });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
