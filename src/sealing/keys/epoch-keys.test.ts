import assert from "node:assert/strict";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createSealingKeys } from "./epoch-keys.ts";
import { createKeyFiles } from "./key-file.ts";
import { openKeyFolder } from "./key-folder.ts";
import { openSealing } from "../open-sealing.ts";
import { Secret } from "../secret.ts";
import { HOUR_MS, MINUTE_MS, createTestClock, temporaryKeyFolder } from "../testing.ts";

const RUN = { organizationId: "org_1", scopeId: "env_1", runId: "run_1" };
const ITEM = { name: "TOKEN", kind: "secretsManager", generation: 1 };
const ITEMS = [{ ...ITEM, value: new Secret("the value") }];

test("a key is sealed with for one hour", async (t) => {
  const clock = createTestClock();
  const { keys } = await openSealing({ folder: await temporaryKeyFolder(t), clock });
  const first = await keys.current();
  assert.match(first.epochId, /^20260301T120000000Z-[0-9a-f]{16}$/);
  clock.advance(HOUR_MS - 1);
  assert.equal((await keys.current()).epochId, first.epochId);
  clock.advance(1);
  assert.notEqual((await keys.current()).epochId, first.epochId);
});

test("another process finds the newest key instead of making one", async (t) => {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const one = await openSealing({ folder, clock });
  await one.keys.current();
  clock.advance(HOUR_MS);
  const newest = await one.keys.current();
  const other = await openSealing({ folder, clock });
  assert.equal((await other.keys.current()).epochId, newest.epochId);
});

test("requests that arrive together share one new key", async (t) => {
  const { keys } = await openSealing({ folder: await temporaryKeyFolder(t), clock: createTestClock() });
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.current()));
  assert.equal(new Set(found.map((epoch) => epoch.epochId)).size, 1);
});

test("a key opens what it sealed until the longest run has ended, then it is destroyed, with a clear error", async (t) => {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const sealing = await openSealing({ folder, clock });
  const sealed = await sealing.runs.sealRun(RUN, ITEMS);
  const [item] = sealed.items;
  assert.ok(item !== undefined);

  clock.advance(25 * HOUR_MS - 1);
  assert.deepEqual(await sealing.keys.destroyExpired(), []);
  assert.equal((await sealing.runs.openItem(RUN, sealed, ITEM, item.sealed)).reveal(), "the value");

  clock.advance(1);
  assert.deepEqual(await sealing.keys.destroyExpired(), [sealed.epochId]);
  assert.deepEqual(await readdir(folder), ["at-rest.key"]);
  await assert.rejects(sealing.runs.openRun(RUN, sealed), { code: "KEY_DESTROYED" });
  assert.deepEqual(await sealing.keys.destroyExpired(), []);
});

test("keys that expired while nothing ran are destroyed at the start", async (t) => {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const sealed = await (await openSealing({ folder, clock })).runs.sealRun(RUN, ITEMS);
  clock.advance(48 * HOUR_MS);
  const restarted = await openSealing({ folder, clock });
  assert.deepEqual(await readdir(folder), ["at-rest.key"]);
  await assert.rejects(restarted.runs.openRun(RUN, sealed), { code: "KEY_DESTROYED" });
});

test("a key destroyed by another process is also gone for a process that has used it", async (t) => {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const sealing = await openSealing({ folder, clock });
  const sealed = await sealing.runs.sealRun(RUN, ITEMS);
  (await sealing.runs.openRun(RUN, sealed)).close();
  await rm(join(folder, `${sealed.epochId}.key`));
  await assert.rejects(sealing.runs.openRun(RUN, sealed), { code: "KEY_DESTROYED" });
  // Nor does it continue to seal with a key whose private half is destroyed.
  assert.notEqual((await sealing.runs.sealRun(RUN, ITEMS)).epochId, sealed.epochId);
});

