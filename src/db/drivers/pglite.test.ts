/** The embedded database in its process: what a caller sees of it, and of its end. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { childrenOf } from "../../../test/helpers/processes/children.ts";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { until } from "../../../test/helpers/until.ts";
import { FolderError } from "../../lib/operator-error.ts";
import {
  type Database,
  DatabaseError,
  DatabaseUnavailableError,
  isUniqueViolation,
  readStatement,
  writeStatement,
} from "../database.ts";
import { openPgliteDatabase } from "./pglite.ts";

const DRIVER = path.join(import.meta.dirname, "pglite.ts");
const INSERT = writeStatement("kept_insert", "INSERT INTO kept (id) VALUES ($1)");
const LIST = readStatement<{ id: number }>("kept_list", "SELECT id FROM kept ORDER BY id");
const FIND = readStatement<{ id: number }>("kept_find", "SELECT id FROM kept WHERE id = $1");
const DIVIDE = readStatement<{ share: number }>("divide", "SELECT 1 / $1::int AS share");
const ECHO = readStatement<{ text: string; bytes: Buffer }>(
  "echo",
  "SELECT $1::text AS text, $2::bytea AS bytes",
);
const COUNT_LONG = readStatement<{ count: number }>(
  "count_long",
  "SELECT count(*)::int AS count FROM generate_series(1, 2000000) AS n WHERE n % 7 = 0",
);
const DEEP = readStatement("deep", `SELECT ${"1 + ".repeat(20_000)}1`);

const procOnly = { skip: process.platform !== "linux" && "processes are found in /proc" };

describe("the embedded database", () => {
  let folder: string;
  let db: Database;
  const errors: unknown[] = [];
  const open = () => openPgliteDatabase({ folder, onError: (error) => errors.push(error) });
  /** Its process: the files of a suite share this one, which may have other children. */
  const children = () =>
    childrenOf(process.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder));
  const listed = async () => (await db.query(LIST)).map(({ id }) => id);

  before(async () => {
    folder = path.join(await makeTempDir("pglite"), "database");
    await copyPgliteTemplate(folder);
    db = await open();
    await db.execute("CREATE TABLE kept (id int PRIMARY KEY)");
  });
  after(async () => {
    await db.close();
    await rm(path.dirname(folder), { recursive: true, force: true });
  });

  it("does not block this thread while it works", async () => {
    let turns = 0;
    const counted = db.query(COUNT_LONG).then((rows) => {
      assert.ok(turns > 1_000, `${turns} turns`);
      return rows;
    });
    void (async () => {
      for (; turns <= 1_000; turns += 1) await turn();
    })();
    assert.deepEqual(await counted, [{ count: 285_714 }]);
  });

  it("takes and gives values of several megabytes", async () => {
    const text = "ä$'\\ 1".repeat(1_000_000);
    const bytes = Buffer.alloc(5_000_000, "\0\u0001X");
    const [found] = await db.query(ECHO, [text, bytes]);
    assert.ok(found?.text === text);
    assert.ok(found?.bytes.equals(bytes));
  });

  it("serves many callers at once, each with its own rows and errors", async () => {
    const ids = Array.from({ length: 300 }, (_, index) => index);
    await Promise.all(
      ids.map(async (id) => {
        await db.transaction(async (tx) => {
          tx.send(INSERT, [id]);
          assert.deepEqual(await tx.query(FIND, [id]), [{ id }]);
        });
        const [found, refused] = await Promise.allSettled([db.query(FIND, [id]), db.query(INSERT, [id])]);
        assert.deepEqual(found, { status: "fulfilled", value: [{ id }] });
        assert.ok(refused.status === "rejected" && isUniqueViolation(refused.reason));
      }),
    );
    assert.deepEqual(await listed(), ids);
    assert.deepEqual(db.pool(), { open: 1, idle: 1, waiting: 0 });
  });

  it("lets no reader see a transaction before its end, nor another's error", async () => {
    const seen = new Set<number>();
    const written = new AbortController();
    const read = async (): Promise<void> => {
      while (!written.signal.aborted) {
        const [found, refused] = await Promise.allSettled([db.query(LIST), db.query(DIVIDE, [0])]);
        assert.ok(found.status === "fulfilled" && refused.status === "rejected");
        assert.ok(refused.reason instanceof DatabaseError);
        seen.add(found.value.length);
      }
    };
    const before = (await listed()).length;
    const readers = Array.from({ length: 4 }, read);
    for (let id = 500; id < 540; id += 2) {
      await db.transaction(async (tx) => {
        await tx.query(INSERT, [id]);
        await tx.query(INSERT, [id + 1]);
      });
    }
    written.abort();
    await Promise.all(readers);
    assert.ok(seen.size > 1, "they read in between");
    assert.deepEqual(
      [...seen].filter((count) => (count - before) % 2 !== 0),
      [],
    );
  });

  it("refuses statements after their transaction has ended, and others are served", async () => {
    const { promise: ended, resolve: tellEnd } = Promise.withResolvers<undefined>();
    let goingOn: Promise<unknown> = Promise.resolve();
    const failing = db.transaction(async (tx) => {
      goingOn = (async () => {
        await tx.query(LIST);
        await ended;
        tx.send(INSERT, [77]);
      })();
      await tx.query(LIST);
      throw new Error("what runs beside it fails");
    });
    await assert.rejects(failing, /what runs beside it fails/);
    const before = await listed();
    tellEnd(undefined);
    await assert.rejects(goingOn, /The transaction has ended/);
    assert.deepEqual(await listed(), before);
  });

  it("notifies listeners, until they stop listening", async () => {
    const received: string[] = [];
    const first = await db.listen("news", (payload) => void received.push(`first ${payload}`));
    const second = await db.listen("news", (payload) => void received.push(`second ${payload}`));
    db.notify("news", "a");
    await until(() => received.length === 2, "both are notified");
    await first.close();
    db.notify("other", "nobody");
    db.notify("news", "b");
    await until(() => received.length === 3, "one is notified");
    await second.close();
    db.notify("news", "c");
    await db.transaction(async (tx) => tx.notify("news", "d"));
    const last = await db.listen("end", () => void received.push("end"));
    db.notify("end", "");
    await until(() => received.includes("end"), "the last message");
    await last.close();
    assert.deepEqual(received, ["first a", "second a", "second b", "end"]);
  });

  it("keeps what was committed when it is closed and opened again", async () => {
    const before = await listed();
    await db.close();
    db = await open();
    assert.deepEqual(await listed(), before);
    assert.deepEqual(errors, []);
  });

  it("waits for a process that still has the files", async () => {
    const next = open();
    await db.query(COUNT_LONG);
    await db.query(INSERT, [1_000]);
    await db.close();
    db = await next;
    assert.deepEqual(await db.query(FIND, [1_000]), [{ id: 1_000 }]);
  });

  it("loses nothing that was acknowledged when its process is killed, and continues", procOnly, async () => {
    const received: string[] = [];
    const listener = await db.listen("after", (payload) => void received.push(payload));
    const acknowledged: number[] = [];
    let next = 2_000;
    let lost = 0;
    const write = async (): Promise<void> => {
      while (lost === 0) {
        const id = (next += 1);
        try {
          await db.transaction((tx) => {
            tx.send(INSERT, [id]);
            return Promise.resolve();
          });
          acknowledged.push(id);
        } catch (error) {
          assert.ok(error instanceof DatabaseUnavailableError, String(error));
          lost += 1;
        }
      }
    };
    const writers = Array.from({ length: 8 }, write);
    await until(() => acknowledged.length > 100, "writes are under way");
    const [pid = 0, ...others] = children();
    assert.deepEqual(others, []);
    process.kill(pid, "SIGKILL");
    await Promise.all(writers);
    const kept = new Set(await listed());
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    );
    db.notify("after", "heard");
    await until(() => received.includes("heard"), "the listener hears again");
    await listener.close();
    assert.match(errors.splice(0).join(), /The process of the embedded database ended: .*SIGKILL/);
  });

  it("listens again when its process is killed while it is idle", procOnly, async () => {
    const received: string[] = [];
    const listener = await db.listen("idle", (payload) => void received.push(payload));
    const [pid = 0] = children();
    process.kill(pid, "SIGKILL");
    await until(() => children().some((child) => child !== pid) && db.pool().idle === 1, "it runs again");
    db.notify("idle", "heard");
    await until(() => received.includes("heard"), "the listener hears again");
    await listener.close();
    errors.length = 0;
  });

  it("ignores the signals that a terminal or a service manager sends to all", procOnly, async () => {
    const [pid = 0] = children();
    const counted = db.query(COUNT_LONG);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"]) process.kill(pid, signal);
    await counted;
    await db.query(COUNT_LONG);
    assert.deepEqual(children(), [pid]);
    assert.deepEqual(errors, []);
  });

  it("begins anew after an error that leaves its memory in an unknown state", async () => {
    const before = await listed();
    await assert.rejects(db.query(DEEP), DatabaseUnavailableError);
    assert.deepEqual(await listed(), before);
    assert.match(errors.splice(0).join(), /ended: Maximum call stack size exceeded/);
  });

  it("survives kill -9 of its Slipway in the middle of a transaction, and opens at once", async () => {
    const own = path.join(await makeTempDir("pglite"), "database");
    await copyPgliteTemplate(own);
    const script = `
      const { openPgliteDatabase } = await import(${JSON.stringify(DRIVER)});
      const db = await openPgliteDatabase({ folder: ${JSON.stringify(own)} });
      await db.execute("CREATE TABLE kept (id int PRIMARY KEY); INSERT INTO kept VALUES (1)");
      await db.transaction(async (tx) => {
        await tx.executeSql("INSERT INTO kept VALUES (2)");
        const counted = tx.executeSql(${JSON.stringify(COUNT_LONG.text)});
        console.log("working");
        await counted;
        await new Promise(() => setInterval(() => {}, 1e6));
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(createInterface(child.stdout), "line");
    child.kill("SIGKILL");
    const reopened = await openPgliteDatabase({ folder: own });
    assert.deepEqual(await reopened.query(LIST), [{ id: 1 }]);
    await reopened.close();
    await rm(path.dirname(own), { recursive: true, force: true });
  });

  it("that is damaged is refused, with its folder", async () => {
    const own = path.join(await makeTempDir("pglite"), "database");
    await copyPgliteTemplate(own);
    await writeFile(path.join(own, "global", "pg_control"), "nothing");
    await assert.rejects(
      openPgliteDatabase({ folder: own }),
      (error) =>
        error instanceof FolderError &&
        error.message.startsWith(`The embedded database cannot be opened in ${own}`),
    );
    await rm(path.dirname(own), { recursive: true, force: true });
  });

  it("refuses a statement without losing its connection", procOnly, async () => {
    const before = children();
    await assert.rejects(db.execute("SELECT nothing FROM nowhere"), DatabaseError);
    await assert.rejects(db.query(INSERT, ["no number"]), DatabaseError);
    assert.deepEqual(children(), before);
  });
});
