import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../../test/helpers/template.ts";
import { type Database, writeStatement } from "../../../db/database.ts";
import { openPgliteDatabase } from "../../../db/drivers/pglite.ts";
import { createLookShares, GONE_AFTER_SECONDS, type LookShares } from "./look-shares.ts";
import { createLookedUntil } from "./looked-until.ts";

const FORGET = writeStatement("test_dns_lookers_forget", "DELETE FROM dns_lookers");
const AGE = writeStatement(
  "test_dns_lookers_age",
  `UPDATE dns_lookers SET seen_at = seen_at - $1::float8 * interval '1 second'`,
);
/** Longer than two tellings are apart, in ms. */
const LATER_MS = 6_000;

describe("the shares of workers in the looks", () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("look-shares");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => db.query(FORGET));

  /** Each worker in turn reports that it made its looks until now. */
  async function keepAll(workers: readonly LookShares[], nowMs: number) {
    const kept = [];
    for (const worker of workers) kept.push(await worker.keep(nowMs, nowMs));
    return kept;
  }

  it("are the whole for a single worker", async () => {
    const [kept] = await keepAll([createLookShares(db)], Date.now());
    assert.deepEqual(kept?.share, { index: 0, count: 1 });
  });

  it("are all different and cover all, once all workers know of each other", async () => {
    const workers = [createLookShares(db), createLookShares(db), createLookShares(db)];
    const now = Date.now();
    await keepAll(workers, now);
    const kept = await keepAll(workers, now + LATER_MS);
    assert.deepEqual(new Set(kept.map(({ share }) => share.index)), new Set([0, 1, 2]));
    assert.ok(kept.every(({ share }) => share.count === 3));
    const again = await keepAll(workers, now + 2 * LATER_MS);
    assert.ok(again.every(({ againFromMs }) => againFromMs === null));
  });

  it("go back, when a worker is gone, to where its looks ended", async () => {
    const [gone, left, other] = [createLookShares(db), createLookShares(db), createLookShares(db)];
    const now = Date.now();
    await gone.keep(now, now - 300_000);
    await db.query(AGE, [GONE_AFTER_SECONDS + 1]);
    const kept = await keepAll([left, other], now + LATER_MS);
    for (const { againFromMs } of kept) assert.equal(againFromMs, now - 300_000);
    assert.deepEqual(kept[1]?.share.count, 2);
  });

  it("say until when all looks were made: where the last of the workers is", async () => {
    const now = Date.now();
    assert.equal(await createLookedUntil(db).read(), null);
    const [first, second] = [createLookShares(db), createLookShares(db)];
    await keepAll([first, second], now);
    await first.keep(now + LATER_MS, now + LATER_MS);
    await second.keep(now + LATER_MS, now - 120_000);
    await first.keep(now + 2 * LATER_MS, now + 2 * LATER_MS);
    const until = await createLookedUntil(db).read();
    assert.ok(until !== null && until.getTime() <= now - 120_000);
  });
});
