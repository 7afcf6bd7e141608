/** What both databases promise of statements that a transaction sends and does not wait for. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type Database,
  DatabaseError,
  isUniqueViolation,
  readStatement,
  writeStatement,
} from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { makeTempDir } from "../helpers/template.ts";

const INSERT = writeStatement<{ id: number }>(
  "sent_insert",
  "INSERT INTO sent (id) VALUES ($1) RETURNING id",
);
const LIST = readStatement<{ id: number }>("sent_list", "SELECT id FROM sent ORDER BY id");
const DIVIDE = readStatement<{ share: number }>("sent_divide", "SELECT 1 / $1::int AS share");

describe("statements that a transaction sends", () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("sent");
    const connectionString = process.env["SLIPWAY_TEST_POSTGRES"];
    db =
      connectionString === undefined
        ? await openPgliteDatabase({ folder: path.join(folder, "database") })
        : createPostgresDatabase({ connectionString, poolSize: 2, onError: () => undefined });
    await db.execute("CREATE TABLE sent (id int PRIMARY KEY)");
  });
  after(async () => {
    await db.execute("DROP TABLE sent");
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const listed = async () => (await db.query(LIST)).map(({ id }) => id);

  it("are committed, and their rows arrive before it ends", async () => {
    const rows: number[] = [];
    const onRows = (found: { id: number }[]) => void rows.push(...found.map(({ id }) => id));
    const result = await db.transaction((tx) => {
      tx.send(INSERT, [1], { onRows });
      tx.send(INSERT, [2], { onRows });
      return Promise.resolve("done");
    });
    assert.equal(result, "done");
    assert.deepEqual(rows, [1, 2]);
    assert.deepEqual(await listed(), [1, 2]);
  });

  it("fail it with the translated first failure, and leave nothing", async () => {
    const before = await listed();
    const refused = db.transaction((tx) => {
      tx.send(INSERT, [3]);
      tx.send(INSERT, [3], {
        onFailure: (error) => {
          throw isUniqueViolation(error) ? new Error("It is there.") : error;
        },
      });
      tx.send(DIVIDE, [0]);
      return Promise.resolve();
    });
    await assert.rejects(refused, /^Error: It is there\.$/);
    assert.deepEqual(await listed(), before);
  });

  it("fail it in the same way if a later statement is awaited", async () => {
    const before = await listed();
    const refused = db.transaction(async (tx) => {
      tx.send(INSERT, [4]);
      tx.send(INSERT, [4], {
        onFailure: (error) => {
          throw isUniqueViolation(error) ? new Error("It is there.") : error;
        },
      });
      await tx.query(DIVIDE, [1]);
    });
    await assert.rejects(refused, /^Error: It is there\.$/);
    assert.deepEqual(await listed(), before);
  });

  it("do not hide the error of an awaited statement", async () => {
    const refused = db.transaction(async (tx) => {
      tx.send(INSERT, [5]);
      await tx.query(DIVIDE, [0]);
    });
    await assert.rejects(refused, (error) => error instanceof DatabaseError && error.code === "22012");
  });

  it("are rolled back if the work throws", async () => {
    const before = await listed();
    const refused = db.transaction((tx) => {
      tx.send(INSERT, [6]);
      return Promise.reject(new Error("No."));
    });
    await assert.rejects(refused, /^Error: No\.$/);
    assert.deepEqual(await listed(), before);
  });
});
