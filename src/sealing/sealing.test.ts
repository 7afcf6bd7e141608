import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as fc from "fast-check";
import { type ItemIdentity, type RunIdentity, type SealedRun } from "./sealing.ts";
import { type Sealing, openSealing } from "./open-sealing.ts";
import { Secret } from "./secret.ts";
import { HOUR_MS, createTestClock, temporaryKeyFolder } from "./testing.ts";

const SEED = 20260301;
const RUN: RunIdentity = { organizationId: "org_1", scopeId: "env_1", runId: "run_1" };
const ITEM: ItemIdentity = { name: "TOKEN", kind: "secretsManager", generation: 7 };

async function open(t: TestContext): Promise<Sealing> {
  return openSealing({ folder: await temporaryKeyFolder(t), clock: createTestClock() });
}

async function sealOne(sealing: Sealing, value: string): Promise<SealedRun & { sealed: Uint8Array }> {
  const run = await sealing.runs.sealRun(RUN, [{ ...ITEM, value: new Secret(value) }]);
  const sealed = run.items[0]?.sealed;
  assert.ok(sealed !== undefined);
  return { ...run, sealed };
}

const isTampered = { name: "SealingError", code: "TAMPERED" };
const flipped = (bytes: Uint8Array, at: number, mask: number): Uint8Array =>
  bytes.with(at, (bytes[at] ?? 0) ^ mask);

for (const [what, value] of [
  ["an empty value", ""],
  ["one character", "x"],
  ["a value of several scripts, NUL and an emoji", "Ünïcødé \u0000 漢字 🛳️ e\u0301"],
  ["a value of white space", " \r\n\t "],
  ["the last value of the smallest size", "a".repeat(252)],
  ["the first value of the next size", "a".repeat(253)],
  ["a value of 4 KiB", "b".repeat(4096)],
  ["a value of 64 KiB", "漢".repeat(21_845) + "x"],
] as const) {
  test(`${what} comes back unchanged`, async (t) => {
    const sealing = await open(t);
    const sealed = await sealOne(sealing, value);
    const opened = await sealing.runs.openItem(RUN, sealed, ITEM, sealed.sealed);
    assert.ok(opened.reveal() === value);
  });
}

test("any well-formed value with any identity comes back unchanged", async (t) => {
  const sealing = await open(t);
  const text = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      text,
      text,
      text,
      text,
      fc.nat(),
      async (o, s, r, name, kind, value, generation) => {
        const run: RunIdentity = { organizationId: o, scopeId: s, runId: r };
        const item: ItemIdentity = { name, kind, generation };
        const sealed = await sealing.runs.sealRun(run, [{ ...item, value: new Secret(value) }]);
        using opened = await sealing.runs.openRun(run, sealed);
        const bytes = sealed.items[0]?.sealed ?? new Uint8Array();
        return (await opened.openItem(item, bytes)).reveal() === value;
      },
    ),
    { seed: SEED, numRuns: 30 },
  );
});

test("a value with a lone surrogate is refused rather than changed, and not named in the error", async (t) => {
  const sealing = await open(t);
  await assert.rejects(sealOne(sealing, "half \ud83d of it"), (error) => {
    assert.ok(error instanceof TypeError);
    assert.ok(!error.message.includes("half"));
    return true;
  });
});

test("a sealed value does not open for another organization, scope, run, name, kind or generation", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  using opened = await sealing.runs.openRun(RUN, sealed);
  // Few characters make near misses likely, such as one field's end moved to the next one's beginning.
  const word = fc.string({ unit: fc.constantFrom("o", "e", "_", "1", "g"), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ organizationId: word, scopeId: word, runId: word }, { requiredKeys: [] }),
      async (change) => {
        const other = { ...RUN, ...change };
        fc.pre(JSON.stringify(other) !== JSON.stringify(RUN));
        await assert.rejects(sealing.runs.openRun(other, sealed), isTampered);
      },
    ),
    { seed: SEED, numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.record({ name: word, kind: word, generation: fc.integer() }, { requiredKeys: [] }),
      async (change) => {
        const other = { ...ITEM, ...change };
        fc.pre(JSON.stringify(other) !== JSON.stringify(ITEM));
        await assert.rejects(opened.openItem(other, sealed.sealed), isTampered);
      },
    ),
    { seed: SEED, numRuns: 300 },
  );
});

test("every single wrong field is detected, also lengths shifted between neighbours", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  const otherRuns: RunIdentity[] = [
    { ...RUN, organizationId: "org_2" },
    { ...RUN, scopeId: "env_2" },
    { ...RUN, runId: "run_2" },
    { ...RUN, organizationId: "org_1e", scopeId: "nv_1" },
    { ...RUN, organizationId: "env_1", scopeId: "org_1" },
  ];
  for (const run of otherRuns) await assert.rejects(sealing.runs.openRun(run, sealed), isTampered);
  const otherItems: ItemIdentity[] = [
    { ...ITEM, name: "TOKEN2" },
    { ...ITEM, kind: "parameterStore" },
    { ...ITEM, generation: 8 },
    { ...ITEM, name: "TOKENs", kind: "ecretsManager" },
  ];
  for (const item of otherItems) {
    await assert.rejects(sealing.runs.openItem(RUN, sealed, item, sealed.sealed), isTampered);
  }
});

