/** An installation moves from the embedded database to PostgreSQL, and on to another, in the middle of its work. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { createApiClient } from "../helpers/api-client.ts";
import { finishInFlight, leaveInFlight, type WorkInFlight } from "../helpers/customers/work-in-flight.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import * as operator from "../helpers/processes/operator-commands.ts";
import { startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { cleanEnv, type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { mountSmallDisk } from "../helpers/processes/small-disk.ts";
import { createEmptyPostgres, makeTempDir, type TestDatabase } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

describe("a move", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  let folder: string;
  let receiver: Receiver;
  let service: ServiceProcess;
  let work: WorkInFlight;
  let first: TestDatabase;
  let second: TestDatabase;

  const on = (database: TestDatabase | null): Record<string, string> => ({
    SLIPWAY_DATA_DIR: path.join(folder, "data"),
    SLIPWAY_API_KEY: ADMIN_KEY,
    ...(database === null ? {} : { DATABASE_URL: database.url }),
  });
  async function start(database: TestDatabase | null) {
    service = await startProcess(on(database));
    return createApiClient(service.url, ADMIN_KEY);
  }
  async function kill(): Promise<void> {
    service.process.kill("SIGKILL");
    await service.ended;
  }
  const succeed = async (database: TestDatabase | null, ...args: string[]) =>
    await operator.succeed(on(database), ...args);
  const fail = async (database: TestDatabase | null, ...args: string[]) =>
    await operator.fail(on(database), ...args);
  async function ask(database: TestDatabase, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  before(async () => {
    assert.ok(adminUrl !== undefined);
    folder = await makeTempDir("move");
    receiver = await startReceiver();
    [first, second] = [await createEmptyPostgres(adminUrl), await createEmptyPostgres(adminUrl)];
    work = await leaveInFlight(await start(null), receiver);
  });
  after(async () => {
    await kill();
    await receiver.close();
    for (const database of [first, second]) await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it("is refused while the service runs", async () => {
    assert.match(await fail(null, "move", "--to", first.url), /is in use by another Slipway process/);
    await kill();
  });

  it("goes into an empty database only", async () => {
    await ask(second, "CREATE TABLE of_another_program (id int)");
    assert.match(
      await fail(null, "move", "--to", second.url),
      /The database is not empty: it has the tables of_another_program/,
    );
    await ask(second, "DROP TABLE of_another_program");
  });

  it("that is killed in the middle leaves the source as it was, and a target on which nothing starts", async () => {
    const child = spawn(process.execPath, [operator.ENTRY, "move", "--to", first.url], {
      env: cleanEnv(on(null)),
    });
    const ended = once(child, "exit");
    await until(
      async () =>
        (await ask(first, "SELECT to_regclass('installation_facts') IS NOT NULL AS found"))[0]?.["found"] ===
          true && (await ask(first, "SELECT fact FROM installation_facts")).length > 0,
      "the target is marked",
    );
    child.kill("SIGKILL");
    await ended;
    assert.match(await fail(first, "org", "list"), /Rows are being copied into this database from .*data/);
    await assert.rejects(start(first), /Rows are being copied into this database/);
    assert.match(await succeed(null, "org", "list"), /org_\w+/);
  });

  it("to a server whose disk is full leaves the source as it was, and a target on which nothing starts", async (t) => {
    const disk = mountSmallDisk(160);
    if (disk === null) return t.skip("this user may not mount a disk");
    const cluster = await startPostgresCluster({ shared_buffers: "32MB" }, null, disk.folder);
    try {
      const target = { url: cluster.url, drop: () => Promise.resolve() };
      disk.fill(100);
      assert.match(
        await fail(null, "move", "--to", target.url),
        /no space|disk is full|could not be reached/i,
      );
      disk.clear();
      // Without space for its log PostgreSQL itself ends, and is its operator's to start.
      if (!existsSync(path.join(cluster.dataFolder, "postmaster.pid"))) cluster.start();
      assert.match(await fail(target, "doctor"), /a copy ended early/);
    } finally {
      cluster.dispose();
      disk.dispose();
    }
  });

  it("takes everything to PostgreSQL, where the service continues in the middle of its work", async () => {
    const said = await succeed(null, "move", "--to", first.url);
    assert.match(said, /Moved \d+ rows of \d+ tables/);
    assert.match(
      await fail(null, "org", "list"),
      /The installation moved from this database to postgres(?:ql)?:\/\/127\.0\.0\.1:\d+\/\w+ at/,
    );
    await assert.rejects(start(null), /moved from this database/);
    const client = await start(first);
    await finishInFlight(client, receiver, work);
  });

  it("from a server whose service runs is refused, and nothing is changed", async () => {
    assert.match(
      await fail(first, "move", "--to", second.url),
      /\d+ other connections to the database are open \(.*\)\. Stop the service on all machines/,
    );
    await kill();
  });

  it("moves to another server, and is ended if it was killed before its last step", async () => {
    await until(
      async () =>
        (await ask(first, "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()")).length === 1,
      "the connections of the killed service are closed",
    );
    await succeed(first, "move", "--to", second.url);
    assert.match(await fail(first, "org", "list"), /The installation moved/);
    // The state after the source was marked as moved, and before the target recorded it.
    const [moved] = await ask(
      first,
      "SELECT fact ->> 'move' AS move FROM installation_facts WHERE name = 'moved'",
    );
    await ask(
      second,
      `INSERT INTO installation_facts (name, fact)
       VALUES ('unfinished', json_build_object('from', 'x', 'move', '${String(moved?.["move"])}'))`,
    );
    assert.match(await fail(second, "org", "list"), /Rows are being copied/);
    assert.match(await succeed(first, "move", "--to", second.url), /the move is complete/);
    const client = await start(second);
    assert.equal((await client.get(`/v1/domains/${work.domainId}`)).body.status, "ATTACHED");
    await kill();
  });

  it("can be undone", async () => {
    assert.match(await succeed(first, "move", "--undo"), /The service can start on this database again/);
    assert.match(await succeed(first, "org", "list"), /org_\w+/);
    assert.match(await fail(first, "move", "--undo"), /did not move away from postgres/);
    assert.match(await fail(first, "move", "--to", second.url), /is not empty: its table \w+ has rows/);
  });
});
