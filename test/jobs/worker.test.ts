import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { CloudError, isAbsence } from "../../src/cloud/cloud.ts";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { createClaiming, extendClaims, takeOverClaims } from "../../src/jobs/claims.ts";
import { type AccountOfWork, createJobs, type Reconcile, type ReconcileResult } from "../../src/jobs/jobs.ts";
import { createShares } from "../../src/jobs/shares.ts";
import { startWorker, type Worker } from "../../src/jobs/worker.ts";
import { createLogger } from "../../src/lib/log.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { copyPgliteTemplate, createPostgresCopy, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const KIND = "variable-scope";
/** The work named `a/1` goes to account `a`; other names have none. */
const accountOfWork: AccountOfWork = {
  [KIND]: (_sql, { id }) => Promise.resolve(/^(.+)\//.exec(id)?.[1] ?? null),
};
const NO_ANSWER = new CloudError("retryable", "UNAVAILABLE", "test", "The cloud is away.");
/** A server that drops the database ends connections that are closing, which are no longer needed. */
const ignoreLostConnection = (): void => undefined;

describe("the worker", () => {
  let db: Database;
  let organizationId: string;
  let cleanUp: () => Promise<void>;
  const undo: (() => Promise<void>)[] = [];

  before(async () => {
    const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
    if (adminUrl === undefined) {
      const folder = await makeTempDir("worker");
      await copyPgliteTemplate(path.join(folder, "database"));
      db = await openPgliteDatabase({ folder: path.join(folder, "database") });
      cleanUp = () => rm(folder, { recursive: true, force: true });
    } else {
      const copy = await createPostgresCopy(adminUrl);
      db = createPostgresDatabase({
        connectionString: copy.url,
        poolSize: 10,
        onError: ignoreLostConnection,
      });
      cleanUp = () => copy.drop();
    }
    const made = await db.transaction((tx) => createOrganization(tx, "Jobs", null));
    organizationId = made.organizationId;
  });
  after(async () => {
    await db.close();
    await cleanUp();
  });

  /** A worker whose every entity is reconciled by the one function. */
  async function start(reconcile: Reconcile, random = () => 0, longestClaimMs?: number): Promise<Worker> {
    const worker = await startWorker({
      db,
      log: createLogger("silent"),
      concurrency: { work: 4, deliveries: 4 },
      onStep: () => undefined,
      isAbsence,
      random,
      ...(longestClaimMs === undefined ? {} : { longestClaimMs }),
      reconcilers: { [KIND]: reconcile },
      sweeps: [],
    });
    undo.push(() => worker.drain());
    return worker;
  }
  const jobs = createJobs(accountOfWork);
  const enqueue = async (id: string) =>
    await db.transaction((tx) => jobs.enqueue(tx, KIND, { organizationId, id }));
  /** In one transaction, so that one notification wakes all who work at the same moment. */
  const enqueueAll = async (ids: readonly string[], ofOrganization = organizationId) =>
    await db.transaction(async (tx) => {
      for (const id of ids) {
        await jobs.enqueue(tx, KIND, { organizationId: ofOrganization, id });
      }
    });
  const find = async (id: string) => (await db.query(FIND, [id]))[0];

  async function stopAll(): Promise<void> {
    for (const stop of undo.splice(0)) await stop();
    await db.query(FORGET);
  }

  it("runs another step after an enqueue during a step that ended as done", async (t) => {
    t.after(stopAll);
    let looks = 0;
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    await start(async () => {
      looks += 1;
      if (looks === 1) await holding.promise;
      return "done";
    });
    await enqueue("enqueued-while-running");
    await until(() => looks === 1, "the first look");
    await enqueue("enqueued-while-running");
    holding.resolve();
    await until(() => looks === 2, "the second look");
    await until(async () => (await find("enqueued-while-running")) === undefined, "nothing is ahead");
  });

  it("merges pokes that come before the step", async (t) => {
    t.after(stopAll);
    for (let count = 0; count < 5; count += 1) await enqueue("enqueued-often");
    let looks = 0;
    await start(async () => {
      looks += 1;
      return "done";
    });
    await until(async () => (await find("enqueued-often")) === undefined, "nothing is ahead");
    assert.equal(looks, 1);
  });

  it("postpones a failed step, longer each time, and starts over after it is enqueued", async (t) => {
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    let isPoked = false;
    let isHeld = false;
    await start(async () => {
      if (!isPoked) throw new Error("not yet");
      isHeld = true;
      await holding.promise;
      return "done";
    });
    await enqueue("failing");
    await until(async () => {
      const row = await find("failing");
      // 250, 500, then 1000. On a busy machine more than three may have failed until this looks.
      return row !== undefined && row.attempts >= 3 && row.inMs <= 250 * 2 ** (row.attempts - 1);
    }, "three attempts or more failed, and the next is put off by as long as their number says");
    isPoked = true;
    await enqueue("failing");
    await until(() => isHeld, "it is looked at again, without waiting for the end of the backoff");
    assert.equal((await find("failing"))?.attempts, 0);
  });

  it("runs the next step at the requested time", async (t) => {
    t.after(stopAll);
    const lookedAt: number[] = [];
    await start(async () => {
      lookedAt.push(performance.now());
      return lookedAt.length === 1 ? { runAfterMs: 700 } : "done";
    });
    await enqueue("later");
    await until(() => lookedAt.length === 2, "the second look");
    const [first = 0, second = 0] = lookedAt;
    assert.ok(second - first >= 650, `${second - first} ms`);
  });

  it("takes steps that are due at once in a row, hands on what they learned, and gives up its turn", async (t) => {
    t.after(stopAll);
    /** Keyed by signal: each job has its own. */
    const turns = new Map<AbortSignal, string[]>();
    let isOver = false;
    const record = (signal: AbortSignal, what: string): void => {
      turns.set(signal, [...(turns.get(signal) ?? []), what]);
    };
    const goOn = (signal: AbortSignal, learned: number): ReconcileResult => {
      record(signal, `knows ${learned}`);
      return { next: async (nextSignal) => goOn(nextSignal, learned + 1) };
    };
    await start(async (_ref, signal) => {
      record(signal, "asks");
      if (isOver) return "done";
      return { next: async (nextSignal) => goOn(nextSignal, 1) };
    });
    await enqueue("endless");
    await until(() => turns.size >= 2, "a second job continues");
    isOver = true;
    const [first] = turns.values();
    assert.deepEqual(first, ["asks", ...Array.from({ length: 49 }, (_, index) => `knows ${index + 1}`)]);
    for (const [begin] of turns.values()) assert.equal(begin, "asks", "another job knows nothing");
    await until(async () => (await find("endless")) === undefined, "nothing is ahead");
  });

  it("starts with fresh reads after a failed step, whatever was learned before", async (t) => {
    t.after(stopAll);
    const steps: string[] = [];
    await start(async () => {
      steps.push("asks");
      if (steps.length > 1) return "done";
      return {
        next: async () => {
          steps.push("fails");
          throw new Error("not yet");
        },
      };
    });
    await enqueue("failing-next");
    await until(async () => (await find("failing-next")) === undefined, "nothing is ahead");
    assert.deepEqual(steps, ["asks", "fails", "asks"]);
  });

  it("never runs two steps of an entity at once, with two workers and constant pokes", async (t) => {
    t.after(stopAll);
    const running = new Set<string>();
    const looks = new Map<string, number>();
    let overlaps = 0;
    const reconcile: Reconcile = async ({ id }) => {
      if (running.has(id)) overlaps += 1;
      running.add(id);
      looks.set(id, (looks.get(id) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      await db.query(TICK);
      running.delete(id);
      return "done";
    };
    await start(reconcile);
    await start(reconcile);
    const ids = Array.from({ length: 6 }, (_, index) => `contended-${index}`);
    for (let round = 0; round < 15; round += 1) await Promise.all(ids.map((id) => enqueue(id)));
    await until(async () => {
      const rows = await Promise.all(ids.map(find));
      return rows.every((row) => row === undefined);
    }, "nothing is ahead");
    assert.equal(overlaps, 0);
    assert.equal(looks.size, ids.length);
  });

  it("runs awaited work before routine checks, whatever was due first", async (t) => {
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    const other = await db.transaction((tx) => createOrganization(tx, "Holds all but one", null));
    const order: string[] = [];
    let held = 0;
    await start(async ({ id }) => {
      if (id.endsWith("held")) {
        held += 1;
        await holding.promise;
      } else {
        order.push(id);
      }
      return "done";
    });
    // Of four that work at once one is left, which takes one job after the other.
    await enqueueAll(["1/held", "2/held", "3/held"], other.organizationId);
    await until(() => held === 3, "three hold their workers");
    const ids = Array.from({ length: 30 }, (_, index) => `watched-${index}`);
    await db.transaction(async (tx) => {
      for (const id of ids) {
        await tx.query(INSERT_ROUTINE, [organizationId, KIND, id]);
      }
      await jobs.enqueue(tx, KIND, { organizationId, id: "awaited" });
    });
    await until(() => order.length === ids.length + 1, "all are looked at");
    assert.equal(order[0], "awaited");
    holding.resolve();
  });

  it("takes one job after the other without pauses", async (t) => {
    t.after(stopAll);
    let looks = 0;
    await start(async () => {
      looks += 1;
      return "done";
    });
    await enqueueAll(Array.from({ length: 60 }, (_, index) => `waiting-${index}`));
    await until(
      () => looks === 60,
      "all are looked at; resting two seconds after each would take 28",
      25_000,
    );
  });

  it("continues with others while one entity hangs", async (t) => {
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    const done: string[] = [];
    await start(async ({ id }) => {
      if (id === "hanging") await holding.promise;
      done.push(id);
      return "done";
    });
    await enqueue("hanging");
    for (const id of ["free-1", "free-2", "free-3"]) await enqueue(id);
    await until(() => done.length === 3, "the others are done");
    assert.deepEqual(
      done.toSorted((a, b) => a.localeCompare(b)),
      ["free-1", "free-2", "free-3"],
    );
    holding.resolve();
    await until(() => done.length === 4, "the hanging entity is done");
  });

  it("limits an account that hangs to its share, from the first moment", async (t) => {
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    let hanging = 0;
    const done: string[] = [];
    await start(async ({ id }) => {
      if (id.startsWith("dead/")) {
        hanging += 1;
        assert.ok(hanging <= 2, `${hanging} of 4 hang`);
        await holding.promise;
        hanging -= 1;
      }
      done.push(id);
      return "done";
    });
    const dead = Array.from({ length: 12 }, (_, index) => `dead/${index}`);
    const alive = Array.from({ length: 6 }, (_, index) => `alive/${index}`);
    await enqueueAll([...dead, ...alive]);
    await until(() => done.length === alive.length, "all work of the other account is done");
    await until(() => hanging === 2, "the share is used");
    holding.resolve();
    await until(() => done.length === dead.length + alive.length, "what waited is done");
  });

  it("leaves room for other organizations when many accounts of one hang", async (t) => {
    const holding = Promise.withResolvers<void>();
    t.after(() => holding.resolve());
    t.after(stopAll);
    const other = await db.transaction((tx) => createOrganization(tx, "Other", null));
    const hanging: string[] = [];
    const done: string[] = [];
    await start(async ({ id }) => {
      if (id.startsWith("dead")) {
        hanging.push(id);
        await holding.promise;
      }
      done.push(id);
      return "done";
    });
    const dead = Array.from({ length: 20 }, (_, index) => `dead-${index}/1`);
    await enqueueAll(dead);
    await until(() => hanging.length === 3, "the organization has its share");
    const alive = Array.from({ length: 5 }, (_, index) => `alive/${index}`);
    await enqueueAll(alive, other.organizationId);
    await until(() => done.length === alive.length, "the other organization's work is done");
    const ready = await Promise.all(dead.map(find));
    assert.equal(
      ready.filter((row) => row?.state === "ready").length,
      dead.length - 3,
      "the others stay ready",
    );
    assert.equal(hanging.length, 3);
    holding.resolve();
    await until(() => done.length === dead.length + alive.length, "what waited is done");
  });

  it("keeps trying one of an account's entities while its cloud is away, and all once it is back", async (t) => {
    t.after(stopAll);
    let isAway = true;
    await start(
      async () => {
        if (isAway) throw NO_ANSWER;
        return await Promise.resolve("done" as const);
      },
      () => 1 - Number.EPSILON,
    );
    const ids = Array.from({ length: 8 }, (_, index) => `away/${index}`);
    await db.transaction(async (tx) => {
      for (const id of ids) {
        await jobs.enqueue(tx, KIND, { organizationId, id });
        await tx.query(FAIL_OFTEN, [id]);
      }
    });
    const rows = await until(async () => {
      const found = await Promise.all(ids.map(find));
      return found.every((row) => (row?.attempts ?? 0) > 12) && found;
    }, "all have failed once more");
    const waitsMs = rows.map((row) => row?.inMs ?? 0).toSorted((a, b) => a - b);
    assert.ok((waitsMs[0] ?? Infinity) <= 10_000, `${waitsMs[0]} ms until the first is tried again`);
    assert.ok((waitsMs.at(-1) ?? 0) > 200_000, `${waitsMs.at(-1)} ms until the last is`);
    isAway = false;
    await db.query(FALL_DUE);
    await until(async () => {
      const found = await Promise.all(ids.map(find));
      return found.every((row) => row === undefined);
    }, "all are done, without waiting for the end of their backoff");
  });

  it("does not retry entities sooner that fail for their own reason", async (t) => {
    t.after(stopAll);
    await start(async () => await Promise.reject(new Error("a defect")));
    await db.transaction(async (tx) => {
      await jobs.enqueue(tx, KIND, { organizationId, id: "alone/1" });
      await tx.query(FAIL_OFTEN, ["alone/1"]);
    });
    const row = await until(async () => {
      const found = await find("alone/1");
      return found !== undefined && found.attempts > 12 && found;
    }, "it has failed once more");
    assert.ok(row.inMs > 100_000, `${row.inMs} ms`);
  });

  it("aborts running steps when it drains, waits for their end, and takes no new work", async (t) => {
    t.after(stopAll);
    let looks = 0;
    let heard = false;
    const worker = await start(async (_ref, signal) => {
      looks += 1;
      if (!signal.aborted) await once(signal, "abort");
      heard = true;
      return { runAfterMs: 0 };
    });
    await enqueue("draining");
    await until(() => looks === 1, "the step is under way");
    await worker.drain();
    assert.equal(heard, true);
    assert.equal(looks, 1);
    const left = await find("draining");
    assert.ok(left !== undefined && left.inMs <= 0, "the next worker finds it due");
  });

  it("takes over from a silent worker, whose late result is ignored", async (t) => {
    const frozen = Promise.withResolvers<void>();
    t.after(() => frozen.resolve());
    t.after(stopAll);
    const signals: AbortSignal[] = [];
    await start(async (_ref, signal) => {
      signals.push(signal);
      if (signals.length > 1) return { runAfterMs: 3_600_000 };
      await frozen.promise;
      return "done";
    });
    await enqueue("silent");
    await until(() => signals.length === 1, "the first has it");
    await until(async () => {
      if (signals.length === 1) await db.query(END_LEASE, ["silent"]);
      return signals.length === 2;
    }, "another turn has it");
    await until(async () => (await find("silent"))?.state === "waiting", "the second turn has ended");
    await until(() => signals[0]?.aborted === true, "the first worker notices the loss");
    frozen.resolve();
    await enqueue("after");
    await until(async () => (await find("after"))?.state === "waiting", "others continue");
    const row = await find("silent");
    assert.ok(row !== undefined && row.inMs > 3_000_000, "what the second said stands");
  });

  it("gives up a step that never ends, with its slot, and repeats it", async (t) => {
    t.after(stopAll);
    const signals: AbortSignal[] = [];
    await start(
      async (_ref, signal) => {
        signals.push(signal);
        if (signals.length > 1) return "done";
        return await new Promise<never>(() => undefined);
      },
      () => 0,
      1,
    );
    await enqueue("endless-step");
    await until(() => signals[0]?.aborted === true, "the step is aborted");
    await until(async () => {
      await db.query(END_LEASE, ["endless-step"]);
      return (await find("endless-step")) === undefined;
    }, "another turn has done it");
  });

  it("holds its claims for as long as their steps take", async (t) => {
    t.after(stopAll);
    await enqueue("long");
    const claims = await createClaiming(db, "work")(4, createShares(4).room());
    assert.equal(claims.length, 1);
    await db.query(END_LEASE, ["long"]);
    assert.deepEqual(await extendClaims(db, claims), []);
    const row = await find("long");
    assert.ok(row !== undefined && row.inMs > 5_000, `${row?.inMs} ms`);
    await db.query(TAKE_AWAY, ["long"]);
    assert.deepEqual(await extendClaims(db, claims), claims, "another has it");
  });

  it("that has nothing to do drains at once", async (t) => {
    t.after(stopAll);
    const worker = await start(async () => "done");
    const startedAt = performance.now();
    await worker.drain();
    assert.ok(performance.now() - startedAt < 10_000, "without waiting for steps, which get 25 seconds");
  });

  it("takes over a dead process's jobs at once if it is the only possible worker", async (t) => {
    t.after(stopAll);
    await enqueue("orphaned");
    // As a worker does that is killed with the claim in its hands.
    const claims = await createClaiming(db, "work")(4, createShares(4).room());
    assert.deepEqual(
      claims.map(({ id }) => id),
      ["orphaned"],
    );

    let looks = 0;
    await start(async () => {
      looks += 1;
      return "done";
    });
    await enqueue("another");
    await until(() => looks === 1, "the other is looked at");
    assert.ok((await find("orphaned")) !== undefined, "its claim is still the dead one's");
    await takeOverClaims(db);
    await until(async () => (await find("orphaned")) === undefined, "it is looked at");
  });
});

const FIND = readStatement<{ attempts: number; inMs: number; state: string }>(
  "test_find_reconciliation",
  `SELECT attempts, state, (extract(epoch FROM due_at - now()) * 1000)::float8 AS "inMs"
     FROM reconciliations WHERE entity_id = $1`,
);
const INSERT_ROUTINE = writeStatement(
  "test_insert_routine",
  `INSERT INTO reconciliations (organization_id, kind, entity_id, state, due_at)
   VALUES ($1, $2, $3, 'ready', now() - interval '1 minute')`,
);
/** Entities that are left over would be another test's work. */
const FORGET = writeStatement("test_forget_reconciliations", "DELETE FROM reconciliations");
/** As if it had failed for an hour. */
const FAIL_OFTEN = writeStatement(
  "test_fail_often",
  "UPDATE reconciliations SET attempts = 12 WHERE entity_id = $1",
);
/** As if the time until the next try had passed. */
const FALL_DUE = writeStatement(
  "test_fall_due",
  "UPDATE reconciliations SET due_at = now() WHERE due_at = (SELECT min(due_at) FROM reconciliations)",
);
/** As if its worker had been silent for the time of a lease. */
const END_LEASE = writeStatement(
  "test_end_lease",
  "UPDATE reconciliations SET due_at = now() - interval '1 second' WHERE entity_id = $1 AND state = 'claimed'",
);
const TAKE_AWAY = writeStatement(
  "test_take_away",
  "UPDATE reconciliations SET claim = claim + 1 WHERE entity_id = $1",
);
const TICK = readStatement("test_tick", "SELECT 1");