test("flipping any bit of a sealed value is detected", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  using opened = await sealing.runs.openRun(RUN, sealed);
  for (let at = 0; at < sealed.sealed.length; at++) {
    for (const mask of [1, 2, 4, 8, 16, 32, 64, 128]) {
      await assert.rejects(opened.openItem(ITEM, flipped(sealed.sealed, at, mask)), isTampered);
    }
  }
});

test("flipping a bit in any byte of a wrapped run key is detected", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  for (let at = 0; at < sealed.wrappedKey.length; at++) {
    // The highest bit matters most: X25519 ignores that of its last byte (RFC 7748, section 5).
    for (const mask of [1, 128]) {
      const wrappedKey = flipped(sealed.wrappedKey, at, mask);
      await assert.rejects(sealing.runs.openRun(RUN, { ...sealed, wrappedKey }), isTampered);
    }
  }
});

test("a truncated, extended or empty sealed value or key is detected", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  using opened = await sealing.runs.openRun(RUN, sealed);
  const zeroKey = new Uint8Array(sealed.wrappedKey.length);
  for (let length = 0; length < sealed.sealed.length; length++) {
    await assert.rejects(opened.openItem(ITEM, sealed.sealed.subarray(0, length)), isTampered);
  }
  await assert.rejects(opened.openItem(ITEM, Buffer.concat([sealed.sealed, Buffer.of(0)])), isTampered);
  for (const wrappedKey of [new Uint8Array(), sealed.wrappedKey.subarray(1), zeroKey]) {
    await assert.rejects(sealing.runs.openRun(RUN, { ...sealed, wrappedKey }), isTampered);
  }
});

test("a value or a run key moved to another run is detected", async (t) => {
  const sealing = await open(t);
  const first = await sealOne(sealing, "first");
  const again = await sealOne(sealing, "again");
  // Even if the same names are sealed twice, values do not mix: each sealing has its own run key.
  await assert.rejects(sealing.runs.openItem(RUN, first, ITEM, again.sealed), isTampered);
  const otherRun = { ...RUN, runId: "run_2" };
  await assert.rejects(sealing.runs.openItem(otherRun, first, ITEM, first.sealed), isTampered);
});

test("a run key moved to another epoch is detected", async (t) => {
  const clock = createTestClock();
  const sealing = await openSealing({ folder: await temporaryKeyFolder(t), clock });
  const first = await sealOne(sealing, "first");
  clock.advance(HOUR_MS);
  const { epochId } = await sealOne(sealing, "second");
  assert.notEqual(epochId, first.epochId);
  await assert.rejects(sealing.runs.openRun(RUN, { ...first, epochId }), isTampered);
});

test("neither a value nor any part of it is in the stored bytes", async (t) => {
  const sealing = await open(t);
  const canary = "CANARY-7f3a91c2d5e84b60";
  const sealed = await sealOne(sealing, canary.repeat(40));
  const stored = Buffer.concat([sealed.wrappedKey, sealed.sealed, Buffer.from(sealed.epochId)]);
  const forms = (text: string): Buffer[] =>
    [0, 1, 2].flatMap((skip) => {
      const bytes = Buffer.from(text.slice(skip, skip + 9));
      return [
        bytes,
        Buffer.from(bytes.toString("base64")),
        Buffer.from(bytes.toString("hex")),
        Buffer.from(bytes.toString("latin1"), "utf16le"),
      ];
    });
  const finds = (bytes: Buffer): boolean => forms(canary).some((form) => bytes.includes(form));
  assert.ok(finds(Buffer.from(`{"value":"${canary}"}`)), "the scan must find a planted value");
  assert.ok(finds(Buffer.from(Buffer.from(canary).toString("base64"))), "and an encoded one");
  assert.ok(!finds(stored));
});

test("values of similar size are sealed to the same length", async (t) => {
  const sealing = await open(t);
  const lengths = async (...sizes: number[]): Promise<Set<number>> => {
    const items = sizes.map((size) => ({ ...ITEM, value: new Secret("x".repeat(size)) }));
    return new Set((await sealing.runs.sealRun(RUN, items)).items.map((item) => item.sealed.length));
  };
  assert.equal((await lengths(0, 4, 20, 40, 252)).size, 1);
  assert.equal((await lengths(253, 508)).size, 1);
  assert.equal((await lengths(61_441, 65_532)).size, 1);
  assert.equal((await lengths(252, 253)).size, 2);
});

test("sealing a value twice gives different bytes", async (t) => {
  const sealing = await open(t);
  const items = [1, 2].map(() => ({ ...ITEM, value: new Secret("same") }));
  const sealed = await sealing.runs.sealRun(RUN, items);
  assert.notDeepEqual(sealed.items[0]?.sealed, sealed.items[1]?.sealed);
});

test("a closed run opens nothing", async (t) => {
  const sealing = await open(t);
  const sealed = await sealOne(sealing, "the value");
  const opened = await sealing.runs.openRun(RUN, sealed);
  opened.close();
  await assert.rejects(opened.openItem(ITEM, sealed.sealed), /was closed/);
});

test("500 values of one run need one wrapped key", async (t) => {
  const sealing = await open(t);
  const items = Array.from({ length: 500 }, (_, index) => ({
    ...ITEM,
    name: `NAME_${index}`,
    value: new Secret(`value ${index}`),
  }));
  const sealed = await sealing.runs.sealRun(RUN, items);
  using opened = await sealing.runs.openRun(RUN, sealed);
  for (const [index, { name, sealed: bytes }] of sealed.items.entries()) {
    assert.equal((await opened.openItem({ ...ITEM, name }, bytes)).reveal(), `value ${index}`);
  }
});
