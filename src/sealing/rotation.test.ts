import assert from "node:assert/strict";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { atRestKeysIn, rotateAtRestKey } from "./keys/at-rest-keys.ts";
import { prefixOf } from "./at-rest.ts";
import { openSealing, type Sealing } from "./open-sealing.ts";
import { createResealing, PROGRESS_FILE, type SealedValue, type SealedValues } from "./reseal.ts";
import { Secret } from "./secret.ts";
import { createTestClock, createTestWrap, HOUR_MS, temporaryKeyFolder } from "./testing.ts";

const PLACE = ["org_1", "git_1"];

async function begin(t: TestContext) {
  const clock = createTestClock();
  const folder = await temporaryKeyFolder(t);
  const open = (wrap: ReturnType<typeof createTestWrap> | null = null): Promise<Sealing> =>
    openSealing({ folder, clock, wrap });
  return { clock, folder, open, sealing: await open() };
}
const keysOf = async (folder: string) => atRestKeysIn(await readdir(folder)).map(({ file }) => file);

test("P7: after a rotation old values open, and new ones name their key", async (t) => {
  const { open, sealing, clock } = await begin(t);
  const before = await sealing.atRest.seal(PLACE, new Secret("before"));
  const { id } = await rotateAtRestKey(sealing.files, clock);
  for (const one of [sealing, await open()]) {
    await one.atRestKeys.list();
    const after = await one.atRest.seal(PLACE, new Secret("after"));
    assert.equal(Buffer.from(after.subarray(1, 9)).toString("hex"), id);
    assert.equal((await one.atRest.open(PLACE, before)).reveal(), "before");
    assert.equal((await one.atRest.open(PLACE, after)).reveal(), "after");
    for (let at = 0; at < after.length; at += 7) {
      const changed = after.with(at, (after[at] ?? 0) ^ 1);
      await assert.rejects(one.atRest.open(PLACE, changed), { code: "TAMPERED" });
    }
    await assert.rejects(one.atRest.open(["org_2", "git_1"], after), { code: "TAMPERED" });
  }
});

test("P7: a process that has not seen the rotation opens what another one has sealed since", async (t) => {
  const { open, sealing, clock } = await begin(t);
  const other = await open();
  await rotateAtRestKey(sealing.files, clock);
  await sealing.atRestKeys.list();
  const sealed = await sealing.atRest.seal(PLACE, new Secret("newer"));
  assert.equal((await other.atRest.open(PLACE, sealed)).reveal(), "newer");
  const kept = sealing.fingerprint(["a body"]).current();
  const another = await open();
  assert.ok(await other.fingerprint(["a body"]).matches((one) => one === kept));
  assert.ok(await another.fingerprint(["a body"]).matches((one) => one === kept));
  assert.ok(!(await other.fingerprint(["another"]).matches((one) => one === kept)));
});

test("P7: a fingerprint from before a rotation still matches, also for parts read before it", async (t) => {
  const { open, sealing, clock } = await begin(t);
  const late = await open();
  const kept = sealing.fingerprint(["a body"]).current();
  const taken = late.fingerprint(["a body"]);
  for (let rotations = 0; rotations < 3; rotations++) {
    await rotateAtRestKey(sealing.files, clock);
    await sealing.atRestKeys.list();
    const newer = sealing.fingerprint(["a body"]).current();
    assert.notEqual(newer, kept);
    assert.ok(await sealing.fingerprint(["a body"]).matches((one) => one === kept));
    assert.ok(
      await taken.matches((one) => one === newer),
      "by a key that was made after the parts were erased",
    );
  }
});

test("P7: keys are ordered even if one machine's clock is behind", async (t) => {
  const { sealing, clock, folder } = await begin(t);
  await rotateAtRestKey(sealing.files, clock);
  const newest = await rotateAtRestKey(sealing.files, { now: () => new Date("2020-01-01") });
  assert.equal((await keysOf(folder)).at(-1), newest.file);
  assert.equal((await sealing.atRestKeys.list()).at(-1)?.file, newest.file);
});

/** Rows in memory, as a feature's store has them. */
function createRows() {
  const rows = new Map<string, SealedValue>();
  const begins = (sealed: Uint8Array, prefix: Uint8Array) =>
    Buffer.from(sealed.subarray(0, prefix.length)).equals(prefix);
  const others = (prefix: Uint8Array) => [...rows.values()].filter(({ sealed }) => !begins(sealed, prefix));
  const values: SealedValues & { replacing: () => void } = {
    replacing: () => undefined,
    listOthers: async (prefix, after, limit) =>
      others(prefix)
        .filter(({ key }) => key > after)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit),
    countOthers: async (prefix) => others(prefix).length,
    hasAny: async (prefix) => [...rows.values()].some(({ sealed }) => begins(sealed, prefix)),
    async replace(replaced) {
      values.replacing();
      for (const { value, sealed } of replaced) {
        if (rows.get(value.key)?.sealed === value.sealed) rows.set(value.key, { ...value, sealed });
      }
    },
  };
  return { rows, values };
}

