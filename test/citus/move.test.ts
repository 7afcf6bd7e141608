/** An installation moves from the embedded database onto Citus, in the middle of its work. Part of `npm run test:citus`. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { createApiClient } from "../helpers/api-client.ts";
import { finishInFlight, leaveInFlight, type WorkInFlight } from "../helpers/customers/work-in-flight.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { ENTRY, fail, succeed } from "../helpers/processes/operator-commands.ts";
import { cleanEnv, type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { createPostgresCopy, makeTempDir, type TestDatabase } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";

const adminUrl = process.env["SLIPWAY_TEST_CITUS_URL"];

describe("a move onto Citus", { skip: adminUrl === undefined && "part of npm run test:citus" }, () => {
  let folder: string;
  let receiver: Receiver;
  let service: ServiceProcess;
  let work: WorkInFlight;
  let target: TestDatabase;
  let embedded: Record<string, string>;
  let distributed: Record<string, string>;

  before(async () => {
    folder = await makeTempDir("move-to-citus");
    receiver = await startReceiver();
    target = await createPostgresCopy(adminUrl ?? "");
    embedded = { SLIPWAY_DATA_DIR: path.join(folder, "data"), SLIPWAY_API_KEY: ADMIN_KEY };
    distributed = { ...embedded, DATABASE_URL: target.url };
    service = await startProcess(embedded);
    work = await leaveInFlight(createApiClient(service.url, ADMIN_KEY), receiver);
    await kill();
  });
  after(async () => {
    await kill();
    await receiver.close();
    await target.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function kill(): Promise<void> {
    service.process.kill("SIGKILL");
    await service.ended;
  }

  it("that is killed in the middle leaves the source as it was, and a target on which nothing starts", async () => {
    const client = new Client({ connectionString: target.url });
    await client.connect();
    const child = spawn(process.execPath, [ENTRY, "move", "--to", target.url], { env: cleanEnv(embedded) });
    const ended = once(child, "exit");
    await until(
      async () =>
        (await client.query("SELECT 1 FROM installation_facts WHERE name = 'unfinished'")).rows.length > 0,
      "the target is marked",
    );
    child.kill("SIGKILL");
    await ended;
    await client.end();
    assert.match(
      await fail(distributed, "org", "list"),
      /Rows are being copied into this database from .*data/,
    );
    await assert.rejects(startProcess(distributed), /Rows are being copied into this database/);
    assert.match(await succeed(embedded, "org", "list"), /org_\w+/);
  });

  it("takes everything there, where the service continues in the middle of its work", async () => {
    assert.match(await succeed(embedded, "move", "--to", target.url), /Moved \d+ rows of \d+ tables/);
    assert.match(await fail(embedded, "org", "list"), /The installation moved from this database to /);
    service = await startProcess(distributed);
    await finishInFlight(createApiClient(service.url, ADMIN_KEY), receiver, work);
  });
});
