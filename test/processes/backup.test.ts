/**
 * An operator makes backups of an installation in the middle of its work, and continues with one on another machine: in
 * the embedded database, or on PostgreSQL where `SLIPWAY_TEST_POSTGRES` names a server.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { finishInFlight, leaveInFlight, type WorkInFlight } from "../helpers/customers/work-in-flight.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import * as operator from "../helpers/processes/operator-commands.ts";
import { cleanEnv, type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { mountSmallDisk } from "../helpers/processes/small-disk.ts";
import { createEmptyPostgres, makeTempDir, type TestDatabase } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { type Receiver, startReceiver } from "../helpers/webhooks/receiver.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

describe("a backup", () => {
  const databases: TestDatabase[] = [];
  let folder: string;
  let receiver: Receiver;
  let service: ServiceProcess;
  let work: WorkInFlight;
  let env: Record<string, string>;
  let file: string;

  /** The variables of an installation of its own. */
  async function machine(name: string): Promise<Record<string, string>> {
    const dataDir = path.join(folder, name);
    await mkdir(dataDir);
    const variables = { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY };
    return adminUrl === undefined ? variables : { ...variables, DATABASE_URL: await emptyDatabase(adminUrl) };
  }
  async function emptyDatabase(url: string): Promise<string> {
    const database = await createEmptyPostgres(url);
    databases.push(database);
    return database.url;
  }
  async function start(variables: Record<string, string>): Promise<ApiClient> {
    service = await startProcess(variables);
    return createApiClient(service.url, ADMIN_KEY);
  }
  async function kill(): Promise<void> {
    service.process.kill("SIGKILL");
    await service.ended;
  }
  const succeed = async (args: readonly string[], variables = env) =>
    await operator.succeed(variables, ...args);
  const fail = async (args: readonly string[], variables = env) => await operator.fail(variables, ...args);
  /** A key folder with the keys of the installation, as its operator has them elsewhere. */
  async function bringKeys(to: Record<string, string>): Promise<void> {
    const [from, into] = [env, to].map((one) => path.join(one["SLIPWAY_DATA_DIR"] ?? "", "keys"));
    await cp(from ?? "", into ?? "", { recursive: true });
  }

  before(async () => {
    folder = await makeTempDir("backup");
    receiver = await startReceiver();
    env = await machine("first");
    file = path.join(folder, "first.slipway");
    const client = await start(env);
    work = await leaveInFlight(client, receiver);
  });
  after(async () => {
    await kill();
    await receiver.close();
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it("is made while the service runs on PostgreSQL; the embedded database has to be free", async () => {
    if (adminUrl === undefined) {
      assert.match(await fail(["backup", "--to", file]), /is in use by another Slipway process/);
      await kill();
      await succeed(["backup", "--to", file]);
    } else {
      await succeed(["backup", "--to", file]);
      await kill();
    }
    assert.equal((await stat(file)).mode & 0o077, 0, "no other user can read it");
  });

  it("never replaces a file", async () => {
    const before = await readFile(file);
    assert.match(await fail(["backup", "--to", file]), /first\.slipway exists\. A backup replaces no file/);
    assert.match(await fail(["backup", "--to", folder]), /exists/);
    assert.match(await fail(["backup", "--to", path.join(file, "x")]), /a part of its path is a file/);
    assert.deepEqual(await readFile(file), before);
  });

  it("says what it consists of, and has no key and no readable secret", async () => {
    const text = gunzipSync(await readFile(file)).toString("utf8");
    const header = JSON.parse(text.slice(0, text.indexOf("\n")));
    assert.equal(header.slipwayBackup, 1);
    assert.ok(header.schema.some(({ name }: { name: string }) => name === "0001_foundation.sql"));
    assert.deepEqual(
      header.keys.map((key: { file: string }) => key.file),
      ["at-rest.key"],
    );
    for (const table of [
      "organizations",
      "reconciliations",
      "env_variable_run_items",
      "events",
      "event_outbox",
    ])
      assert.ok(text.includes(`{"table":"${table}"`), table);
    const keys = path.join(env["SLIPWAY_DATA_DIR"] ?? "", "keys");
    const secrets = [ADMIN_KEY, work.storedKey, work.webhookSecret.replace("whsec_", ""), '"t-1"', '"p-1"'];
    for (const name of (await readdir(keys)).filter((one) => one.endsWith(".key")))
      secrets.push((await readFile(path.join(keys, name), "utf8")).split("\n")[1] ?? "?");
    for (const secret of secrets) assert.ok(!text.includes(secret));
    assert.ok(text.includes(work.domainId), "the search would find them");
  });

  it("is verified by a restore into a scratch database, and by opening what is sealed", async () => {
    assert.match(
      await succeed(["backup", "verify", file]),
      /The backup is complete: \d+ rows of \d+ tables.*, and 2 sealed values that open/,
    );
    if (adminUrl === undefined) return;
    const scratch = await emptyDatabase(adminUrl);
    for (let night = 0; night < 2; night += 1)
      await succeed(["backup", "verify", file, "--scratch", scratch]);
    assert.match(
      await fail(["backup", "verify", file, "--scratch", env["DATABASE_URL"] ?? ""]),
      /is not empty: its table \w+ has rows/,
    );
  });

  describe("that is of no use", () => {
    let other: Record<string, string>;
    let whole: Buffer;
    before(async () => {
      other = await machine("other");
      await bringKeys(other);
      whole = await readFile(file);
    });
    async function refused(name: string, bytes: Buffer | string): Promise<string> {
      const damaged = path.join(folder, name);
      await writeFile(damaged, bytes);
      return await fail(["restore", "--from", damaged], other);
    }
    function changed(how: (text: string) => string): Buffer {
      const before = gunzipSync(whole).toString("utf8");
      const after = how(before);
      assert.notEqual(after, before);
      return gzipSync(after);
    }

    it("because it is cut off, is refused", async () => {
      for (const part of [0.1, 0.5, 0.99])
        assert.match(
          await refused("cut", whole.subarray(0, whole.length * part)),
          /is damaged: it is not complete/,
        );
      const lines = gunzipSync(whole).toString("utf8").trimEnd().split("\n");
      for (const count of [lines.length - 1, 5])
        assert.match(
          await refused("without-end", gzipSync(`${lines.slice(0, count).join("\n")}\n`)),
          /is damaged: it is not complete/,
        );
    });
    it("because bytes of it were changed, is refused", async () => {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1);
      assert.match(await refused("flipped", flipped), /is damaged/);
      const renamed = changed((text) =>
        text.replace("www.in-flight.example.com", "www.evil-host.example.com"),
      );
      assert.match(await refused("renamed", renamed), /the rows of \w+ are not as they were written/);
      const sequence = changed((text) => text.replace(/"value":"\d+"/, '"value":"1000000"'));
      assert.match(await refused("sequence", sequence), /it is not as it was written/);
    });
    it("because its signature is another's, is refused", async () => {
      const forged = changed((text) =>
        text.replace(/"signature":"\w/, (found) => `${found.slice(0, -1)}${found.endsWith("0") ? "1" : "0"}`),
      );
      assert.match(await refused("forged", forged), /was changed after it was made: its signature/);
    });
    it("because it is not a backup, or of another time, is refused", async () => {
      assert.match(await refused("text", "hello"), /is not a backup of Slipway/);
      assert.match(await refused("zipped", gzipSync("hello\n")), /is not a backup of Slipway/);
      const later = changed((text) => text.replace('{"slipwayBackup":1', '{"slipwayBackup":2'));
      assert.match(
        await refused("later", later),
        /has format 2, which this release cannot read\. Use Slipway/,
      );
      const newer = changed((text) =>
        text.replace('"schema":[', '"schema":[{"name":"9999_x.sql","checksum":"x"},'),
      );
      assert.match(
        await refused("newer", newer),
        /has the migration 9999_x\.sql, which this release does not know/,
      );
      assert.match(
        await fail(["restore", "--from", path.join(folder, "none")], other),
        /there is no such file/,
      );
    });
    it("because the keys are others, is refused, unless its operator accepts that", async () => {
      const stranger = await machine("stranger");
      assert.match(
        await fail(["restore", "--from", file], stranger),
        /does not have the backup's keys \(at-rest\.key\)\. Copy them there/,
      );
      assert.match(
        await succeed(["restore", "--from", file, "--without-keys"], stranger),
        /These keys are missing.*git tokens, secrets of webhooks, and URLs of notification channels/s,
      );
      assert.match(
        await fail(["restore", "--from", file, "--without-keys"], stranger),
        /a restore does not replace it/,
      );
    });
  });

  it("that is killed in the middle leaves nothing that looks like a backup", async () => {
    const at = path.join(folder, "killed.slipway");
    const child = spawn(process.execPath, [operator.ENTRY, "backup", "--to", at], { env: cleanEnv(env) });
    const ended = once(child, "exit");
    await until(
      async () => (await readdir(folder)).some((name) => name.startsWith("killed.slipway.unfinished-")),
      "the backup has begun",
    );
    child.kill("SIGKILL");
    await ended;
    const [left = "", ...others] = (await readdir(folder)).filter((name) => name.startsWith("killed"));
    assert.deepEqual(others, []);
    assert.notEqual(left, "killed.slipway");
    await succeed(["backup", "--to", at]);
  });

  it("that finds the disk full says so and leaves nothing", async (t) => {
    const disk = mountSmallDisk(1);
    if (disk === null) return t.skip("this user may not mount a disk");
    try {
      disk.fill();
      assert.match(await fail(["backup", "--to", path.join(disk.folder, "x")]), /the disk is full/);
      disk.clear();
      assert.deepEqual(await readdir(disk.folder), []);
    } finally {
      disk.dispose();
    }
  });

  it("is not restored onto a disk that is too small, which is said, and nothing is left", async (t) => {
    if (adminUrl !== undefined) return t.skip("the server of the database says when its disk is full");
    const disk = mountSmallDisk(64);
    if (disk === null) return t.skip("this user may not mount a disk");
    try {
      const small = { SLIPWAY_DATA_DIR: path.join(disk.folder, "data"), SLIPWAY_API_KEY: ADMIN_KEY };
      await mkdir(small.SLIPWAY_DATA_DIR);
      await bringKeys(small);
      // Where the room ends depends on how large an empty database is.
      for (const blocksLeft of [1_000, 10_500]) {
        disk.fill(blocksLeft);
        assert.match(await fail(["restore", "--from", file], small), /no space|disk is (?:not )?full/i);
        disk.clear();
        assert.deepEqual((await readdir(small.SLIPWAY_DATA_DIR)).toSorted(), ["keys", "lock"]);
      }
    } finally {
      disk.dispose();
    }
  });

  it("restores an installation that continues in the middle of its work", async () => {
    const second = await machine("second");
    await bringKeys(second);
    // The customers' clouds are where they were.
    await cp(path.join(folder, "first", "sandbox"), path.join(folder, "second", "sandbox"), {
      recursive: true,
    });
    // A restore that is killed leaves nothing that a service would start on.
    const child = spawn(process.execPath, [operator.ENTRY, "restore", "--from", file], {
      env: cleanEnv(second),
    });
    const ended = once(child, "exit");
    if (adminUrl === undefined) {
      await until(
        async () => (await readdir(path.join(folder, "second"))).includes("database.unfinished"),
        "the restore has begun",
      );
    } else
      await until(
        async () => (await fail(["org", "list"], second)).includes("are being copied"),
        "it has begun",
      );
    child.kill("SIGKILL");
    await ended;
    assert.ok(!(await readdir(path.join(folder, "second"))).includes("database"));

    assert.match(await succeed(["restore", "--from", file], second), /Restored \d+ rows of \d+ tables/);
    const client = await start(second);
    await finishInFlight(client, receiver, work);
    assert.match(await fail(["restore", "--from", file], second), /a restore does not replace it|is in use/);
  });
});
