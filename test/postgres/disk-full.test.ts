/** No space left on the database's disk: nothing that was accepted is lost, and freeing space is enough. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { mountSmallDisk, type SmallDisk } from "../helpers/processes/small-disk.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ADMIN_KEY = "disk-admin-key-0123456789abcdef";
const hasPostgres = (process.env["SLIPWAY_TEST_POSTGRES"] ?? "") !== "";
/** Enough for the tables that are there to run out of room. */
const REFUSALS = 40;
const BACK_MS = 60_000;

describe("a disk without space", () => {
  it("under the embedded database refuses writes until there is space again, and loses none", async (t) => {
    const disk = mountSmallDisk(120);
    if (disk === null) return t.skip("needs the right to mount a file system");
    const undo = undoAfter(t);
    undo.push(() => disk.dispose());
    const dataDir = path.join(disk.folder, "data");
    const env = { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY };
    const service = await start(undo, env);
    const accepted = await fillAndRecover(disk, clientOf(service), () => undefined);

    // What was accepted is on the disk, not only in the memory of the process that answered.
    service.process.kill("SIGKILL");
    await service.ended;
    await assertThere(clientOf(await start(undo, env)), accepted);
  });

  it("under PostgreSQL refuses writes until there is space again, and loses none", async (t) => {
    if (!hasPostgres) return t.skip("part of npm run test:postgres");
    const disk = mountSmallDisk(160);
    if (disk === null) return t.skip("needs the right to mount a file system");
    const undo = undoAfter(t);
    undo.push(() => disk.dispose());
    const cluster = await startPostgresCluster({ shared_buffers: "32MB" }, null, disk.folder);
    undo.push(() => cluster.dispose());
    const service = await start(undo, {
      SLIPWAY_DATA_DIR: await makeTempDir("disk-full"),
      DATABASE_URL: cluster.url,
      SLIPWAY_API_KEY: ADMIN_KEY,
    });
    const accepted = await fillAndRecover(disk, clientOf(service), () => {
      // Without space for its log PostgreSQL itself ends, and is its operator's to start.
      if (!existsSync(path.join(cluster.dataFolder, "postmaster.pid"))) cluster.start();
    });
    cluster.stopImmediately();
    cluster.start();
    await assertThere(clientOf(service), accepted);
  });
});

type Undo = (() => void | Promise<void>)[];

/** @returns what is done in reverse when the test has ended: a disk is in use until its users have gone */
function undoAfter(t: TestContext): Undo {
  const undo: Undo = [];
  t.after(async () => {
    for (const step of undo.toReversed()) await step();
  });
  return undo;
}

async function start(undo: Undo, env: Record<string, string>): Promise<ServiceProcess> {
  const service = await startProcess(env);
  undo.push(async () => {
    // In good order, so that the database's process is gone with it.
    service.process.kill("SIGTERM");
    await service.ended;
  });
  return service;
}

const clientOf = ({ url }: ServiceProcess): ApiClient => createApiClient(url, ADMIN_KEY);

/** @returns the ids of what was accepted before, while and after there was no space */
async function fillAndRecover(disk: SmallDisk, client: ApiClient, revive: () => void): Promise<string[]> {
  const accepted: string[] = [];
  let number = 0;
  /** One write, which is either done or refused as what may be tried again. @returns whether it was done */
  const write = async (): Promise<boolean> => {
    number += 1;
    const { status, headers, body } = await client.post("/v1/aws-accounts", {
      givenId: `account-${number}`,
      name: "n".repeat(100),
    });
    if (status === 201) {
      accepted.push(body.id);
      return true;
    }
    assert.equal(status, 503, JSON.stringify(body));
    assert.equal(body.code, "DATABASE_UNAVAILABLE");
    assert.ok(Number(headers.get("retry-after")) > 0);
    return false;
  };
  assert.equal(await write(), true);
  disk.fill();
  for (let refused = 0; refused < REFUSALS;) if (!(await write())) refused += 1;
  disk.clear();
  revive();
  await until(write, "writes are accepted again", BACK_MS);
  await assertThere(client, accepted);
  return accepted;
}

async function assertThere(client: ApiClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const status = await until(
      async () => {
        const answer = await client.get(`/v1/aws-accounts/${id}`);
        return answer.status !== 503 && answer.status;
      },
      "the database answers",
      BACK_MS,
    );
    assert.equal(status, 200);
  }
}