async function fill(rows: Map<string, SealedValue>, { atRest }: Sealing, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const key = String(index).padStart(5, "0");
    const associated = ["place", key];
    rows.set(key, { key, associated, sealed: await atRest.seal(associated, new Secret(`value ${key}`)) });
  }
}
async function assertReadable(rows: ReadonlyMap<string, SealedValue>, { atRest }: Sealing): Promise<void> {
  for (const { key, associated, sealed } of rows.values())
    assert.equal((await atRest.open(associated, sealed)).reveal(), `value ${key}`);
}

test("P7: everything is re-sealed in batches, and the old key is destroyed a day later, when nothing needs it", async (t) => {
  const { sealing, clock, folder } = await begin(t);
  const { rows, values } = createRows();
  await fill(rows, sealing, 250);
  const { files, atRest, atRestKeys: keys } = sealing;
  let isAnswerKept = true;
  const aging = [async () => isAnswerKept];
  const reseal = createResealing({ keys, atRest, folder: files.folder, clock, values: [values], aging });
  const never = new AbortController().signal;
  await reseal(never);
  assert.deepEqual(await keysOf(folder), ["at-rest.key"], "without a rotation there is nothing to do");

  const newest = await rotateAtRestKey(files, clock);
  await reseal(never);
  assert.equal(await values.countOthers(prefixOf(newest)), 0);
  await assertReadable(rows, sealing);
  const progress = JSON.parse(await readFile(join(folder, PROGRESS_FILE), "utf8"));
  assert.deepEqual(progress, {
    at: clock.now().toISOString(),
    key: newest.file,
    left: 0,
    unreadable: 0,
  });

  clock.advance(24 * HOUR_MS);
  await reseal(never);
  assert.equal((await keysOf(folder)).length, 2, "an answer may be kept for 24 hours");
  clock.advance(2 * HOUR_MS);
  await reseal(never);
  assert.equal((await keysOf(folder)).length, 2, "an answer is still there");
  isAnswerKept = false;
  await reseal(never);
  assert.deepEqual(await keysOf(folder), [newest.file]);
  await assertReadable(rows, sealing);
});

test("P7: a value that does not open keeps its key, and does not delay others", async (t) => {
  const { sealing, clock, folder } = await begin(t);
  const { rows, values } = createRows();
  await fill(rows, sealing, 120);
  const broken = rows.get("00007") ?? assert.fail();
  rows.set("00007", {
    ...broken,
    sealed: broken.sealed.with(40, (broken.sealed[40] ?? 0) ^ 1),
  });
  const { files, atRest, atRestKeys: keys } = sealing;
  const reseal = createResealing({ keys, atRest, folder: files.folder, clock, values: [values], aging: [] });
  const newest = await rotateAtRestKey(files, clock);
  clock.advance(48 * HOUR_MS);
  await reseal(new AbortController().signal);
  assert.equal(await values.countOthers(prefixOf(newest)), 1);
  assert.equal((await keysOf(folder)).length, 2);
  const progress = JSON.parse(await readFile(join(folder, PROGRESS_FILE), "utf8"));
  assert.deepEqual([progress.left, progress.unreadable], [1, 1]);
});

test("P7: a value that was written in the meantime is not re-sealed", async (t) => {
  const { sealing, clock } = await begin(t);
  const { rows, values } = createRows();
  await fill(rows, sealing, 1);
  const { files, atRest, atRestKeys: keys } = sealing;
  await rotateAtRestKey(files, clock);
  await keys.list();
  const newer = await atRest.seal(["place", "00000"], new Secret("value 00000"));
  values.replacing = () => rows.set("00000", { key: "00000", associated: ["place", "00000"], sealed: newer });
  await createResealing({ keys, atRest, folder: files.folder, clock, values: [values], aging: [] })(
    new AbortController().signal,
  );
  assert.equal(rows.get("00000")?.sealed, newer);
});

test("P7: an interrupted re-sealing continues where it stopped", async (t) => {
  const { sealing, clock, open, folder } = await begin(t);
  const { rows, values } = createRows();
  await fill(rows, sealing, 250);
  const { files, atRest, atRestKeys: keys } = sealing;
  const newest = await rotateAtRestKey(files, clock);
  const stopping = new AbortController();
  values.replacing = () => stopping.abort();
  await createResealing({ keys, atRest, folder: files.folder, clock, values: [values], aging: [] })(
    stopping.signal,
  );
  assert.equal(await values.countOthers(prefixOf(newest)), 150);
  const next = await open();
  values.replacing = () => undefined;
  const { atRest: its, atRestKeys } = next;
  await createResealing({
    keys: atRestKeys,
    atRest: its,
    folder: next.files.folder,
    clock,
    values: [values],
    aging: [],
  })(new AbortController().signal);
  assert.equal(await values.countOthers(prefixOf(newest)), 0);
  await assertReadable(rows, next);
  assert.equal((await keysOf(folder)).length, 2);
});

