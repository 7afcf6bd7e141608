import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { openSealing } from "./open-sealing.ts";
import { Secret } from "./secret.ts";
import { createTestClock, temporaryKeyFolder } from "./testing.ts";

const SEED = 20260301;
const isTampered = { name: "SealingError", code: "TAMPERED" };

test("a value sealed at rest opens after a restart, only for its own identity", async (t) => {
  const options = { folder: await temporaryKeyFolder(t), clock: createTestClock() };
  const sealed = await (await openSealing(options)).atRest.seal(["org_1", "git_1"], new Secret("ghp_token"));
  assert.ok(!Buffer.from(sealed).includes("ghp_"));
  const { atRest } = await openSealing(options);
  assert.equal((await atRest.open(["org_1", "git_1"], sealed)).reveal(), "ghp_token");
  for (const wrong of [
    ["org_2", "git_1"],
    ["org_1", "git_2"],
    ["org_1"],
    ["org_1git_1"],
    ["org_1", "git_1", ""],
    [],
  ]) {
    await assert.rejects(atRest.open(wrong, sealed), isTampered);
  }
  for (let at = 0; at < sealed.length; at++) {
    await assert.rejects(atRest.open(["org_1", "git_1"], sealed.with(at, (sealed[at] ?? 0) ^ 1)), isTampered);
  }
  await assert.rejects(atRest.open(["org_1", "git_1"], new Uint8Array()), isTampered);
});

test("a value sealed under a lost at-rest key does not open, and the message names the file", async (t) => {
  const options = { folder: await temporaryKeyFolder(t), clock: createTestClock() };
  const sealed = await (await openSealing(options)).atRest.seal(["org_1"], new Secret("ghp_token"));
  await rm(join(options.folder, "at-rest.key"));
  const { atRest } = await openSealing(options);
  await assert.rejects(atRest.open(["org_1"], sealed), { ...isTampered, message: /at-rest\.key/ });
});

test("a fingerprint is the same after a restart, and different with another installation's key", async (t) => {
  const options = { folder: await temporaryKeyFolder(t), clock: createTestClock() };
  const of = async (over: object = {}): Promise<string> =>
    (await openSealing({ ...options, ...over })).fingerprint(["POST", "/v1/x", "{}"]).current();
  const first = await of();
  assert.match(first, /^[\w-]{43}$/);
  assert.equal(await of(), first);
  assert.notEqual(await of({ folder: await temporaryKeyFolder(t) }), first);
});

test("different lists of parts have different fingerprints, also with lone surrogates and shifted bounds", async (t) => {
  const { fingerprint } = await openSealing({
    folder: await temporaryKeyFolder(t),
    clock: createTestClock(),
  });
  const part = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\ud800", "\ufffd"), maxLength: 4 });
  const parts = fc.array(part, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, parts, async (one, other) => {
      const isSame = one.length === other.length && one.every((text, index) => text === other[index]);
      return (await fingerprint(one).matches((it) => it === fingerprint(other).current())) === isSame;
    }),
    { seed: SEED, numRuns: 500 },
  );
});