test("each expired key is reported as destroyed by one of several that try", async (t) => {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const processes = await Promise.all([1, 2, 3].map(() => openSealing({ folder, clock })));
  const made = await Promise.all(processes.map(async ({ keys }) => (await keys.current()).epochId));
  clock.advance(25 * HOUR_MS);
  const destroyed = await Promise.all(processes.map(({ keys }) => keys.destroyExpired()));
  assert.deepEqual(destroyed.flat().sort(), [...new Set(made)].sort());
});

test("a key from before the clock was set back is not used to seal, but still opens", async (t) => {
  const clock = createTestClock();
  const sealing = await openSealing({ folder: await temporaryKeyFolder(t), clock });
  const sealed = await sealing.runs.sealRun(RUN, ITEMS);
  clock.advance(-365 * 24 * HOUR_MS);
  assert.notEqual((await sealing.keys.current()).epochId, sealed.epochId);
  (await sealing.runs.openRun(RUN, sealed)).close();
});

test("an invalid epoch id never reaches the file system", async (t) => {
  const clock = createTestClock();
  const { keys, runs } = await openSealing({ folder: await temporaryKeyFolder(t), clock });
  const { wrappedKey } = await runs.sealRun(RUN, ITEMS);
  for (const epochId of ["", "at-rest", "../keys/at-rest", "/etc/passwd", "a\0b", "x\n"]) {
    assert.equal(await keys.open(epochId), null);
    await assert.rejects(runs.openRun(RUN, { epochId, wrappedKey }), { code: "KEY_DESTROYED" });
  }
});

test("keys are readable only by their owner", { skip: process.platform === "win32" }, async (t) => {
  const folder = await temporaryKeyFolder(t);
  const { keys } = await openSealing({ folder, clock: createTestClock() });
  await keys.current();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const names = await readdir(folder);
  assert.equal(names.length, 3);
  for (const name of names) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
});

for (const [what, damage] of [
  ["empty", () => ""],
  ["cut short", (text: string) => text.slice(0, -1)],
  [
    "changed in one character of the key",
    (text: string) => text.replace(/\n(.)/, (_, c) => `\n${c === "A" ? "B" : "A"}`),
  ],
  ["another kind of file", () => "hello\n"],
] as const) {
  test(`a key file that is ${what} is named, with what to do`, async (t) => {
    const clock = createTestClock();
    const folder = await temporaryKeyFolder(t);
    const sealing = await openSealing({ folder, clock });
    const sealed = await sealing.runs.sealRun(RUN, ITEMS);
    for (const name of [`${sealed.epochId}.key`, `${sealed.epochId}.pub`, "at-rest.key"]) {
      const path = join(folder, name);
      await writeFile(path, damage(await readFile(path, "utf8")));
    }
    const isCorrupt = (file: string) => (error: Error & { code?: unknown }) => {
      assert.equal(error.code, "KEY_FILE_CORRUPT");
      assert.ok(error.message.includes(join(folder, file)), error.message);
      assert.match(error.message, /move it away/);
      return true;
    };
    await assert.rejects(sealing.runs.openRun(RUN, sealed), isCorrupt(`${sealed.epochId}.key`));
    await assert.rejects(openSealing({ folder, clock }), isCorrupt("at-rest.key"));
    await rm(join(folder, "at-rest.key"));
    const restarted = await openSealing({ folder, clock });
    await assert.rejects(restarted.keys.current(), isCorrupt(`${sealed.epochId}.pub`));
  });
}

test("a lifetime that is not longer than the rotation is refused", async (t) => {
  const clock = createTestClock();
  const files = createKeyFiles(await openKeyFolder(await temporaryKeyFolder(t), clock), null);
  for (const destroyAfterMs of [MINUTE_MS, 1, 0, Number.NaN]) {
    assert.throws(
      () => createSealingKeys({ files, clock, rotateEveryMs: MINUTE_MS, destroyAfterMs }),
      RangeError,
    );
  }
});
