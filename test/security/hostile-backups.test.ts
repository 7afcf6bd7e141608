/** Backup files that Slipway did not write. Each is refused in one sentence, and leaves nothing. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { takeOwnServer } from "../../src/cli/backup/own-server.ts";
import { openBackup } from "../../src/cli/backup/read-backup.ts";
import { createTally } from "../../src/db/copy/tally.ts";
import { fail } from "../helpers/processes/operator-commands.ts";
import { makeTempDir } from "../helpers/template.ts";
import { checksumOf, readMigrations } from "../../src/db/migrate.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";
import { toLines } from "../../src/lib/shown-text.ts";

const IS_FULL = process.env["SLIPWAY_TEST_FULL"] === "1";

type Table = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
};
type Content = {
  readonly header?: object;
  readonly tables?: readonly Table[];
  readonly sequences?: readonly object[];
};

describe("a backup file of an attacker", () => {
  let folder: string;
  let header: object;
  before(async () => {
    folder = await makeTempDir("hostile-backups");
    // Of an installation that had the first tables only: a restore makes those of the backup.
    const schema = (await readMigrations())
      .slice(0, 1)
      .map((one) => ({ name: one.name, checksum: checksumOf(one) }));
    header = { slipwayBackup: 1, release: "1.0.0", madeAt: "2026-01-01", schema, keys: [], signedWith: "x" };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A file whose sums fit, as someone makes it who knows the format. */
  function forge({ header: changes = {}, tables = [], sequences = [] }: Content): Buffer {
    const lines: string[] = [JSON.stringify({ ...header, ...changes })];
    let rows = 0;
    for (const { table, columns, rows: own } of tables) {
      const tally = createTally();
      tally.add(own);
      rows += own.length;
      lines.push(
        JSON.stringify({ table, columns }),
        ...own,
        JSON.stringify({ end: table, ...tally.result() }),
      );
    }
    lines.push(JSON.stringify({ sequences }));
    const checksum = createHash("sha256")
      .update(`${lines.join("\n")}\n`)
      .digest("hex");
    lines.push(JSON.stringify({ complete: { tables: tables.length, rows, checksum, signature: "x" } }));
    return gzipSync(`${lines.join("\n")}\n`);
  }

  let count = 0;
  /** Restores a file without its keys, as an operator does. @returns the error that the operator sees */
  async function restore(bytes: Buffer): Promise<string> {
    count += 1;
    const dataDir = path.join(folder, `data-${count}`);
    await mkdir(dataDir);
    const file = path.join(folder, `${count}.slipway`);
    await writeFile(file, bytes);
    const said = await fail({ SLIPWAY_DATA_DIR: dataDir }, "restore", "--from", file, "--without-keys");
    assert.equal(toLines(said), said, "nothing that changes a terminal");
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => /^(?:database|host)/.test(name)),
      [],
      "nothing is left",
    );
    return said;
  }

  it("with lines that are not as Slipway writes them is damaged", async () => {
    const broken = /is damaged: a line of it (?:cannot be read|is not as Slipway writes it)/;
    assert.match(await restore(gzipSync('{"slipwayBackup":1\n')), broken);
    assert.match(await restore(gzipSync('{"slipwayBackup":1,"release":{}}\n')), broken);
    for (const changes of [{ schema: "all" }, { schema: [{ name: 1 }] }, { keys: null }, { signedWith: [] }])
      assert.match(await restore(forge({ header: changes })), broken);
    assert.match(await restore(gzipSync(`${JSON.stringify(header)}\n{"table":\n`)), broken);
    assert.match(
      await restore(gzipSync(`${JSON.stringify(header)}\n{"table":"users","columns":"id"}\n`)),
      broken,
    );
    assert.match(await restore(forge({ sequences: [{ name: "x", value: 1, isCalled: true }] })), broken);
  });

  it("does not change the operator's terminal", async () => {
    const release = "\u001b[2J\u001b]0;owned\u0007\u202e1.0.0";
    assert.match(await restore(forge({ header: { slipwayBackup: 2, release } })), /has format 2/);
    const name = "9999_\u001b[31m.sql";
    assert.match(
      await restore(forge({ header: { schema: [{ name, checksum: "x" }] } })),
      /has the migration 9999_\[31m\.sql, which this release does not know/,
    );
  });

  it("with a line that does not fit into memory is damaged, although the file is small", async () => {
    assert.match(
      await restore(gzipSync(Buffer.alloc(100_000_000, "a"))),
      /is damaged: a line of it is too long/,
    );
  });

  it("runs no SQL by the names of its tables, columns and sequences", async () => {
    const quoted = 'users" (id) VALUES (1); DROP TABLE users; --';
    assert.match(
      await restore(forge({ tables: [{ table: quoted, columns: ["id"], rows: ["[1]"] }] })),
      /The database has no table users" \(id\)/,
    );
    assert.match(
      await restore(forge({ tables: [{ table: "users", columns: ['id") SELECT 1; --'], rows: ["[1]"] }] })),
      /The table users has no column id"\) SELECT/,
    );
    assert.match(
      await restore(forge({ sequences: [{ name: 'x"; DROP TABLE users; --', value: "1", isCalled: true }] })),
      /The sequence x"; DROP TABLE users; -- cannot take what the copy has for it/,
    );
  });

  const files = (...rows: readonly (readonly unknown[])[]) => ({
    table: "host.files",
    columns: ["path", "part", "kind", "mode", "content"],
    rows: rows.map((row) => JSON.stringify(row)),
  });
  const content = Buffer.from("owned").toString("base64");

  /** Writes what a file has of an own server, as a restore does in its database's transaction. @returns the error */
  async function writeOwnServer(bytes: Buffer): Promise<string> {
    count += 1;
    const to = path.join(folder, `host-${count}`);
    const file = path.join(folder, `${count}.slipway`);
    await writeFile(file, bytes);
    const backup = await openBackup(file, () => true);
    const part = takeOwnServer(backup.source, to, true);
    const write = async (): Promise<void> => {
      for await (const { name } of part.source.tables()) assert.fail(`${name} is for the database`);
      await part.source.sequences();
    };
    const said = await write().then(
      () => assert.fail("it was written"),
      (error: unknown) => (error instanceof OperatorError ? error.message : Promise.reject(error as Error)),
    );
    await part.discard();
    await backup.close();
    const left = (await readdir(folder)).filter((name) => name.startsWith(path.basename(to)));
    assert.deepEqual(left, [], "nothing is left");
    return said;
  }
  /** A restore makes a database, which takes long: of several backups with one fault, the gate restores the first. */
  const refuse = (nth: number) => (nth === 0 || IS_FULL ? restore : writeOwnServer);

  for (const [nth, place] of [
    "../owned",
    "/tmp/owned",
    "platform/builds/../../../owned",
    "sandbox.db",
    "platform/builds",
  ].entries())
    it(`writes no file beside the folder of an own server: ${place}`, async () => {
      assert.match(
        await refuse(nth)(forge({ tables: [files([place, "0", "file", "644", content])] })),
        /is damaged: it has a file at/,
      );
      assert.ok(!(await readdir(folder)).includes("owned"));
    });

  for (const [nth, [what, more]] of (
    [
      ["a file below it", ["platform/builds/b/link/owned", "0", "file", "644", content]],
      ["a folder in its place", ["platform/builds/b/link", "0", "folder", "755", ""]],
      ["numbers", [1, 2, 3]],
    ] as const
  ).entries())
    it(`writes no file through a link: ${what}`, async () => {
      const folders = [
        ["platform/builds/b", "0", "folder", "755", ""],
        ["platform/builds/b/link", "0", "link", "777", folder],
      ];
      assert.match(
        await refuse(nth)(forge({ tables: [files(...folders, more)] })),
        /The server's folder in the backup is damaged: a (?:row|link) of it/,
      );
      assert.ok(!(await readdir(folder)).includes("owned"));
    });

  it("writes no document of an own server twice", async () => {
    const documents = {
      table: "host.documents",
      columns: ["collection", "id", "body"],
      rows: ['["a","b","c"]', '["a","b","c"]'],
    };
    assert.match(await restore(forge({ tables: [documents] })), /is damaged: a row of it/);
  });

  it("with rows that its tables cannot take is refused without repeating them", async () => {
    for (const row of ["[1", '["org_1","user_1"]']) {
      const said = await restore(
        forge({ tables: [{ table: "users", columns: ["organization_id", "id"], rows: [row] }] }),
      );
      assert.match(said, /The table users cannot take what the copy has for it \(PostgreSQL's error \w{5}\)/);
      assert.ok(!said.includes(row));
    }
  });
});
