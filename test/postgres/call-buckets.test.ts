/** Several processes make calls in one account; each has its own pool of connections here. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createCallBuckets, pruneCallBuckets } from "../../src/db/call-buckets.ts";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import type { TokenBuckets } from "../../src/lib/pace/token-bucket.ts";
import { createPostgresCopy } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"] ?? "";
const needsPostgres = adminUrl === "" && "part of npm run test:postgres";

const CLEAR = writeStatement("test_clear", "DELETE FROM call_buckets");
const COUNT = readStatement<{ count: number }>(
  "test_count",
  "SELECT count(*)::int AS count FROM call_buckets",
);

describe("token buckets that processes share", { skip: needsPostgres }, () => {
  let copy: Awaited<ReturnType<typeof createPostgresCopy>>;
  let dbs: Database[];
  let processes: TokenBuckets[];
  before(async () => {
    copy = await createPostgresCopy(adminUrl);
    dbs = [1, 2, 3].map(() =>
      createPostgresDatabase({ connectionString: copy.url, poolSize: 4, onError: () => undefined }),
    );
    processes = dbs.map(createCallBuckets);
  });
  after(async () => {
    await Promise.all(dbs.map((db) => db.close()));
    await copy.drop();
  });
  beforeEach(async () => void (await dbs[0]?.query(CLEAR)));

  const take = (n: number, key: string, pace: { perSecond: number; burst: number }, maxWaitMs: number) => {
    const buckets = processes[n % processes.length];
    assert.ok(buckets);
    return buckets.take(key, pace, maxWaitMs);
  };

  it("allow all processes together one burst, and then the rate", async () => {
    const pace = { perSecond: 20, burst: 5 };
    const startedAt = performance.now();
    const takenAt = await Promise.all(
      Array.from({ length: 45 }, async (_, n) => {
        assert.equal(await take(n, "a", pace, 60_000), true);
        return performance.now() - startedAt;
      }),
    );
    takenAt.sort((a, b) => a - b);
    // Two seconds for the forty that are not in the burst; timers may fire a little early.
    for (const [index, atMs] of takenAt.entries()) {
      const earliestMs = ((index + 1 - pace.burst) / pace.perSecond) * 1_000;
      assert.ok(
        atMs >= earliestMs - 15,
        `turn ${index + 1} came after ${atMs} ms, ${earliestMs} at the earliest`,
      );
    }
  });

  it("refuse what would wait too long, without using a turn", async () => {
    const pace = { perSecond: 1, burst: 3 };
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) => take(n, "a", pace, 0)));
    assert.equal(outcomes.filter(Boolean).length, pace.burst);
    // Had the refused ones taken turns, this one would be nine seconds away.
    assert.equal(await take(0, "a", pace, 1_500), true);
  });

  it("are separate for each account", async () => {
    const pace = { perSecond: 1, burst: 1 };
    assert.equal(await take(0, "a", pace, 0), true);
    assert.equal(await take(1, "a", pace, 0), false);
    assert.equal(await take(1, "b", pace, 0), true);
  });

  it("are empty for all processes after one was throttled", async () => {
    const pace = { perSecond: 1, burst: 10 };
    await processes[0]?.empty("a", pace);
    assert.equal(await take(1, "a", pace, 0), false);
  });

  it("are removed once they are full", async () => {
    const [db] = dbs;
    assert.ok(db);
    await take(0, "quick", { perSecond: 1_000_000, burst: 1 }, 0);
    await take(0, "slow", { perSecond: 0.001, burst: 1 }, 0);
    assert.equal(await pruneCallBuckets(db), false);
    assert.deepEqual(await db.query(COUNT), [{ count: 1 }]);
  });
});
