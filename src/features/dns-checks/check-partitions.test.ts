import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Database, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { createCheckPartitions, STOPPED_AFTER_SECONDS, type CheckPartitions } from "./check-partitions.ts";
import { createCheckedThrough } from "../custom-domains/records/checked-through.ts";

const FORGET = writeStatement("test_dns_lookers_forget", "DELETE FROM dns_lookers");
const AGE = writeStatement(
  "test_dns_lookers_age",
  `UPDATE dns_lookers SET seen_at = seen_at - $1::float8 * interval '1 second'`,
);
/** Longer than two reports are apart, in ms. */
const LATER_MS = 6_000;

describe("the partitions of workers that check", () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("check-partitions");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => db.query(FORGET));

  /** Each worker reports that it made its checks until now. */
  async function reportAll(workers: readonly CheckPartitions[], nowMs: number) {
    const reported = [];
    for (const worker of workers) reported.push(await worker.report(nowMs, () => nowMs));
    return reported;
  }

  it("are the whole for a single worker", async () => {
    const [reported] = await reportAll([createCheckPartitions(db)], Date.now());
    assert.deepEqual(reported?.partition, { index: 0, count: 1 });
  });

  it("are all different and cover all, once all workers know of each other", async () => {
    const workers = [createCheckPartitions(db), createCheckPartitions(db), createCheckPartitions(db)];
    const now = Date.now();
    await reportAll(workers, now);
    const reported = await reportAll(workers, now + LATER_MS);
    assert.deepEqual(new Set(reported.map(({ partition }) => partition.index)), new Set([0, 1, 2]));
    assert.ok(reported.every(({ partition }) => partition.count === 3));
    const again = await reportAll(workers, now + 2 * LATER_MS);
    assert.ok(again.every(({ resumeFromMs }) => resumeFromMs === null));
  });

  it("return, when a worker has stopped, to where its checks ended", async () => {
    const [stopped, left, other] = [
      createCheckPartitions(db),
      createCheckPartitions(db),
      createCheckPartitions(db),
    ];
    const now = Date.now();
    await stopped.report(now, () => now - 300_000);
    await db.query(AGE, [STOPPED_AFTER_SECONDS + 1]);
    const reported = await reportAll([left, other], now + LATER_MS);
    for (const { resumeFromMs } of reported) assert.equal(resumeFromMs, now - 300_000);
    assert.deepEqual(reported[1]?.partition.count, 2);
  });

  it("say through when all checks were made: where the last of the workers is", async () => {
    const now = Date.now();
    assert.equal(await createCheckedThrough(db).read(db), null);
    const [first, second] = [createCheckPartitions(db), createCheckPartitions(db)];
    await reportAll([first, second], now);
    await first.report(now + LATER_MS, () => now + LATER_MS);
    await second.report(now + LATER_MS, () => now - 120_000);
    await first.report(now + 2 * LATER_MS, () => now + 2 * LATER_MS);
    const until = await createCheckedThrough(db).read(db);
    assert.ok(until !== null && until.getTime() <= now - 120_000);
    // The embedded database has one connection, which a transaction already holds.
    const within = createCheckedThrough(db);
    assert.equal(await db.transaction((tx) => within.read(tx)), null);
  });
});