const RUN = { organizationId: "org_1", scopeId: "env_1", runId: "run_1" };
const ITEM = { name: "TOKEN", kind: "secretsManager", generation: 1 };

test("P7: a configured key service wraps all existing keys, and all later ones", async (t) => {
  const { open, sealing, folder, clock } = await begin(t);
  const token = await sealing.atRest.seal(PLACE, new Secret("before"));
  const run = await sealing.runs.sealRun(RUN, [{ ...ITEM, value: new Secret("run before") }]);
  const plain = new Map<string, string>();
  for (const name of await readdir(folder)) plain.set(name, await readFile(join(folder, name), "utf8"));

  const service = createTestWrap("alias/slipway");
  const wrapped = await open(service);
  assert.equal((await wrapped.atRest.open(PLACE, token)).reveal(), "before");
  assert.equal(
    (await wrapped.runs.openItem(RUN, run, ITEM, run.items[0]?.sealed ?? assert.fail())).reveal(),
    "run before",
  );
  clock.advance(2 * HOUR_MS);
  await wrapped.runs.sealRun(RUN, [{ ...ITEM, value: new Secret("run after") }]);
  await rotateAtRestKey(wrapped.files, clock);
  const privates = (await readdir(folder)).filter((name) => name.endsWith(".key"));
  assert.equal(privates.length, 4);
  for (const name of privates) {
    const text = await readFile(join(folder, name), "utf8");
    assert.match(text, /^slipway 1 wrapped /, name);
    const secret = plain.get(name)?.split("\n")[1];
    if (secret !== undefined) assert.ok(!text.includes(secret), name);
  }
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith("tmp-")),
    [],
  );

  // Asked once for each process, and not again while it runs.
  assert.equal(service.calls.length, 1);
  service.isAway = true;
  await wrapped.runs.sealRun(RUN, [{ ...ITEM, value: new Secret("away") }]);
  assert.equal((await wrapped.atRest.open(PLACE, token)).reveal(), "before");
  await assert.rejects(open(service), { code: "KEY_SERVICE_UNUSABLE" });
  service.isAway = false;
  assert.equal((await (await open(service)).atRest.open(PLACE, token)).reveal(), "before");
});

test("P7: wrapped keys do not open without their service, by another's key, or in another's place", async (t) => {
  const { open, folder } = await begin(t);
  await open(createTestWrap("alias/slipway"));
  await assert.rejects(open(null), {
    code: "KEYS_WRAPPED",
    message: /Set SLIPWAY_KMS_KEY_ID to alias\/slipway again, or remove the wrapping first/,
  });
  const other = await temporaryKeyFolder(t);
  const elsewhere = await openSealing({
    folder: other,
    clock: createTestClock(),
    wrap: createTestWrap("alias/slipway"),
  });
  const theirs = await readFile(join(other, "at-rest.key"), "utf8");
  await rm(join(folder, "at-rest.key"));
  await elsewhere.files.folder.sync();
  const { openKeyFolder } = await import("./keys/key-folder.ts");
  await (await openKeyFolder(folder, createTestClock())).publish("at-rest.key", theirs);
  await assert.rejects(open(createTestWrap("alias/slipway")), { code: "KEY_FILE_CORRUPT" });
});

test("P7: another key of the service takes over, and the wrapping can be removed", async (t) => {
  const { open, sealing, folder } = await begin(t);
  const token = await sealing.atRest.seal(PLACE, new Secret("kept"));
  await open(createTestWrap("alias/one"));
  const second = createTestWrap("alias/two");
  await open(second);
  assert.deepEqual(
    second.calls.map((call) => call.split(" ")[0]),
    ["unwrap", "wrap"],
  );
  const third = createTestWrap("alias/two");
  const { files } = await open(third);
  assert.deepEqual(
    third.calls.map((call) => call.split(" ")[0]),
    ["unwrap"],
  );
  assert.equal(await files.unwrapAll(), 1);
  assert.equal(await files.unwrapAll(), 0);
  assert.equal((await (await open(null)).atRest.open(PLACE, token)).reveal(), "kept");
  assert.ok((await readFile(join(folder, "at-rest.key"), "utf8")).startsWith("slipway 1 at-rest key\n"));
});

test("P7: processes that start together wrap under one key", async (t) => {
  const folder = await temporaryKeyFolder(t);
  const open = () => openSealing({ folder, clock: createTestClock(), wrap: createTestWrap("alias/slipway") });
  const sealings = await Promise.all([open(), open(), open(), open()]);
  const sealed = await Promise.all(sealings.map(({ atRest }) => atRest.seal(PLACE, new Secret("x"))));
  for (const { atRest } of [...sealings, await open()])
    for (const one of sealed) assert.equal((await atRest.open(PLACE, one)).reveal(), "x");
});
